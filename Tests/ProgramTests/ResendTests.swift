import Foundation
import TestSupport
import Testing

/// `memo resend`: a person's wish that a note goes, or goes once more.
@Suite struct ResendTests {
  private func sending() throws -> (Sandbox, FaultyServer) {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    return (sandbox, server)
  }

  /// Lets every note have been tried some seconds ago.
  private func letTimePass(_ sandbox: Sandbox) throws {
    for folder in Sandbox.Folder.allCases {
      for file in try sandbox.files(in: folder) { try sandbox.age(file, by: 10) }
    }
  }

  @Test func aSentNoteGoesAsANewOneThatRefersToIt() throws {
    let (sandbox, server) = try sending()
    try sandbox.write([0, 1, 2, 255], to: sandbox.root + "/a.bin")
    try sandbox.memo(
      "-s", "subject", "-a", sandbox.root + "/a.bin", "-", stdin: [0x61, 0xFF, 0x0A])
    try sandbox.memo("flush")
    try letTimePass(sandbox)
    let result = try sandbox.memo("resend", "@1")
    #expect(result.status == 0 && result.output + result.errors == "")
    #expect(try sandbox.counts() == [1, 1, 0])
    try sandbox.memo("flush")
    #expect(try sandbox.counts() == [0, 2, 0])
    let mails = try ParsedMail.parse(try server.accepted().map { unstuffed($0.bytes) })
    try #require(mails.count == 2)
    #expect(mails[0].note == mails[1].note && mails[0].subject == mails[1].subject)
    #expect(mails[0].names == mails[1].names && mails[1].names == ["note.bin", "a.bin"])
    #expect(mails[1].content(of: 0) == [0x61, 0xFF, 0x0A])
    #expect(mails[1].content(of: 1) == [0, 1, 2, 255])
    #expect(mails[0].messageID != mails[1].messageID && mails[1].defects == [])
    let text = String(decoding: try server.accepted()[1].bytes, as: UTF8.self)
    #expect(text.contains("References: \(mails[0].messageID)\r\n"))
    try sandbox.expectPrivate()
  }

  @Test func aNoteTriedAMomentAgoIsNotSentAgain() throws {
    let (sandbox, server) = try sending()
    for plan in ["", "dot=550", "dot=drop"] {
      try sandbox.memo("buy milk")
      try server.plan(plan)
      try sandbox.memo("flush")
    }
    #expect(try sandbox.counts() == [1, 1, 1])
    for (folder, name) in [(Sandbox.Folder.sent, "@3"), (.failed, "@2"), (.outbox, "@1")] {
      // A second ahead, so that a slow machine does not make it long ago.
      try sandbox.age(try #require(try sandbox.files(in: folder).first), by: -2)
      let early = try sandbox.memo("resend", name)
      #expect(early.status == 75)
      expectOneLine(early.errors, "\(name) was tried or sent again a moment ago")
    }
    #expect(try sandbox.counts() == [1, 1, 1])
  }

  @Test(arguments: ["; memo resend ID", "& memo resend ID; wait"])
  func aKeyPressedTwiceSendsOnce(second: String) throws {
    let (sandbox, server) = try sending()
    defer { withExtendedLifetime(server) {} }
    try sandbox.memo("buy milk")
    try sandbox.memo("flush")
    let id = try #require(try sandbox.files(in: .sent).first?.identifier)
    // Only presses that were quick enough on a busy machine say something.
    for _ in 0..<20 {
      try letTimePass(sandbox)
      let command = "memo resend ID \(second)".replacing("ID", with: id)
      let both = try run("/bin/sh", ["-c", command], environment: sandbox.environment)
      let waiting = try sandbox.files(in: .outbox)
      for file in waiting { try FileManager.default.removeItem(atPath: file.path) }
      guard both.seconds < 1.4 else { continue }
      #expect(waiting.count == 1)
      expectOneLine(both.errors, second.hasPrefix(";") ? "a moment ago" : "memo")
      return
    }
    Issue.record("no two presses within 1.4 seconds: the machine is too busy")
  }

  @Test func aFailedNoteGoesAgainAsItself() throws {
    let (sandbox, server) = try sending()
    try sandbox.memo("buy milk")
    try server.plan("dot=550")
    try sandbox.memo("flush")
    #expect(try sandbox.counts() == [0, 0, 1])
    try letTimePass(sandbox)
    let id = try #require(try sandbox.files(in: .failed).first?.identifier)
    let result = try sandbox.memo("resend", id)
    #expect(result.status == 0 && result.output + result.errors == "")
    #expect(try sandbox.counts() == [1, 0, 0])
    let file = try #require(try sandbox.files(in: .outbox).first)
    #expect(!String(decoding: try file.bytes(), as: UTF8.self).contains("Memo-Status"))
    #expect(try sandbox.memo("status").status == 0)
    try sandbox.memo("flush")
    #expect(try sandbox.files(in: .sent).map(\.identifier) == [id])
  }

  @Test func aWaitingNoteIsDueNowAndTheSenderIsStarted() throws {
    let (sandbox, server) = try sending()
    try sandbox.memo("buy milk")
    try server.plan("dot=drop")
    try sandbox.memo("flush")
    #expect(try sandbox.memo("log").output.contains("perhaps delivered"))
    try letTimePass(sandbox)
    try sandbox.memo("flush")
    #expect(try sandbox.counts() == [1, 0, 0])
    try sandbox.configure(
      server.configuration().replacing("after-capture = no", with: "after-capture = yes"))
    defer { sandbox.endSenders() }
    #expect(try sandbox.memo("resend", "@1").status == 0)
    try wait(for: "the note in sent/") { try sandbox.counts() == [0, 1, 0] }
    let mails = try ParsedMail.parse(try server.accepted().map { unstuffed($0.bytes) })
    #expect(mails.count == 2 && mails[0].messageID == mails[1].messageID)
  }

  @Test func severalNotesAreEachDoneOrTold() throws {
    let (sandbox, server) = try sending()
    for (note, plan) in [("one", "dot=550"), ("two", "")] {
      try sandbox.memo(note)
      try server.plan(plan)
      try sandbox.memo("flush")
    }
    #expect(try sandbox.counts() == [0, 1, 1])
    try letTimePass(sandbox)
    let result = try sandbox.memo("resend", "@2", "ffff", "@1", "@1")
    #expect(result.status == 66)
    expectOneLine(result.errors, "no note has the id ffff")
    #expect(try sandbox.counts() == [2, 1, 0])
    #expect(try sandbox.memo("resend").status == 64)
    #expect(try sandbox.memo("resend", "the parcel").status == 64)
  }

  @Test func aDamagedNoteIsNotSentAgain() throws {
    let (sandbox, _) = try sending()
    try sandbox.memo("buy milk")
    let file = try #require(try sandbox.files(in: .outbox).first)
    try sandbox.write(Array(try file.bytes().dropLast(100)), to: file.path)
    try sandbox.memo("flush")
    #expect(try sandbox.counts() == [0, 0, 1])
    try letTimePass(sandbox)
    let result = try sandbox.memo("resend", "@1")
    #expect(result.status == 66)
    expectOneLine(result.errors, "damaged")
    #expect(try sandbox.counts() == [0, 0, 1])
  }
}
