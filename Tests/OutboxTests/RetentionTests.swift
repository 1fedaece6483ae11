import MessageFormat
import MessageStore
import Posix
import TestSupport
import Testing

@testable import Outbox

/// How long notes are kept in sent/, by a clock that only moves when a test says so.
@Suite struct RetentionTests {
  private static let day: Int64 = 86400
  private let scene: Scene
  /// The start of the scene's day, in seconds since 1970.
  private let today: Int64

  init() throws {
    scene = try Scene()
    today = scene.now / Self.day * Self.day
  }

  /// The identity of a note captured so many days ago, in the scene's time.
  private func id(daysAgo days: Int64, _ number: UInt8 = 0) -> NoteID {
    NoteID(
      milliseconds: (today - days * Self.day + 3600) * 1000,
      random: [0, number] + Array(repeating: 7, count: 8))
  }

  /// Puts a delivered note into sent/, or a file like one elsewhere.
  @discardableResult
  private func note(
    daysAgo days: Int64, _ number: UInt8 = 0, flags: String = "S", host: String = "vm",
    folder: String = "sent", deliveredDaysAgo delivered: Int64? = nil
  ) throws -> String {
    let id = id(daysAgo: days, number)
    let path = "\(folder)/cur/\(id).\(host):2,\(flags)"
    try scene.put(octets("Message-ID: <\(id)@memo.invalid>\n\nx\n"), path)
    try scene.sandbox.setModified(
      "mail/" + path, today - (delivered ?? days) * Self.day + 3700)
    return path
  }

  private func apply(_ limit: Retention.Limit, isStopping: () -> Bool = { false }) throws {
    try Retention(limit, cache: cache).apply(
      to: try MailStore(scene.sandbox.root + "/mail"), try scene.state(), scene.options(),
      now: scene.now, isStopping: isStopping)
  }

  private var cache: SealedCache { SealedCache(scene.sandbox.root + "/cache") }

  /// Puts the sealed original of a note into the cache.
  private func keep(_ id: NoteID) throws {
    try scene.sandbox.write(octets("x"), to: scene.sandbox.root + "/cache/\(id)")
  }

  private func cached() -> Set<NoteID> {
    var ids: Set<NoteID> = []
    cache.forEachID { ids.insert($0) }
    return ids
  }

  private let ninetyDays = Retention.Limit.age(seconds: 90 * day)

  // MARK: - By age

  @Test func whatIsOlderGoesAndTheRestStays() throws {
    let young = try [0, 1, 2, 50, 92].map { try note(daysAgo: $0) }
    for days in [93, 94, 400, 19000] as [Int64] { try note(daysAgo: days) }
    try apply(ninetyDays)
    #expect(try scene.files() == young.sorted())
  }

  @Test func forEverIsForEver() throws {
    let files = try [0, 1, 2, 19000].map { try note(daysAgo: $0) }
    try apply(.forever)
    #expect(try scene.files() == files.sorted())
  }

  @Test func aClockYearsAheadRemovesNothing() throws {
    let files = try (0..<9).map { try note(daysAgo: $0 * 10) }
    scene.now += 80 * 365 * Self.day
    try apply(ninetyDays)
    #expect(try scene.files() == files.sorted())
  }

  @Test func notesOfTwoDaysUnderAWrongClockRemoveNothing() throws {
    let files =
      try (0..<9).map { try note(daysAgo: $0 * 10) }
      + [-29000, -29001].map { try note(daysAgo: $0) }
    scene.now += 29001 * Self.day
    try apply(ninetyDays)
    #expect(try scene.files() == files.sorted())
  }

  @Test func whoWritesNothingLosesNothing() throws {
    let files = try [0, 1, 2, 80].map { try note(daysAgo: $0) }
    scene.now += 1000 * Self.day
    try apply(ninetyDays)
    #expect(try scene.files() == files.sorted())
  }

  @Test func aClockBehindRemovesNothingMore() throws {
    let files = try [0, 1, 2, 80].map { try note(daysAgo: $0) }
    scene.now = 86400
    try apply(ninetyDays)
    #expect(try scene.files() == files.sorted())
  }

  @Test func aNoteIsAsOldAsItsDelivery() throws {
    for days in [0, 1, 2] as [Int64] { try note(daysAgo: days) }
    // It waited, or had failed and was sent again.
    let late = try note(daysAgo: 500, deliveredDaysAgo: 3)
    try note(daysAgo: 501)
    try apply(ninetyDays)
    #expect(try scene.files().contains(late))
    #expect(try scene.files().count == 4)
  }

  // MARK: - By number

  @Test func theNewestStayWhateverTheClock() throws {
    let files = try (0..<5).map { try note(daysAgo: $0) }
    for days in 5..<9 as Range<Int64> { try note(daysAgo: days) }
    scene.now = 86400
    try apply(.count(5))
    #expect(try scene.files() == files.sorted())
    try apply(.count(6))
    #expect(try scene.files() == files.sorted())
  }

  // MARK: - What is never removed

