import Foundation
import MessageFormat
import MessageStore
import Posix
import TestSupport
import Testing

@testable import Outbox

// Promise 4: one bad note never stops the others. RELIABILITY rows 16, 17 and 20.
@Suite struct StrangeFilesTests {
  /// A note that is captured last, and has to be sent whatever lies before it.
  private func expectGoodNoteIsSent(_ scene: Scene, options: Sender.Options? = nil) throws {
    let good = try scene.capture("good")
    let delivery = try scene.run(.accepts(), options: options)
    #expect(delivery.map { $0.text.hasSuffix("\r\ngood\r\n") } == [true])
    #expect(try scene.files().contains("sent/cur/\(good).vm:2,S"))
  }

  @Test(
    arguments: ["empty", "garbage", "no header", "plain", "cut short", "a bit flipped"])
  func aDamagedFileIsSetAsideUntouched(kind: String) throws {
    let scene = try Scene()
    let id = try scene.capture("secret")
    let path = "outbox/new/\(id).vm"
    var bytes = try scene.sandbox.content("mail/" + path)
    switch kind {
    case "empty": bytes = []
    case "garbage": bytes = [0, 255, 10, 13, 0]
    case "no header": bytes = octets("\n\nno header\n")
    case "plain": bytes = octets("Subject: x\n\nplain\n")
    case "cut short": bytes.removeLast(100)
    default: bytes[bytes.count - 40] ^= 1
    }
    try scene.put(bytes, path)
    try expectGoodNoteIsSent(scene)

    let failed = "failed/cur/\(id).vm:2,F"
    #expect(try scene.sandbox.content("mail/" + failed) == bytes)
    #expect(scene.events.contains(.failed(id, Reason(.damaged))))
    // The reason is kept beside it for good.
    try scene.run()
    #expect(try scene.state().reason(for: id)?.kind == .damaged)
    #expect(try scene.sandbox.content("mail/" + failed) == bytes)
  }

  @Test func everyCutIsNoticed() throws {
    let scene = try Scene()
    let id = try scene.capture()
    let path = "outbox/new/\(id).vm"
    let bytes = try scene.sandbox.content("mail/" + path)
    for length in stride(from: 0, to: bytes.count - 2, by: 97) {
      try scene.put(Array(bytes.prefix(length)), path)
      try scene.run()
      #expect(try scene.files() == ["failed/cur/\(id).vm:2,F"], "cut to \(length)")
      try scene.sandbox.remove("mail/failed/cur/\(id).vm:2,F")
    }
  }

  @Test func swappedNamesAreNoticed() throws {
    let scene = try Scene()
    let (one, other) = (try scene.capture("one"), try scene.capture("other"))
    let (first, second) = ("outbox/new/\(one).vm", "outbox/new/\(other).vm")
    let bytes = try scene.sandbox.content("mail/" + first)
    try scene.put(try scene.sandbox.content("mail/" + second), first)
    try scene.put(bytes, second)
    try expectGoodNoteIsSent(scene)
    #expect(try scene.sandbox.content("mail/failed/cur/\(other).vm:2,F") == bytes)
    #expect(try scene.files().count { $0.hasPrefix("failed/cur/") } == 2)
  }

  @Test func aFileSealedForAnotherKeyStays() throws {
    let scene = try Scene()
    let id = try scene.capture(identity: "stranger")
    try expectGoodNoteIsSent(scene)
    #expect(try scene.files().contains("outbox/new/\(id).vm"))
    #expect(scene.events.contains(.notOurs(id)))
    #expect(try scene.sandbox.modified("mail/outbox/new/\(id).vm") == 1_699_999_000)
  }

  @Test func anotherMachinesNotesAreLeftAlone() throws {
    let scene = try Scene()
    let id = try scene.capture(host: "laptop")
    let unanswered = "outbox/cur/\(scene.makeID()).laptop,A=3:2,"
    try scene.put(octets("Subject: x\n\nx\n"), unanswered)
    try expectGoodNoteIsSent(scene)
    #expect(try scene.files().contains("outbox/new/\(id).laptop"))
    #expect(try scene.files().contains(unanswered))
    try scene.sandbox.remove("mail/" + unanswered)
    try scene.run(.accepts(), options: scene.options { $0.anyHost = true })
    #expect(try scene.files().contains("sent/cur/\(id).laptop:2,S"))
  }

