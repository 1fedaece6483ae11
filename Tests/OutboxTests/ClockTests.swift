import MessageFormat
import Posix
import TestSupport
import Testing

@testable import Outbox

/// Clocks that are wrong (RELIABILITY row 22).
@Suite struct ClockTests {
  /// Seconds since 1970, with the moments at which 31 and 32 bits end.
  static let moments: [Int64] = [
    -86_400 * 365, -1, 0, 1, 2_147_483_646, 2_147_483_647, 2_147_483_648, 2_177_452_800,
    4_294_967_294, 4_294_967_295, 4_294_967_296,
  ]
  static let tenYears: Int64 = 10 * 366 * 86_400
  /// The longest wait: 3 h and the half of it that u adds, rounded up.
  static let cap: Int64 = 3 * 3600 * 3 / 2 + 1

  private func id(_ moment: Int64) -> NoteID {
    NoteID(milliseconds: moment * 1000, random: [0, 7] + Array(repeating: 9, count: 8))
  }

  private func next(_ scene: Scene) throws -> Int64 {
    let sender = try scene.sender()
    let next = try sender.nextTry(blocked: [:])
    return try #require(next)
  }

  private func expectSoon(_ scene: Scene, _ moment: Int64) throws {
    let next = try next(scene)
    #expect(next >= scene.now && next <= scene.now + Self.cap, "\(moment): \(next)")
  }

  @Test(arguments: moments)
  func whatWasWrittenUnderAWrongClockIsSentOnceItIsRight(moment: Int64) throws {
    let scene = try Scene()
    let right = scene.now
    scene.now = moment
    try scene.capture(as: id(moment))
    // A wrong clock may well tell that it is not due: a person asks.
    let now = scene.options { $0.now = true }
    try scene.run(.refusesRecipient(450, "4.2.0 later"), options: now)
    let waiting = try scene.files()
    #expect(waiting.count == 1 && waiting[0].contains(",D=1"), "\(waiting)")
    try expectSoon(scene, moment)
    scene.now = right
    try expectSoon(scene, moment)
    scene.now = try next(scene)
    try scene.run(.accepts())
    #expect(try scene.files().allSatisfy { $0.hasPrefix("sent/cur/") })
    #expect(try scene.files().count == 1)
  }

  @Test(arguments: moments)
  func aWrongClockAtTheRetryDelaysNothingForLong(moment: Int64) throws {
    let scene = try Scene()
    let right = scene.now
    try scene.capture()
    try scene.run(.refusesRecipient(450, "4.2.0 later"))
    scene.now = moment
    try expectSoon(scene, moment)
    scene.now = try next(scene)
    try scene.run(.refusesRecipient(450, "4.2.0 later"))
    scene.now = right
    try expectSoon(scene, moment)
    scene.now = try next(scene)
    try scene.run(.accepts())
    #expect(try scene.files().allSatisfy { $0.hasPrefix("sent/cur/") })
  }

  @Test(arguments: [tenYears, -tenYears])
  func aJumpBetweenAttemptsDelaysNothingForLong(jump: Int64) throws {
    let scene = try Scene()
    try scene.capture()
    for _ in 1...6 {
      scene.now += jump
      try expectSoon(scene, jump)
      scene.now = try next(scene)
      try scene.run(.refusesRecipient(450, "4.2.0 later"))
      scene.now -= jump
      try expectSoon(scene, jump)
      scene.now = try next(scene)
      try scene.run(.answersNothing)
      guard try !scene.files().contains(where: { $0.hasPrefix("failed/") }) else { break }
    }
    // Sent three times without an answer, and not once more.
    #expect(try scene.files().map { $0.prefix(7) } == ["failed/"])
  }

  @Test func namesAreUniqueBefore1970() throws {
    var names: Set<String> = []
    for _ in 0..<10_000 {
      let id = NoteID(milliseconds: -86_400_000, random: try Randomness.system.bytes(10))
      #expect(id.milliseconds == 0)
      names.insert(id.description)
    }
    #expect(names.count == 10_000)
  }
}
