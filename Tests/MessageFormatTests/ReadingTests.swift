@testable import MessageFormat
import Testing

@Suite struct ReadingTests {
  private func parse(_ text: String) throws -> Message {
    try Message(parsing: Array(text.utf8))
  }

  @Test func whatIsNoMessageIsRefused() {
    #expect(throws: MessageFormatError.empty) { try parse("") }
    for text in ["\n", "\r\n\r\nx", "no field", " continued: x", ": x", "From me\n"] {
      #expect(throws: MessageFormatError.noHeader) { try parse(text) }
    }
    #expect(throws: MessageFormatError.tooManyFields) {
      try parse(String(repeating: "A: b\n", count: 10_001))
    }
  }

  @Test(arguments: ["\n", "\r\n"])
  func foldsAndOldSyntaxAreRead(end: String) throws {
    let lines = [
      "From x Mon Jan  1 00:50:48 2024", "Subject : a", "\tb", "  ", " c", "EMPTY:", "", " body",
      "",
    ]
    let message = try parse(lines.joined(separator: end))
    #expect(message.header.fields.map(\.name) == ["Subject", "EMPTY"])
    #expect(message.subject?.split(separator: " ") == ["a\tb", "c"])
    #expect(message.body == Array(" body\n".utf8))
  }

  @Test func aLineThatIsNoFieldBeginsTheBody() throws {
    let message = try parse("Subject: x\nnot a field\nTo: y\n\nz")
    #expect(message.header.fields.count == 1)
    #expect(message.text == "not a field\nTo: y\n\nz")
  }

  @Test func whatWasReadIsWrittenBackTheSame() throws {
    let text = "subject:x\nX-A:  two\n \t three  \nTo: é\n\nbody\n\n--x\n"
    #expect(try parse(text).bytes(lineEnds: .lf) == Array(text.utf8))
    let wire = text.replacing("\n", with: "\r\n")
    #expect(try parse(wire).bytes(lineEnds: .crlf) == Array(wire.utf8))
  }

  @Test(arguments: [
    ("utf-8", "8bit", "é\r\n", "é\n"), ("us-ascii", "7BIT", "x", "x"),
    ("utf-8", "base64", "w6kNCg==", "é\n"),
    ("iso-8859-1", "quoted-printable", "=E9=80", "é\u{80}"),
    ("ISO-8859-15", "Quoted-Printable", "=A4", "€"),
    ("windows-1252", "quoted-printable", "=80=E9", "€é"),
    ("unheard-of", "quoted-printable", "=C3=A9=FF", "é\u{FFFD}"),
    ("utf-8", "unheard-of", "as it is=3D", "as it is=3D"),
  ])
  func textIsDecoded(charset: String, encoding: String, body: String, text: String) throws {
    let message = try parse(
      "Content-Type: text/plain; charset=\(charset)\r\nContent-Transfer-Encoding: \(encoding)\r\n\r\n\(body)"
    )
    #expect(message.text == text)
    #expect(message.attachments.isEmpty)
  }

  // RFC 2046 §5.1.1: the two parts of the example, the first implicitly typed.
  @Test func partsAreFoundBetweenBoundaries() throws {
    let message = try parse(
      """
      Content-type: multipart/mixed; boundary="simple boundary"

      This is the preamble.
      --simple boundarynot
      --simple boundary

      This is implicitly typed.
      It does NOT end with a linebreak.
      --simple boundary \t
      Content-type: text/plain; charset=us-ascii; name=b.txt

      It DOES end with a linebreak.

      --simple boundary--

      --simple boundary
      This is the epilogue.
      """)
    #expect(message.text == "This is implicitly typed.\nIt does NOT end with a linebreak.")
    #expect(
      message.attachments == [
        Attachment(
          name: "b.txt", contentType: "text/plain",
          content: Array("It DOES end with a linebreak.\n".utf8))
      ])
  }

  @Test func partsInPartsAndCutOnesAreRead() throws {
    let message = try parse(
      """
      Content-Type: multipart/mixed; boundary=a

      --a
      Content-Type: multipart/alternative; boundary=b

      --b
      Content-Type: text/html

      <p>
      --b
      Content-Type: text/plain

      text
      --b--
      --a
      Content-Type: image/png; name="../x.png"
      Content-Transfer-Encoding: base64

      iVBO
      """)
    #expect(message.text == "text")
    #expect(message.attachments.map(\.name) == ["attachment", "x.png"])
    #expect(message.attachments.last?.content == [0x89, 0x50, 0x4E])
  }

  @Test func nestingAndPartsAreBounded() throws {
    var nested = "Content-Type: multipart/mixed; boundary=b0\n\n"
    for depth in 0..<200 {
      nested += "--b\(depth)\nContent-Type: multipart/mixed; boundary=b\(depth + 1)\n\n"
    }
    #expect(try parse(nested).parts.count == 1)
    let many =
      "Content-Type: multipart/mixed; boundary=b\n\n"
      + String(repeating: "--b\n\nx\n", count: 5_000)
    #expect(try parse(many).parts.count == PartReader.maximumCount)
  }
}

