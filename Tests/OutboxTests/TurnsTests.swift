import MessageFormat
import TestSupport
import Testing

@testable import Outbox

// DESIGN §6: the order of notes, their pace, the account's limit, and when a run stops.
@Suite struct TurnsTests {
  private func subjects(_ deliveries: [Delivery]) -> [String?] {
    deliveries.map { (try? Message(parsing: $0.message))?.subject }
  }

  @Test func theOldestGoesFirst() throws {
    let scene = try Scene()
    for text in ["one", "two", "three"] { try scene.capture(text) }
    let deliveries = try scene.run(.accepts(), .accepts(), .accepts())
    #expect(subjects(deliveries) == ["one", "two", "three"])
  }

  @Test func aNoteWrittenMeanwhileGoesNext() throws {
    let scene = try Scene()
    for text in ["one", "two"] { try scene.capture(text) }
    let fresh = NoteID(milliseconds: scene.now * 1000, random: Array(1...10))
    let first = Play.accepts(after: {
      try scene.capture("fresh", as: fresh)
      scene.now += 1
    })
    #expect(subjects(try scene.run(first, .accepts(), .accepts())) == ["one", "fresh", "two"])
  }

  @Test func aBacklogIsPacedAndAFreshNoteIsNot() throws {
    let scene = try Scene()
    for text in ["one", "two", "three"] { try scene.capture(text) }
    let fresh = NoteID(milliseconds: scene.now * 1000, random: Array(1...10))
    let options = scene.options { $0.pace = 800...1500 }
    let second = Play.accepts(after: {
      try scene.capture("fresh", as: fresh)
      scene.now += 1
    })
    try scene.run(.accepts(), second, .accepts(), .accepts(), options: options)
    // In the middle, as the random octets say: before two and three.
    #expect(scene.waits == [1151, 1151])
  }

  @Test func onlyItsOwnNotesCountAgainstAnAccountsLimit() throws {
    let scene = try Scene()
    for _ in 1...3 { try scene.capture(account: "other") }
    for text in ["one", "two", "three"] { try scene.capture(text) }
    var account = scene.account
    account.limit = SendingLimit(count: 2, seconds: 100)
    try scene.run(.accepts(), .accepts(), for: account)
    #expect(try scene.files().count { $0.hasPrefix("sent/") } == 2)
    #expect(scene.events.last == .limited(until: scene.now + 50))
    scene.now += 49
    try scene.run(for: account)
    scene.now += 1
    #expect(subjects(try scene.run(.accepts(), for: account)) == ["three"])
  }

  @Test func aClockSetBackDoesNotLimitForYears() throws {
    let scene = try Scene()
    var account = scene.account
    account.limit = SendingLimit(count: 1, seconds: 100)
    for _ in 1...2 { try scene.capture() }
    try scene.run(.accepts(), for: account)
    scene.now -= 10 * 365 * 86_400
    #expect(try scene.sender().limitedUntil(nil, account.limit) == nil)
    try scene.run(for: account)
    #expect(try scene.sender().limitedUntil(nil, account.limit) == scene.now + 100)
    scene.now += 100
    try scene.run(.accepts(), for: account)
  }

  @Test func aRunThatIsToldToStopEndsBetweenTwoNotes() throws {
    let scene = try Scene()
    for text in ["one", "two"] { try scene.capture(text) }
    var stops = false
    var sender = try scene.sender(isStopping: { stops })
    var agent = ScriptedAgent([.accepts(after: { stops = true })])
    try sender.send(for: scene.account, with: &agent)
    #expect(agent.deliveries.count == 1)
    #expect(try scene.files().count { $0.hasPrefix("outbox/new/") } == 1)
  }

  @Test func theNextTryIsTheSoonestThatMayBe() throws {
    let scene = try Scene()
    #expect(try scene.sender().nextTry(blocked: [:]) == nil)
    let id = try scene.capture()
    try scene.capture(host: "laptop")
    try scene.run(.answersNothing)
    #expect(try scene.sender().nextTry(blocked: [:]) == scene.now + 900)
    #expect(try scene.sender().nextTry(blocked: [nil: scene.now + 5000]) == scene.now + 5000)
    scene.now += 900
    #expect(try scene.sender().nextTry(blocked: [:]) == scene.now + 300)
    try scene.move("outbox/new/\(id).vm,A=1", "outbox/cur/\(id).vm,A=1:2,T")
    #expect(try scene.sender().nextTry(blocked: [:]) == nil)
  }
}
