import Foundation
import MessageFormat
import Posix
import TestSupport
import Testing

@testable import Outbox

// DESIGN §4: where each crash leads, shown by placing the files as the crash leaves them.
@Suite struct TidyingTests {
  private let rejected = Reason(
    .rejected(.rcpt), reply: Reply(code: 550, lines: ["5.1.1 no such user"]))

  @Test func aReasonThatACrashKeptOutOfItsFileIsWritten() throws {
    let scene = try Scene()
    let id = try scene.capture()
    let file = "failed/cur/\(id).vm,S=9:2,F"
    try scene.move("outbox/new/\(id).vm", file)
    try scene.state().setReason(rejected, for: id)
    // What the killed sender had begun to write.
    try scene.put(octets("half"), "failed/tmp/\(id)")
    try scene.run()
    let now = "failed/cur/\(id).vm:2,F"
    #expect(try scene.files() == [now])
    #expect(try scene.reason(in: now) == rejected)
    #expect(try scene.state().reason(for: id) == nil)
    #expect(try scene.sandbox.modified("mail/" + now) == 1_699_999_000)
    #expect(scene.events == [])
  }

  @Test func aReasonInItsFileIsNotWrittenTwice() throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.run(.refusesRecipient(550, "5.1.1 no such user"))
    try scene.state().setReason(Reason(.deferred(.mail)), for: id)
    try scene.run()
    #expect(try scene.reason(in: "failed/cur/\(id).vm:2,F") == rejected)
    #expect(try scene.state().reason(for: id) == nil)
  }

  @Test func theReasonOfANoteThatIsGoneIsForgotten() throws {
    let scene = try Scene()
    let (gone, waiting) = (scene.makeID(), try scene.capture(host: "laptop"))
    let state = try scene.state()
    state.setReason(rejected, for: gone)
    state.setReason(Reason(.deferred(.mail)), for: waiting)
    try scene.run()
    #expect(try scene.state().notesWithReason() == [waiting])
  }

  @Test func aNoteAlsoInSentIsDeliveredAndNotSentAgain() throws {
    let scene = try Scene()
    let id = try scene.capture()
    let bytes = try scene.sandbox.content("mail/outbox/new/\(id).vm")
    try scene.put(bytes, "outbox/new/\(id).vm,A=1")
    try scene.put(octets("theirs"), "sent/cur/\(id).other,U=4:2,RS")
    scene.now += 86_400
    try scene.run()
    #expect(try scene.files() == ["sent/cur/\(id).other,U=4:2,RS"])
    #expect(try scene.sandbox.content("mail/sent/cur/\(id).other,U=4:2,RS") == octets("theirs"))
  }

  @Test(arguments: ["directory", "symlink"]) func whatIsNoFileIsNoDelivery(kind: String) throws {
    let scene = try Scene()
    let id = try scene.capture()
    let path = "mail/sent/cur/\(id).vm:2,"
    if kind == "directory" {
      try FileManager.default.createDirectory(
        atPath: scene.sandbox.root + "/" + path, withIntermediateDirectories: false)
    } else {
      try scene.sandbox.link(path, to: "nowhere")
    }
    try scene.run(.refusesRecipient(450, "4.2.1"))
    #expect(try scene.files().contains("outbox/new/\(id).vm,D=1"))
  }

  @Test func ofANoteAlsoInFailedTheOneThatFailedWithAReasonCounts() throws {
    let scene = try Scene()
    let id = try scene.capture()
    let bytes = try scene.sandbox.content("mail/outbox/new/\(id).vm")
    try scene.run(.refusesRecipient(550, "5.1.1 no such user"))
    try scene.put(bytes, "outbox/new/\(id).vm")
    try scene.run()
    #expect(try scene.files() == ["failed/cur/\(id).vm:2,F"])
    #expect(try scene.reason(in: "failed/cur/\(id).vm:2,F") == rejected)
  }

  @Test func ofANoteAlsoInFailedWithoutAReasonTheWaitingOneCounts() throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.put(
      try scene.sandbox.content("mail/outbox/new/\(id).vm"), "failed/cur/\(id).vm:2,F")
    try scene.run(.accepts())
    #expect(try scene.files() == ["sent/cur/\(id).vm:2,S"])
  }

  @Test(arguments: [[], [0, 1, 2], Array("\nno header".utf8)] as [[UInt8]])
  func whatCannotBeReadInFailedIsNoProofAgainstTheOther(garbage: [UInt8]) throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.put(garbage, "failed/cur/\(id).vm:2,F")
    try scene.run(.accepts())
    #expect(try scene.files() == ["failed/cur/\(id).vm:2,F", "sent/cur/\(id).vm:2,S"])
    #expect(try scene.sandbox.content("mail/failed/cur/\(id).vm:2,F") == garbage)
  }

  @Test(.timeLimit(.minutes(1))) func strangeFilesInFailedStopNoRun() throws {
    let scene = try Scene()
    let id = try scene.capture()
    let path = "/mail/failed/cur/\(id).vm:2,F"
    #expect(unsafe mkfifo(scene.sandbox.root + path, 0o600) == 0)
    let large = scene.makeID()
    try scene.put([UInt8](repeating: 120, count: 100_000), "failed/cur/\(large).vm:2,F")
    try scene.state().setReason(rejected, for: large)
    try scene.run(.accepts(), options: scene.options { $0.sizeLimit = 50_000 })
    #expect(try scene.files().contains("sent/cur/\(id).vm:2,S"))
    #expect(try scene.state().reason(for: large) == rejected)
  }

  // facts/formats.md §5: mutt and others give a file that they save a name of their own.
  @Test func aNoteUnderAClientsNameIsKnownByItsMessageID() throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.move("outbox/new/\(id).vm", "outbox/cur/1796057462.3664_1.vm:2,S")
    try scene.run(.accepts())
    #expect(try scene.files() == ["sent/cur/\(id).vm:2,S"])
  }

  @Test func aNoteUnderAClientsNameThatIsCancelledOrThereTwiceStaysAsItIs() throws {
    let scene = try Scene()
    let (cancelled, twice) = (try scene.capture(), try scene.capture())
    try scene.move("outbox/new/\(cancelled).vm", "outbox/cur/1796057462.3664_1.vm:2,ST")
    let copy = try scene.sandbox.content("mail/outbox/new/\(twice).vm")
    try scene.put(copy, "outbox/cur/1796057463.3664_2.vm:2,")
    try scene.run(.accepts())
    #expect(
      try scene.files() == [
        "outbox/cur/1796057462.3664_1.vm:2,ST", "outbox/cur/1796057463.3664_2.vm:2,",
        "sent/cur/\(twice).vm:2,S",
      ])
  }

  @Test func aSenderKilledThriceAfterTheCommitPointGaveUp() throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.move("outbox/new/\(id).vm", "outbox/cur/\(id).vm,A=3,U=1:2,S")
    try scene.run()
    let file = "failed/cur/\(id).vm,A=3:2,F"
    #expect(try scene.files() == [file])
    #expect(try scene.reason(in: file) == Reason(.unanswered))
  }

  @Test func aSenderKilledAfterTheCommitPointWaitsAndSendsTheSame() throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.move("outbox/new/\(id).vm", "outbox/new/\(id).vm,A=1")
    try scene.sandbox.setModified("mail/outbox/new/\(id).vm,A=1", scene.now)
    scene.now += 15 * 60 - 1
    try scene.run()
    scene.now += 1
    try scene.run(.accepts())
    #expect(try scene.files() == ["sent/cur/\(id).vm:2,S"])
  }

  @Test func unfinishedCapturesAreSweptByAge() throws {
    let scene = try Scene()
    for folder in ["outbox", "sent", "failed"] {
      for (name, age) in [("old", 37), ("young", 35)] as [(String, Int64)] {
        try scene.put(octets("x"), "\(folder)/tmp/\(name)")
        try scene.sandbox.setModified("mail/\(folder)/tmp/\(name)", scene.now - age * 3600)
      }
    }
    try scene.run()
    #expect(try scene.files() == ["failed/tmp/young", "outbox/tmp/young", "sent/tmp/young"])
  }

  @Test func aFullDiskAfterTheVerdictIsMendedLater() throws {
    let scene = try Scene()
    let id = try scene.capture()
    // Nothing can be staged where tmp/ is not a folder that can be written into.
    let refusal = Play(
      outcome: .rejected(Reply(code: 550, lines: ["5.1.1 no such user"]), at: .rcpt),
      before: { try scene.put(octets("x"), "failed/tmp/\(id)/in the way") })
    let good = try scene.capture("good")
    try scene.run(refusal, .accepts())
    #expect(try scene.reason(in: "failed/cur/\(id).vm:2,F") == nil)
    #expect(try scene.state().reason(for: id) == rejected)
    #expect(try scene.files().contains("sent/cur/\(good).vm:2,S"))
    try scene.sandbox.remove("mail/failed/tmp/\(id)")
    try scene.run()
    #expect(try scene.reason(in: "failed/cur/\(id).vm:2,F") == rejected)
  }
}