@Suite struct HeaderProtectionTests {
  private let outer = Header([
    HeaderField("Date", structured: "Mon, 01 Jan 2024 00:50:48 +0100"),
    HeaderField(
      "Message-ID", structured: "<018cc249-87c0-7707-8707-070707070707@a-long-name.example.org>"),
    HeaderField("Subject", unstructured: "[...]"),
    HeaderField("Memo-Account", structured: "work"),
    HeaderField("MIME-Version", structured: "1.0"),
    HeaderField("Content-Type", structured: "multipart/encrypted"),
  ])

  @Test func marksTheEntityAndTellsWhatIsSeenOutside() throws {
    let message = Message(of: Note("secret plan\n")).protected(outer: outer)
    let text = String(decoding: message.bytes(lineEnds: .lf), as: UTF8.self)
    #expect(
      text == """
        Date: Mon, 01 Jan 2024 00:50:48 +0100
        Message-ID: <018cc249-87c0-7707-8707-070707070707@example.org>
        Subject: secret plan
        Memo-ID: 018cc249-87c0-7707-8707-070707070707
        MIME-Version: 1.0
        Content-Type: text/plain; charset=utf-8;
         hp="cipher"; protected-headers="v1"
        Content-Transfer-Encoding: 7bit
        HP-Outer: Date: Mon, 01 Jan 2024 00:50:48 +0100
        HP-Outer: Message-ID:
         <018cc249-87c0-7707-8707-070707070707@a-long-name.example.org>
        HP-Outer: Subject: [...]

        secret plan

        """)
    #expect(message.contentType["hp"] == "cipher")
    #expect(message.contentType["protected-headers"] == "v1")
    #expect(message.isHeaderProtected)
    #expect(message.text == "secret plan\n")
  }

  @Test func comesOffWithoutATrace() throws {
    var random = SeededRandom(seed: 8)
    for _ in 0..<200 {
      let files =
        random.oneIn(2)
        ? [Attachment(name: SampleText.line(&random), content: random.octets(9))] : []
      let message = Message(of: Note(SampleText.make(&random), attachments: files))
      let wire = message.protected(outer: outer).bytes(lineEnds: .crlf)
      let back = try Message(parsing: wire).unprotected()
      #expect(back.bytes(lineEnds: .crlf) == message.bytes(lineEnds: .crlf))
      #expect(!back.isHeaderProtected)
      #expect(message.unprotected() == message)
      #expect(
        message.protected(outer: outer).protected(outer: outer) == message.protected(outer: outer))
    }
  }

  @Test func aForeignMarkComesOffToo() throws {
    let text =
      "Content-Type: text/plain; hp=cipher; charset=utf-8\nHP-Outer: Subject: [...]\nSubject: x\n\ny"
    let message = try Message(parsing: Array(text.utf8)).unprotected()
    #expect(message.header.fields.map(\.name) == ["Content-Type", "Subject"])
    #expect(message.header.first(named: "Content-Type")?.decodedText == "text/plain; charset=utf-8")
  }
}
