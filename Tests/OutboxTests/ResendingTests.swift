import MessageFormat
import MessageStore
import TestSupport
import Testing

@testable import Outbox

// DESIGN §4: a note in failed/ stays until its owner sends it again.
@Suite struct ResendingTests {
  private let rejected = Reason(
    .rejected(.rcpt), reply: Reply(code: 550, lines: ["5.1.1 no such user"]))

  private func bringBack(_ id: NoteID, _ scene: Scene) throws {
    let store = try MailStore(scene.sandbox.root + "/mail")
    let entry = try #require(try store.failed.entries().first)
    try store.bringBack(entry, id, host: "vm", now: scene.now, keepingReasonsIn: scene.state())
  }

  @Test func aFailedNoteGoesOnAsItself() throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.run(.refusesRecipient(550, "5.1.1 no such user"))
    let failed = "failed/cur/\(id).vm:2,F"
    #expect(try scene.reason(in: failed) == rejected)
    scene.now += 60
    try bringBack(id, scene)
    let waiting = "outbox/cur/\(id).vm:2,"
    #expect(try scene.files() == [waiting])
    #expect(try scene.reason(in: waiting) == nil)
    #expect(try scene.state().reason(for: id) == nil)
    let deliveries = try scene.run(.accepts())
    #expect(deliveries.count == 1 && deliveries[0].text.contains("Memo-ID: \(id)"))
    #expect(try scene.files() == ["sent/cur/\(id).vm:2,S"])
  }

  @Test func oneSentThreeTimesWithoutAnAnswerStaysPerhapsDeliveredAndHasTwoMoreTries() throws {
    let scene = try Scene()
    let id = try scene.capture()
    for _ in 1...3 {
      try scene.run(.answersNothing)
      scene.now += 7200
    }
    #expect(try scene.files() == ["failed/cur/\(id).vm,A=3:2,F"])
    try bringBack(id, scene)
    #expect(try scene.files() == ["outbox/cur/\(id).vm,A=1:2,"])
    // It is due now, and after that as late as ever.
    try scene.run(.answersNothing)
    try scene.run()
    #expect(try scene.files() == ["outbox/cur/\(id).vm,A=2:2,"])
    scene.now += 7200
    try scene.run(.answersNothing)
    #expect(try scene.files() == ["failed/cur/\(id).vm,A=3:2,F"])
  }

  @Test func aNoteUnderAClientsNameGetsOneOfOurs() throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.move("outbox/new/\(id).vm", "failed/cur/1796057462.3664_1.host,U=3:2,FS")
    try bringBack(id, scene)
    #expect(try scene.files() == ["outbox/cur/\(id).vm:2,"])
  }

  // A power cut leaves the note in both places: which of them counts is told by the reason.
  @Test func aPowerCutInTheMiddleOfTheMoveLeavesTheNoteInTheOutbox() throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.run(.refusesRecipient(550, "5.1.1 no such user"))
    try bringBack(id, scene)
    let bytes = try scene.sandbox.content("mail/outbox/cur/\(id).vm:2,")
    try scene.put(bytes, "failed/cur/\(id).vm:2,F")
    try scene.run(.accepts())
    #expect(try scene.files() == ["sent/cur/\(id).vm:2,S"])
  }

  @Test func aCrashRightBeforeTheMoveLosesNoReason() throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.run(.refusesRecipient(550, "5.1.1 no such user"))
    // As it is then: the reason erased from the file and kept beside.
    try bringBack(id, scene)
    try scene.move("outbox/cur/\(id).vm:2,", "failed/cur/\(id).vm:2,F")
    try scene.state().setReason(rejected, for: id)
    try scene.run()
    #expect(try scene.reason(in: "failed/cur/\(id).vm:2,F") == rejected)
  }

  @Test(arguments: [",D=4", ",A=1", ",D=9,A=2"]) func aWaitingNoteIsDueNow(counters: String) throws
  {
    let scene = try Scene()
    let id = try scene.capture()
    let path = "outbox/cur/\(id).vm\(counters):2,ST"
    try scene.move("outbox/new/\(id).vm", path)
    try scene.sandbox.setModified("mail/" + path, scene.now - 2)
    try scene.run()
    let store = try MailStore(scene.sandbox.root + "/mail")
    let entry = try #require(try store.outbox.find(id))
    try store.makeDue(entry, now: scene.now)
    // Its counters stay; that it was marked as deleted does not.
    #expect(try scene.files() == ["outbox/cur/\(id).vm\(counters):2,S"])
    try scene.run(.accepts())
    #expect(try scene.files() == ["sent/cur/\(id).vm:2,S"])
  }

  @Test func whatIsDueAnywayIsNotMoved() throws {
    let scene = try Scene()
    let id = try scene.capture()
    let store = try MailStore(scene.sandbox.root + "/mail")
    try store.makeDue(try #require(try store.outbox.find(id)), now: scene.now)
    #expect(try scene.files() == ["outbox/new/\(id).vm"])
  }
}