  @Test func whatIsNoPlainNoteOfThisMachineStays() throws {
    for days in [0, 1, 2, 500] as [Int64] { try note(daysAgo: days) }
    let old = id(daysAgo: 400)
    let strange = [
      try note(daysAgo: 401, flags: "FS"), try note(daysAgo: 402, host: "other"),
      try note(daysAgo: 403, folder: "failed"), try note(daysAgo: 404, folder: "outbox"),
      "sent/cur/\(old)", "sent/cur/1500000000.M1P1.vm:2,S", "sent/cur/.\(old).vm:2,S",
      // A UUID that tells no time.
      "sent/cur/00000000-0000-4000-8000-000000000000.vm:2,S", "sent/tmp/\(old).vm",
    ]
    for path in strange[4...] {
      try scene.put(octets("x"), path)
      try scene.sandbox.setModified("mail/" + path, 86400)
    }
    let folder = "sent/cur/\(id(daysAgo: 405)).vm:2,S"
    try scene.put(octets("x"), folder + "/x")
    let link = "sent/cur/\(id(daysAgo: 406)).vm:2,S"
    try scene.sandbox.link("mail/" + link, to: "/etc/passwd")
    try apply(ninetyDays)
    let files = try scene.files()
    for path in strange + [folder + "/x", link] { #expect(files.contains(path), "\(path)") }
    #expect(files.count == strange.count + 2 + 3)
  }

  @Test func aNoteThatStillLiesInTheOutboxStays() throws {
    let files = try [0, 1, 2].map { try note(daysAgo: $0) }
    let both = try [note(daysAgo: 300), note(daysAgo: 300, folder: "outbox")]
    try apply(ninetyDays)
    #expect(try scene.files() == (files + both).sorted())
  }

  // MARK: - How much, how often

  @Test func aLongHistoryTakesSeveralRuns() throws {
    for days in [0, 1, 2] as [Int64] { try note(daysAgo: days) }
    for number in 0..<UInt8(250) {
      for days in 200..<205 as Range<Int64> { try note(daysAgo: days, number) }
    }
    try apply(ninetyDays)
    #expect(try scene.files().count == 3 + 1250 - Retention.mostRemoved)
    #expect(Retention(ninetyDays, cache: nil).isDue(try scene.state(), now: scene.now))
    try apply(ninetyDays)
    #expect(try scene.files().count == 3)
    #expect(!Retention(ninetyDays, cache: nil).isDue(try scene.state(), now: scene.now))
  }

  @Test func itLooksOnceADayOrWhenSomethingElseIsAskedFor() throws {
    let retention = Retention(ninetyDays, cache: nil)
    #expect(retention.isDue(try scene.state(), now: scene.now))
    try apply(ninetyDays)
    #expect(!retention.isDue(try scene.state(), now: scene.now + 86399))
    #expect(retention.isDue(try scene.state(), now: scene.now + 86400))
    // A clock that was set back.
    #expect(retention.isDue(try scene.state(), now: scene.now - 1))
    #expect(Retention(.count(1000), cache: nil).isDue(try scene.state(), now: scene.now))
    #expect(!Retention(.forever, cache: nil).isDue(try scene.state(), now: scene.now))
  }

  @Test func toldToStopItGoesOnInTheNextRun() throws {
    for days in [0, 1, 2, 300, 301] as [Int64] { try note(daysAgo: days) }
    var asked = 0
    try apply(
      ninetyDays,
      isStopping: {
        asked += 1
        return asked > 1
      })
    #expect(try scene.files().count == 4)
    try apply(ninetyDays)
    #expect(try scene.files().count == 3)
  }

  // MARK: - The sealed originals

  @Test func theOriginalGoesWithTheNote() throws {
    for days in [0, 1, 2, 300] as [Int64] {
      try note(daysAgo: days)
      try keep(id(daysAgo: days))
    }
    try apply(ninetyDays)
    #expect(cached() == Set([0, 1, 2].map { id(daysAgo: $0) }))
  }

  @Test func theOriginalOfADeletedNoteIsForgotten() throws {
    let folders = ["sent", "failed", "outbox"]
    for (days, folder) in folders.enumerated() {
      try note(daysAgo: Int64(days), folder: folder)
      try keep(id(daysAgo: Int64(days)))
    }
    // One that a mail client gave a name of its own.
    let renamed = id(daysAgo: 10)
    try scene.move(try note(daysAgo: 10), "sent/cur/1500000000.M1P1.laptop:2,S")
    for id in [renamed, id(daysAgo: 11)] { try keep(id) }
    try scene.sandbox.write(
      octets("cut off"), to: scene.sandbox.root + "/cache/.\(id(daysAgo: 11))")
    try apply(.forever)
    #expect(cached() == Set([0, 1, 2, 10].map { id(daysAgo: $0) }))
    #expect(try scene.sandbox.files(below: "cache").count == 4)
  }

  @Test func anEmptyHistoryIsNoProofThatNotesWereDeleted() throws {
    try keep(id(daysAgo: 1))
    try apply(.forever)
    #expect(cached().count == 1)
  }

  @Test func theOriginalsAreLookedThroughInParts() throws {
    try note(daysAgo: 0)
    for number in 0..<UInt8(3) { try keep(id(daysAgo: 9, number)) }
    let store = try MailStore(scene.sandbox.root + "/mail")
    let end = try cache.sweep(store, after: id(daysAgo: 9, 1), scene.options())
    #expect(end == nil)
    #expect(cached() == [id(daysAgo: 9, 0), id(daysAgo: 9, 1)])
  }
}

@Suite struct ForemostTests {
  @Test func theFirstOfVeryManyAreHeld() {
    var random = SeededGenerator(seed: 5)
    for limit in [1, 2, 7, 100] {
      let numbers = (0..<500).map { _ in Int.random(in: 0..<1000, using: &random) }
      var first = Foremost<Int>(atMost: limit, by: <)
      for number in numbers { first.add(number) }
      #expect(first.inOrder() == Array(numbers.sorted().prefix(limit)))
      #expect(first.hasMore)
    }
    var few = Foremost<Int>(atMost: 3, by: >)
    for number in [1, 3, 2] { few.add(number) }
    #expect(few.inOrder() == [3, 2, 1])
    #expect(!few.hasMore)
  }
}
