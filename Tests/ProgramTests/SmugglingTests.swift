import Foundation
import TestSupport
import Testing

/// A second message hidden in the first, by what some server may take for the end of the data
/// (RELIABILITY row 13; RFC 5321 §4.1.1.4 knows only CRLF.CRLF).
@Suite struct SmugglingTests {
  static let ends = [
    "\n.\n", "\r\n.\n", "\n.\r\n", "\r.\r", "\r\n.\r", "\r.\r\n", "\r\n.\r\n", "\n.\r", "\r.\n",
    "\u{0}\r\n.\r\n", "\r\n\u{0}.\r\n", "\r\n.\u{0}\r\n", "\r\n..\r\n", "\n\n.\n\n",
  ]
  static let hidden =
    "MAIL FROM:<admin@test.example>\r\nRCPT TO:<other@test.example>\r\nDATA\r\n"
    + "Subject: smuggled\r\n\r\nsmuggled\r\n.\r\n"

  /// A note for each end, with it in the text, in the subject and in an attachment.
  private func capture(in sandbox: Sandbox) throws {
    for (number, end) in Self.ends.enumerated() {
      let file = sandbox.root + "/file-\(number)"
      try sandbox.write(content(end), to: file)
      // A NUL cannot be in an argument of a program.
      let subject = "number \(number)" + end.replacing("\u{0}", with: "") + "Bcc: x@test.example"
      let result = try sandbox.memo("-s", subject, "-a", file, "-", stdin: text(number, end))
      #expect(result.status == 0)
    }
  }

  private func content(_ end: String) -> [UInt8] { Array(("begin" + end + Self.hidden).utf8) }

  private func text(_ number: Int, _ end: String) -> [UInt8] {
    Array("note \(number)".utf8) + content(end)
  }

  /// What a reader gets of a note: each line end becomes the one of the wire.
  private func expectWhole(_ messages: [[UInt8]], _ server: String) throws {
    let parsed = try ParsedMail.parse(messages)
    #expect(parsed.count == Self.ends.count, "\(server)")
    for (number, end) in Self.ends.enumerated() {
      let name: Comment = "\(server): \(end.debugDescription)"
      let mail = try #require(parsed.first { $0.text.hasPrefix("note \(number)begin") }, name)
      #expect(mail.text.contains("Subject: smuggled"), name)
      // A text with a NUL is an attachment, too, before the other one.
      #expect(mail.content(of: mail.attachments.count - 1) == content(end), name)
      #expect(mail.to == [["", "me@test.example"]], name)
      #expect(mail.subject.hasPrefix("number \(number)"), name)
      #expect(mail.values("Bcc") == [], name)
      #expect(mail.defects == [], name)
    }
  }

  @Test(
    .enabled(if: MailServer.unavailable == nil, "needs root and namespaces"),
    arguments: MailServer.Kind.allCases)
  func oneMailEach(through kind: MailServer.Kind) throws {
    let sandbox = try Sandbox()
    let server = try MailServer(kind, in: sandbox)
    try sandbox.configure(server.configuration())
    try capture(in: sandbox)
    #expect(try sandbox.memo("flush").status == 0)
    #expect(try sandbox.counts() == [0, Self.ends.count, 0])
    try expectWhole(try server.waitForDelivery(of: Self.ends.count), kind.rawValue)
  }

  @Test func oneMailEachThroughAServerThatTakesAnything() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    try capture(in: sandbox)
    #expect(try sandbox.memo("flush").status == 0)
    let accepted = try server.accepted()
    try expectWhole(accepted.map { unstuffed($0.bytes) }, "faulty")
    for message in accepted {
      #expect(message.envelope.rcpt == ["TO:<me@test.example>"])
      #expect(hasOnlyWholeLineEnds(message.bytes))
    }
  }

  private func hasOnlyWholeLineEnds(_ bytes: [UInt8]) -> Bool {
    let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
    return lines.dropLast().allSatisfy { $0.last == 0x0d && !$0.dropLast().contains(0x0d) }
      && lines.last == [] && lines.allSatisfy { $0.count <= 999 }
  }
}
