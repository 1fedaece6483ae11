import MessageFormat
import TestSupport
import Testing

@testable import Outbox

@Suite struct ReasonTests {
  /// A reason written into a header and read back from the octets.
  private func roundTrip(_ reason: Reason) throws -> Reason? {
    let header = Header([HeaderField("Date", structured: "now")] + reason.fields)
    let bytes = Message(header: header, body: octets("x\n")).bytes(lineEnds: .lf)
    let message = try Message(parsing: bytes)
    #expect(message.body == octets("x\n"))
    #expect(message.header.fields.allSatisfy { $0.name == "Date" || $0.name.hasPrefix("Memo-") })
    return Reason(message.header)
  }

  static let kinds: [Reason.Kind] =
    Outcome.Stage.allCases.flatMap { [.deferred($0), .rejected($0)] }
    + Trouble.Cause.allCases.flatMap { [.trouble($0), .unknown($0)] }
    + [.tooOld, .unanswered, .damaged]

  @Test(arguments: kinds) func everyKindIsReadBack(kind: Reason.Kind) throws {
    let reply = Reply(code: 451, lines: ["4.7.1 one", "4.7.1 two"])
    for reason in [
      Reason(kind), Reason(kind, reply: reply), Reason(kind, detail: "no such host"),
      Reason(kind, reply: reply, detail: "57"),
    ] {
      #expect(try roundTrip(reason) == reason)
    }
  }

  struct Text: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    /// What is read back, where that is not the same.
    var kept: String?
  }

  // RELIABILITY rows 14 and 15: replies are the server's, and never more than one field.
  static let texts = [
    Text(
      testDescription: "CR LF", text: "5.1.1 a\r\nBcc: evil@example.net",
      kept: "5.1.1 a Bcc: evil@example.net"),
    Text(testDescription: "LF", text: "a\n\nb", kept: "a b"),
    Text(testDescription: "CR", text: "a\rb", kept: "a b"),
    Text(testDescription: "NUL", text: "a\0b", kept: "a b"),
    Text(testDescription: "ESC", text: "\u{1B}[31mno\u{1B}[0m", kept: "[31mno [0m"),
    Text(testDescription: "C1, DEL, U+2028", text: "a\u{9B}b\u{7F}c\u{2028}d", kept: "a b c d"),
    Text(testDescription: "bidi override", text: "a\u{202E}b"),
    Text(testDescription: "not ASCII", text: "Größe überschritten 漢字 😀"),
    Text(testDescription: "like an encoded-word", text: "=?utf-8?Q?x?= =?"),
    Text(testDescription: "blanks", text: "  two  blanks  "),
    Text(testDescription: "empty", text: ""),
    Text(testDescription: "one word of 5,000", text: String(repeating: "x", count: 5000)),
    Text(testDescription: "5,000 of words", text: String(repeating: "wörd ", count: 1000) + "."),
    Text(testDescription: "5,000 blanks", text: "a" + String(repeating: " ", count: 5000) + "b"),
    Text(testDescription: "a code in it", text: "550 5.1.1 no"),
  ]

  @Test(arguments: texts) func aHostileReplyStaysOneField(_ fixture: Text) throws {
    let reason = Reason(.rejected(.rcpt), reply: Reply(code: 550, lines: [fixture.text, "next"]))
    let fields = reason.fields
    #expect(fields.count == 3)
    let read = try #require(try roundTrip(reason))
    #expect(read.reply?.code == 550)
    #expect(read.reply?.lines.count == 2)
    let kept = fixture.kept ?? fixture.text
    // A run of controls at either end becomes a space, which may go.
    #expect(read.reply?.lines.first?.trimmed == kept.trimmed)
    #expect(read.reply?.lines.last == "next")
    let bytes = Message(header: Header(fields), body: []).bytes(lineEnds: .lf)
    #expect(bytes.allSatisfy { $0 == 10 || (0x20..<0x7F).contains($0) })
    #expect(bytes.split(separator: 10).allSatisfy { $0.count <= 998 })
  }

  @Test func manyLinesAreKeptInTheirOrder() throws {
    let lines = (1...100).map { "5.7.1 line \($0)" }
    let reason = Reason(.rejected(.message), reply: Reply(code: 554, lines: lines))
    #expect(try roundTrip(reason) == reason)
  }

  @Test(
    arguments: [
      nil, "", " ", "new-kind", "rejected", "rejected nowhere 550", "trouble x", "Rejected rcpt",
    ])
  func anUnknownStatusIsNoReasonOrTheNearestOne(status: String?) {
    let header = Header(status.map { [HeaderField("Memo-Status", unstructured: $0)] } ?? [])
    switch status {
    case "rejected": #expect(Reason(header)?.kind == .rejected(.message))
    case "rejected nowhere 550": #expect(Reason(header)?.reply?.code == 550)
    case "trouble x": #expect(Reason(header)?.kind == .trouble(.aborted))
    default: #expect(Reason(header) == nil)
    }
  }

  @Test func aReasonIsTakenOutOfAHeaderWhole() {
    let reason = Reason(.rejected(.rcpt), reply: Reply(code: 550, lines: ["a", "b"]), detail: "d")
    let date = HeaderField("Date", structured: "now")
    let header = Header([date] + reason.fields)
    #expect(Reason.removed(from: header) == Header([date]))
  }

  @Test func anAcceptedMessageHasNoReason() {
    #expect(Reason(Outcome.accepted(Reply(code: 250, lines: ["ok"]))) == nil)
  }

  // RFC 2034 §4, RFC 3463 §2.
  @Test(
    arguments: [
      ("5.7.1 text", "5.7.1"), ("4.4.2", "4.4.2"), ("2.0.0 ok", "2.0.0"),
      ("5.7.139 x", "5.7.139"), ("5.7.1", "5.7.1"), ("5.07.1 x", "5.7.1"),
      ("3.1.1 x", nil), ("5.7 x", nil), ("5.7.1.1 x", nil), ("5.7.1000 x", nil), ("5..1 x", nil),
      ("5.7.1: x", nil), (" 5.7.1 x", nil), ("x 5.7.1", nil), ("", nil), ("5.７.1 x", nil),
      ("5.-1.1", nil),
    ] as [(String, String?)])
  func theEnhancedStatusCodeBeginsTheFirstLine(line: String, code: String?) {
    #expect(Reply(code: 550, lines: [line, "5.9.9"]).enhancedStatusCode?.description == code)
  }
}

extension String {
  fileprivate var trimmed: Substring {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
}
