import Foundation
import TestSupport
import Testing

/// What reaches the server: one flush of notes that other senders were broken by.
@Suite struct WireTests {
  /// A note of the case bank.
  struct Case: Sendable {
    let name: String
    let note: String
  }

  static let cases = [
    Case(name: "C01", note: ".first\nhello\n.\n..\n.hidden\nworld\n."),
    Case(name: "C02", note: "one\ntwo\n.\nthree"),
    Case(name: "C04", note: "https://example.org/?q=" + String(repeating: "a", count: 3000) + "\n"),
    Case(name: "C06", note: "caf\u{E9}\n-- \nend\t\nlast "),
    Case(name: "C07", note: "Br\u{FC}cke \u{6F22}\n"),
    Case(name: "RFC 5321 4.5.2", note: ".\n"),
    Case(name: "CRLF", note: "one\r\ntwo\r\n"),
    Case(name: "empty lines at the end", note: "one\n\n\n\n"),
    Case(name: "From at the beginning", note: "From me\nFrom you\n>From them\n"),
    Case(name: "long ASCII words", note: String(repeating: "x", count: 77) + "\n=3D =\n"),
  ]

  @Test func theServerGetsEachNoteOnceAndWhole() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    for note in Self.cases { try sandbox.memo("-", stdin: Array(note.note.utf8)) }
    let result = try sandbox.memo("flush")
    #expect(result.status == 0)
    #expect(result.output + result.errors == "")
    let accepted = try server.accepted()
    try #require(accepted.count == Self.cases.count)
    let parsed = try ParsedMail.parse(accepted.map { unstuffed($0.bytes) })
    for (index, expected) in Self.cases.enumerated() {
      expectCleanLines(accepted[index].bytes, expected.name)
      let note = expected.note.replacing("\r\n", with: "\n")
      let atMostOneLineEndMore = [note, note + "\n"]
      #expect(atMostOneLineEndMore.contains(parsed[index].text), "\(expected.name)")
      #expect(parsed[index].defects == [], "\(expected.name)")
    }
    try expectOneTransactionEach(server)
    #expect(try sandbox.counts() == [0, Self.cases.count, 0])
    try sandbox.expectPrivate()
  }

  /// No bare CR or LF, no octet over 127, no NUL, no line over 76 columns but a dot's stuffing.
  private func expectCleanLines(_ bytes: [UInt8], _ name: String) {
    var previous: UInt8 = 0
    var (bareCR, bareLF) = (0, 0)
    for octet in bytes {
      if octet == 0x0a, previous != 0x0d { bareLF += 1 }
      if previous == 0x0d, octet != 0x0a { bareCR += 1 }
      previous = octet
    }
    #expect(bareCR == 0, "\(name)")
    #expect(bareLF == 0, "\(name)")
    #expect(bytes.allSatisfy { $0 > 0 && $0 < 0x80 }, "\(name)")
    let longest = bytes.split(separator: 0x0a).map(\.count).max() ?? 0
    #expect(longest <= 78, "\(name): \(longest)")
    #expect(bytes.suffix(2) == [0x0d, 0x0a], "\(name)")
    #expect(bytes.suffix(4) != [0x0d, 0x0a, 0x0d, 0x0a] || name.contains("empty"), "\(name)")
  }

  private func expectOneTransactionEach(_ server: FaultyServer) throws {
    let known = ["EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "QUIT"]
    var counts: [String: Int] = [:]
    for command in try server.connections().flatMap(\.commands) {
      let verb = String(command.prefix { $0 != " " })
      #expect(known.contains(verb), "stray command \(command)")
      counts[verb, default: 0] += 1
    }
    for verb in ["MAIL", "RCPT", "DATA"] { #expect(counts[verb] == Self.cases.count) }
  }

  @Test func theEnvelopeIsTheAccountsAndNothingOfMemosOwnIsSent() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(
      server.configuration().replacing("Jane Doe <", with: "\"Doe, Jane\" <")
        .replacing("[account]", with: "[account work]"))
    try sandbox.memo("-A", "work", "-s", "subject", "buy milk")
    let file = try #require(try sandbox.files(in: .outbox).first)
    try sandbox.memo("flush")
    let accepted = try #require(try server.accepted().first)
    #expect(accepted.envelope.from.hasPrefix("FROM:<me@test.example>"))
    #expect(accepted.envelope.rcpt == ["TO:<me@test.example>"])
    #expect(accepted.envelope.tls)
    let parsed = try ParsedMail.parse(unstuffed(accepted.bytes))
    #expect(parsed.from == [["Doe, Jane", "me@test.example"]])
    #expect(parsed.to == [["", "me@test.example"]])
    #expect(parsed.messageID == "<\(file.identifier)@test.example>")
    let allowed = [
      "Date", "From", "To", "Message-ID", "Subject", "Memo-ID", "MIME-Version", "Content-Type",
      "Content-Transfer-Encoding",
    ]
    #expect(parsed.fields.map { $0[0] }.filter { !allowed.contains($0) } == [])
  }

  /// An address that is corrected mends what waits.
  @Test func theEnvelopeIsThatOfTheAccountAsItIsNow() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.memo("before there is an account")
    try sandbox.configure(server.configuration())
    try sandbox.memo("flush")
    let parsed = try ParsedMail.parse(unstuffed(try #require(try server.accepted().first).bytes))
    #expect(parsed.to == [["", "me@test.example"]])
    #expect(parsed.messageID.hasSuffix("@memo.invalid>"))
  }

  /// C23: the Date is when the note was written, and stays, as the Message-ID does.
  @Test func aRetrySendsTheSameMessage() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    try sandbox.memo("buy milk")
    let captured = try sandbox.theOneWaiting()
    try server.plan("dot=drop", "dot=drop", "")
    for expected in [1, 2] {
      try sandbox.memo("flush")
      let file = try #require(try sandbox.files(in: .outbox).first)
      #expect(file.name.contains(",A=\(expected)"))
      // Nothing is sent again before its time.
      try sandbox.memo("flush")
      #expect(try server.accepted().count == expected)
      try sandbox.age(file, by: 3700)
    }
    try sandbox.memo("flush")
    #expect(try sandbox.counts() == [0, 1, 0])
    let copies = try server.accepted().map(\.bytes)
    #expect(copies.count == 3)
    #expect(Set(copies).count == 1)
    let parsed = try ParsedMail.parse(unstuffed(copies[0]))
    #expect(parsed.messageID == captured.messageID)
    #expect(parsed.values("Date") == captured.values("Date"))
  }
}