  @Test func aNoteWithoutAHostIsAnyones() throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.move("outbox/new/\(id).vm", "outbox/new/\(id)")
    try scene.run(.accepts())
    #expect(try scene.files() == ["sent/cur/\(id):2,S"])
  }

  @Test(.timeLimit(.minutes(1))) func notesOfOtherAccountsWaitForTheirs() throws {
    let scene = try Scene()
    let id = try scene.capture(account: "work")
    let gone = try scene.capture(account: "gone")
    try expectGoodNoteIsSent(scene)
    var sender = try scene.sender()
    var agent = ScriptedAgent([.accepts()])
    try sender.send(for: scene.account, with: &agent)
    let work = Sender.Account(
      name: "work", isDefault: false, from: scene.account.from, to: scene.account.to)
    try sender.send(for: work, with: &agent)
    #expect(try scene.files().contains("sent/cur/\(id).vm:2,S"))
    let entry = try sender.dueNotes().map { ($0.note?.id, sender.account(namedBy: $0)) }
    #expect(entry.map(\.0) == [gone] && entry.map(\.1) == ["gone"])
  }

  // MARK: - Names and kinds

  @Test(.timeLimit(.minutes(1)), arguments: ["FIFO", "directory", "symlink", "dangling"])
  func otherKindsOfFilesArePassedOver(kind: String) throws {
    let scene = try Scene()
    let path = "mail/outbox/new/\(scene.makeID()).vm"
    let absolute = scene.sandbox.root + "/" + path
    switch kind {
    case "FIFO": #expect(unsafe mkfifo(absolute, 0o600) == 0)
    case "directory":
      try FileManager.default.createDirectory(
        atPath: absolute, withIntermediateDirectories: false)
    case "symlink":
      try scene.sandbox.write(octets("Subject: x\n\nsecret"), to: scene.sandbox.root + "/outside")
      try scene.sandbox.link(path, to: scene.sandbox.root + "/outside")
    default: try scene.sandbox.link(path, to: "nowhere")
    }
    try expectGoodNoteIsSent(scene)
    // Still there, and what a link leads to as well.
    #expect(try FileManager.default.attributesOfItem(atPath: absolute)[.size] != nil)
  }

  @Test func aFileTooLargeToReadIsPassedOver() throws {
    let scene = try Scene()
    let id = scene.makeID()
    try scene.put([UInt8](repeating: 120, count: 100_000), "outbox/new/\(id).vm")
    try expectGoodNoteIsSent(scene, options: scene.options { $0.sizeLimit = 50_000 })
    #expect(try scene.files().contains("outbox/new/\(id).vm"))
    #expect(try scene.state().reason(for: id)?.kind == .trouble(.file))
  }

  @Test func aNameTooLongToBeCountedUpStopsNobody() throws {
    let scene = try Scene()
    let id = try scene.capture("first")
    let long = "outbox/new/\(id).vm,X=" + String(repeating: "x", count: 255 - 42)
    try scene.move("outbox/new/\(id).vm", long)
    let good = try scene.capture("good")
    let deliveries = try scene.run(.accepts(), .accepts())
    #expect(deliveries.map(\.committed) == [false, true])
    #expect(try scene.files() == [long, "sent/cur/\(good).vm:2,S"])
    #expect(try scene.state().reason(for: id)?.kind == .trouble(.file))
  }

  @Test(arguments: ["D", "A"]) func aCounterBeyondMeasureIsNoTrap(field: String) throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.move(
      "outbox/new/\(id).vm", "outbox/new/\(id).vm,\(field)=9223372036854775807")
    let options = scene.options {
      $0.now = true
      $0.giveUpSeconds = .max
    }
    try scene.run(options: field == "A" ? options : nil)
    if field == "D" { try scene.run(.refusesRecipient(450, "4.2.1"), options: options) }
    #expect(try scene.files().count == 1)
  }

  // A power cut in the middle of a rename can leave both names: RELIABILITY row 5.
  @Test(
    arguments: [
      [".vm", ".vm,A=1"], [".vm", ".vm,D=1"], [".vm,D=1", ".vm,D=1,A=1"],
      [".vm,D=3", ".vm,A=1"],
    ])
  func ofTwoFilesOfOneNoteTheOneWithMoreAttemptsCounts(rests: [String]) throws {
    let scene = try Scene()
    let id = try scene.capture()
    let bytes = try scene.sandbox.content("mail/outbox/new/\(id).vm")
    try scene.sandbox.remove("mail/outbox/new/\(id).vm")
    for rest in rests { try scene.put(bytes, "outbox/new/\(id)\(rest)") }
    for rest in rests { try scene.sandbox.setModified("mail/outbox/new/\(id)\(rest)", scene.now) }
    try scene.run()  // not due yet
    #expect(try scene.files().count == 2)
    scene.now += 86_400
    try scene.run(.refusesMessage(451, "4.3.0"))
    try scene.run(.accepts(), options: scene.options { $0.now = true })
    scene.now += 86_400
    try scene.run()
    #expect(try scene.files() == ["sent/cur/\(id).vm:2,S"])
  }

  // MARK: - Cancelled and renamed on the way

  enum Cancel: String, CaseIterable { case removed, trashed, movedOut }

  @Test(arguments: Cancel.allCases)
  func aNoteCancelledBeforeTheCommitPointIsNotSent(how: Cancel) throws {
    let scene = try Scene()
    let id = try scene.capture("cancelled")
    let good = try scene.capture("good")
    let path = "outbox/new/\(id).vm"
    let cancel = Play.accepts(before: {
      switch how {
      case .removed: try scene.sandbox.remove("mail/" + path)
      case .trashed: try scene.move(path, "outbox/cur/\(id).vm:2,T")
      case .movedOut: try scene.move(path, "sent/cur/\(id).vm:2,")
      }
    })
    let deliveries = try scene.run(cancel, .accepts())
    #expect(deliveries.map(\.committed) == [false, true])
    let left = try scene.files().filter { $0.contains(id.description) }
    switch how {
    case .removed: #expect(left == [])
    case .trashed: #expect(left == ["outbox/cur/\(id).vm:2,T"])
    case .movedOut: #expect(left == ["sent/cur/\(id).vm:2,"])
    }
    #expect(try scene.state().reason(for: id) == nil)
    #expect(
      scene.events == [
        .trying(id, left: 1), .trying(good, left: 0), .tried(good, Play.accepts().outcome),
      ])
  }

  @Test func aTrashedNoteIsNotTried() throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.move("outbox/new/\(id).vm", "outbox/cur/\(id).vm:2,ST")
    try scene.run()
    #expect(try scene.files() == ["outbox/cur/\(id).vm:2,ST"])
  }

  @Test(
    arguments: [
      (Play.accepts().outcome, "sent/cur/*.vm:2,S"),
      (Play.refusesMessage(451, "4.3.0").outcome, "outbox/cur/*.vm,D=1,U=3:2,S"),
      (Play.refusesMessage(554, "5.7.1").outcome, "failed/cur/*.vm:2,F"),
      (Play.answersNothing.outcome, "outbox/cur/*.vm,A=1,U=3:2,S"),
    ])
  func aFileRenamedDuringItsDeliveryIsFoundAgain(outcome: Outcome, file: String) throws {
    for moment in ["before", "after"] {
      let scene = try Scene()
      let id = try scene.capture()
      let before = {
        try scene.move("outbox/new/\(id).vm", "outbox/cur/\(id).vm,U=3:2,S")
      }
      let after = {
        try scene.move("outbox/new/\(id).vm,A=1", "outbox/cur/\(id).vm,A=1,U=3:2,S")
      }
      var play = Play(outcome: outcome, commits: true)
      if moment == "before" { play.before = before } else { play.after = after }
      try scene.run(play)
      #expect(try scene.files() == [file.replacing("*", with: id.description)], "\(moment)")
    }
  }

  @Test func aFileTakenAwayAfterTheCommitPointStopsNobody() throws {
    let scene = try Scene()
    let id = try scene.capture()
    let good = try scene.capture("good")
    try scene.run(
      .accepts(after: { try scene.sandbox.remove("mail/outbox/new/\(id).vm,A=1") }), .accepts())
    #expect(try scene.files() == ["sent/cur/\(good).vm:2,S"])
  }

  @Test func aNoteCapturedMeanwhileGoesInTheSameRun() throws {
    let scene = try Scene()
    try scene.capture("first")
    try scene.run(.accepts(after: { try scene.capture("second") }), .accepts())
    #expect(try scene.files().allSatisfy { $0.hasPrefix("sent/cur/") })
  }

  @Test func aNoteIsTriedOnceInARun() throws {
    let scene = try Scene()
    try scene.capture()
    // Due again at once, by its clock.
    try scene.run(
      .refusesRecipient(450, "4.2.1"), options: scene.options { $0.now = true })
  }

  @Test func theOwnersCopyInSentIsKept() throws {
    let scene = try Scene()
    let id = try scene.capture()
    let copy = "sent/cur/\(id).vm:2,S"
    try scene.run(.accepts(before: { try scene.put(octets("theirs"), copy) }))
    #expect(try scene.files() == [copy])
    #expect(try scene.sandbox.content("mail/" + copy) == octets("theirs"))
  }

  @Test func aSecondSenderGetsNoLock() throws {
    let scene = try Scene()
    let first = try scene.sender()
    let second = try scene.sender()
    let held = try first.lock()
    let other = try second.lock()
    #expect(held != nil ? true : false)
    #expect(other == nil ? true : false)
    held?.release()
  }
}
