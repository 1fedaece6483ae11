import Outbox
import Testing

@testable import Submission

/// What is read of a server's lines, and how a message is given.
@Suite struct ReadingTests {
  private func read(_ lines: String...) -> [Reply?] { read(lines) }

  private func read(_ lines: [String]) -> [Reply?] {
    var reader = ReplyReader()
    return lines.map { reader.read(wire($0).span) }
  }

  /// C11.
  @Test func everyLineOfAReplyIsKept() {
    let replies = read(
      "554-5.7.1 [192.0.2.7] policy\r\n", "554-5.7.1 see https://example.org/why\r\n",
      "554 5.7.1 ref 42-abc\r\n")
    #expect(
      replies.last
        == Reply(
          code: 554,
          lines: [
            "5.7.1 [192.0.2.7] policy", "5.7.1 see https://example.org/why", "5.7.1 ref 42-abc",
          ]))
    #expect(replies.dropLast().allSatisfy { $0 == nil })
  }

  @Test func oddLinesAreReadAsLibcurlReadsThem() {
    #expect(read("250\r\n") == [Reply(code: 250, lines: [""])])
    #expect(read("250 ok\n") == [Reply(code: 250, lines: ["ok"])])
    #expect(read("250\n", "25 \r\n", "junk\r\n", "", "\r\n", "2 50 x\r\n").allSatisfy { $0 == nil })
    #expect(read("250-a\r\n", "junk\r\n", "250 b\r\n").last == Reply(code: 250, lines: ["a", "b"]))
  }

  @Test func invalidUTF8IsRepaired() {
    var reader = ReplyReader()
    let line: [UInt8] = wire("550 a") + [0xFF, 0xC3] + wire("b\r\n")
    let reply = reader.read(line.span)
    #expect(reply == Reply(code: 550, lines: ["a\u{FFFD}\u{FFFD}b"]))
  }

  @Test func aLongReplyIsKeptToItsBeginning() {
    let lines = (0..<200).map { "550-\($0)\r\n" }
    let last = "550 " + String(repeating: "x", count: 5000) + "\r\n"
    let replies = read(lines + [last, last])
    #expect(replies.prefix(200).allSatisfy { $0 == nil })
    #expect(replies[200]?.lines == (0..<64).map { "\($0)" })
    #expect(replies[201]?.lines == [String(repeating: "x", count: 1000)])
  }

  private func capabilities(_ lines: String...) -> Capabilities {
    var capabilities = Capabilities()
    for line in lines { capabilities.read(wire(line)) }
    return capabilities
  }

  /// C19.
  @Test func theOfferIsReadFromEHLO() {
    let many = capabilities(
      "mx.example.org", "SIZE 1000", "AUTH GSSAPI NTLM DIGEST-MD5 PLAIN LOGIN")
    #expect(many.allows(.automatic) && many.allows(.plain) && many.allows(.login))
    #expect(many.sizeLimit == 1000)
    let login = capabilities("AUTH LOGIN")
    #expect(login.allows(.automatic) && login.allows(.login) && !login.allows(.plain))
    let strange = capabilities("AUTH CRAM-MD5X FOO", "size 0")
    #expect(!strange.allows(.automatic))
    #expect(strange.offered == ["CRAM-MD5X", "FOO"])
    #expect(strange.sizeLimit == nil)
  }

  @Test(arguments: ["auth PLAIN", "AUTH plain", "AUTH=PLAIN LOGIN", "AUTH", "XAUTH PLAIN", ""])
  func whatLibcurlDoesNotSeeIsNotOffered(_ line: String) {
    #expect(!capabilities(line).allows(.automatic))
  }

  @Test func aSizeInSmallLettersCounts() {
    #expect(capabilities("size 20").sizeLimit == 20)
    #expect(capabilities("SIZE").sizeLimit == nil)
    #expect(capabilities("SIZE x").sizeLimit == nil)
  }

  @Test func theLastPieceIsKnown() {
    var source = MessageSource([1, 2, 3, 4, 5])
    #expect(source.next(atMost: 2) == .more([1, 2]))
    #expect(source.next(atMost: 2) == .more([3, 4]))
    #expect(source.next(atMost: 2) == .last([5]))
    #expect(source.next(atMost: 2) == .nothing)
    var whole = MessageSource([1, 2])
    #expect(whole.next(atMost: 2) == .last([1, 2]))
  }

  /// C02, and the smuggling forms.
  @Test(arguments: [
    "", "a", "a\n", "a\r", "a\nb\r\n", "a\rb\r\n", "a\r\n.\n", "a\r\r\n", "a\n\r\n", "a\0b\r\n",
    "a\r\n\n", "a\r\nb",
  ])
  func aMessageNotInWireFormIsSeen(_ text: String) {
    #expect(!MessageSource.isWireForm(wire(text)))
  }

  @Test func aMessageInWireFormIsTaken() {
    #expect(MessageSource.isWireForm(wire("\r\n")))
    #expect(MessageSource.isWireForm(wire("a: b\r\n\r\n.\r\n..\r\n\r\n")))
  }

  @Test(
    arguments: [
      ("EHLO x\r\n", .step(.ehlo)), ("HELO x\r\n", .step(.ehlo)),
      ("STARTTLS\r\n", .step(.startTLS)),
      ("AUTH PLAIN\r\n", .step(.login)), ("MAIL FROM:<a@b>\r\n", .step(.mail)),
      ("RCPT TO:<a@b>\r\n", .step(.rcpt)), ("DATA\r\n", .step(.data)), ("QUIT\r\n", .quit),
      ("AG1lAHM=\r\n", nil), ("MAIL\r\n", nil), ("DATAQUIT\r\n", nil), ("", nil),
    ] as [(String, Command?)])
  func aCommandIsKnownByItsVerb(line: String, command: Command?) {
    let known = Command(wire(line).span)
    #expect(known == command)
  }
}
