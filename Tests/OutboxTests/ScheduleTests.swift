import MessageFormat
import MessageStore
import TestSupport
import Testing

@testable import Outbox

@Suite struct ScheduleTests {
  /// Notes whose octets 8 to 15 are all least, all most, and counting up.
  static let least = NoteID(milliseconds: 0, random: Array(repeating: 0, count: 10))
  static let most = NoteID(milliseconds: 0, random: Array(repeating: 255, count: 10))
  static let mixed = NoteID(milliseconds: 0, random: [0, 0, 0, 64, 128, 192, 1, 2, 3, 4])

  // DESIGN §6: base × (1 + u/2). Octet 8 of a UUID is never less than 128: RFC 9562 §4.1.
  @Test(
    arguments: [
      (least, 1, 2), (least, 2, 4), (least, 7, 128), (least, 8, 256 * 1.25), (least, 9, 300),
      (least, 10, 300), (least, 11, 600), (least, 12, 1200), (least, 13, 2400),
      (least, 14, 4800), (least, 15, 9600), (least, 16, 10_800 * 1.25), (least, 17, 10_800),
      (least, 1001, 10_800), (least, 1_000_001, 10_800),
      (most, 1, 2 * (1 + 255.0 / 512)), (most, 9, 300 * (1 + 255.0 / 512)),
      (most, 8, 256 * (1 + 191.0 / 512)),
      (mixed, 1, 2 * 1.125), (mixed, 2, 4 * 1.25), (mixed, 3, 8 * 1.375),
      (mixed, 9, 300 * 1.125),
    ] as [(NoteID, Int, Double)])
  func theDelayGrowsWithTheAttempts(id: NoteID, n: Int, seconds: Double) {
    #expect(Schedule.delay(afterFailure: n, of: id) == seconds)
  }

  private func name(_ rest: String, _ id: NoteID = least) throws -> NoteFileName {
    try #require(NoteFileName(id.description + ".vm" + rest))
  }

  @Test(
    arguments: [
      ("", 5000, 1000), ("", 0, 1000),
      (",D=1", 990, 992), (",D=1", 1000, 1002), (",D=17", 1000, 11_800),
      (",A=1", 1000, 1900), (",A=2", 1000, 4600), (",A=3", 1000, 4600),
      // The longer of both waits.
      (",D=1,A=1", 1000, 1900), (",D=17,A=1", 1000, 11_800),
      // The clock was set back.
      (",D=17,A=2", 1001, 1000), (",A=1", 1_000_000_000, 1000),
      // Long ago, or before 1970.
      (",D=17", 0, 10_800), (",D=1", -5_000, -4998),
    ])
  func dueIsTheLastAttemptAndTheWait(rest: String, modified: Int64, due: Int64) throws {
    #expect(Schedule.due(try name(rest), modified: modified, now: 1000) == due)
  }

  @Test func aWaitOfAFractionIsRoundedUp() throws {
    // 2 × 1.125 s.
    #expect(Schedule.due(try name(",D=1", Self.mixed), modified: 1000, now: 1000) == 1003)
  }

  // RELIABILITY row 22: never later than the cap once the clock is back.
  @Test func noWaitIsLongerThanTheCap() throws {
    var random = SeededGenerator(seed: 22)
    for _ in 0..<2000 {
      let id = NoteID(milliseconds: 0, random: random.bytes(10))
      let failures = Int.random(in: 0...2000, using: &random)
      let answers = Int.random(in: 0...5, using: &random)
      let modified = Int64.random(in: -4_000_000_000...8_000_000_000, using: &random)
      let now = Int64.random(in: -4_000_000_000...8_000_000_000, using: &random)
      let due = Schedule.due(
        try name(",D=\(failures),A=\(answers)", id), modified: modified, now: now)
      #expect(due <= now + 3 * 3600 * 3 / 2)
      #expect(due == now || due >= modified)
    }
  }

  // 2 + 4 + 8 s after three failures.
  @Test(
    arguments: [
      ("", 0, false), (",D=1", 2, false), (",D=1", 1, true), (",D=3", 14, false),
      (",D=3", 13, true), (",D=3", 0, true), (",A=3", 0, false), (",D=999999", 432_000, true),
      (",D=2,A=9", 6, false),
    ])
  func aNoteIsTooOldByTheTimeItTrulyWaited(rest: String, giveUp: Int64, isTooOld: Bool) throws {
    #expect(Schedule.isTooOld(try name(rest), giveUpAfter: giveUp) == isTooOld)
  }

  @Test func fiveDaysAreSomeFiftyAttempts() throws {
    // The sum of the table above, then 3 h each and 3.75 h each eighth time.
    var waited = 0.0
    var n = 0
    while waited <= 432_000 {
      n += 1
      let base = n <= 8 ? Double(1 << n) : n <= 10 ? 300 : min(300 * Double(1 << (n - 10)), 10_800)
      waited += base * (n.isMultiple(of: 8) ? 1.25 : 1)
    }
    #expect(!Schedule.isTooOld(try name(",D=\(n - 1)"), giveUpAfter: 432_000))
    #expect(Schedule.isTooOld(try name(",D=\(n)"), giveUpAfter: 432_000))
    #expect((45...55).contains(n))
  }
}
