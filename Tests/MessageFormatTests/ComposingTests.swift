@testable import MessageFormat
import Testing

@Suite struct ComposingTests {
  @Test func aShortNoteIsAPlainMessage() {
    #expect(
      Message(of: Note("buy milk")).bytes(lineEnds: .lf)
        == Array(
          """
          Date: Mon, 01 Jan 2024 00:50:48 +0100
          Message-ID: <018cc249-87c0-7707-8707-070707070707@example.org>
          Subject: buy milk
          Memo-ID: 018cc249-87c0-7707-8707-070707070707
          MIME-Version: 1.0
          Content-Type: text/plain; charset=utf-8
          Content-Transfer-Encoding: 7bit

          buy milk

          """.utf8))
  }

  @Test func anAttachmentMakesItMultipart() {
    let attachments = [
      Attachment(name: "notes/Übersicht.txt", content: Array("a\r\nb".utf8)),
      Attachment(name: "x.png", content: [0x89, 0x50]),
    ]
    let message = Message(of: Note("see\n", attachments: attachments))
    #expect(
      message.bytes(lineEnds: .lf)
        == Array(
          """
          Date: Mon, 01 Jan 2024 00:50:48 +0100
          Message-ID: <018cc249-87c0-7707-8707-070707070707@example.org>
          Subject: see
          Memo-ID: 018cc249-87c0-7707-8707-070707070707
          MIME-Version: 1.0
          Content-Type: multipart/mixed;
           boundary="=_018cc249-87c0-7707-8707-070707070707"
          Content-Transfer-Encoding: 7bit

          --=_018cc249-87c0-7707-8707-070707070707
          Content-Type: text/plain; charset=utf-8
          Content-Transfer-Encoding: 7bit

          see

          --=_018cc249-87c0-7707-8707-070707070707
          Content-Type: text/plain; charset=utf-8
          Content-Transfer-Encoding: base64
          Content-Disposition: attachment; filename*=utf-8''%C3%9Cbersicht.txt

          YQ0KYg==

          --=_018cc249-87c0-7707-8707-070707070707
          Content-Type: image/png
          Content-Transfer-Encoding: base64
          Content-Disposition: attachment; filename=x.png

          iVA=

          --=_018cc249-87c0-7707-8707-070707070707--

          """.utf8))
    #expect(message.attachments.map(\.name) == ["Übersicht.txt", "x.png"])
    #expect(message.attachments.map(\.content) == attachments.map(\.content))
  }

  // Case C01: dots are left to whoever speaks SMTP.
  @Test func caseC01DotsAreNotStuffed() {
    let text = ".first\nhello\n.\n..\n.hidden\nworld\n."
    let message = Message(of: Note(text))
    #expect(message.body == Array((text + "\n").utf8))
    #expect(message.text == text + "\n")
    let long = Message(of: Note(".é\n.\n..\n"))
    #expect(long.body == Array(".=C3=A9\n.\n..\n".utf8))
  }

  // Case C02.
  @Test(arguments: ["one\ntwo\n.\nthree", "one\r\ntwo\r\n.\r\nthree\r\n", "one\ntwo\r\n.\nthree\n"])
  func caseC02TheWireHasCRLFOnly(text: String) {
    let message = Message(of: Note(text))
    let wire = message.bytes(lineEnds: .crlf)
    #expect(bareLineEnds(wire) == 0)
    #expect(String(decoding: wire, as: UTF8.self).hasSuffix("\r\n\r\none\r\ntwo\r\n.\r\nthree\r\n"))
    #expect(message.text == "one\ntwo\n.\nthree\n")
  }

  @Test func caseC02ABareCRIsEncodedAndNeverOnTheWire() throws {
    let message = Message(of: Note("one\rtwo\r\r\nthree\r"))
    #expect(message.body == Array("one=0Dtwo=0D\nthree=0D\n".utf8))
    let foreign = try Message(parsing: Array("X: y\n\na\rb\r\n\rc\n.\r.\n".utf8))
    #expect(bareLineEnds(foreign.bytes(lineEnds: .crlf)) == 0)
  }

  // Case C03.
  @Test(arguments: ["\r\n", "\n", "\r"])
  func caseC03ALineEndInASubjectMakesNoField(end: String) {
    let subject = "Hi\(end)Bcc: evil@example.net\(end)\(end)body2"
    let names = Message(of: Note("x")).header.fields.map(\.name)
    for note in [Note("x", subject: subject), Note(subject)] {
      let message = Message(of: note)
      #expect(message.header.fields.map(\.name) == names)
      #expect(
        wireLines(message.bytes(lineEnds: .crlf)).count { $0.starts(with: Array("Bcc".utf8)) }
          == (note.subject == nil && end != "\r" ? 1 : 0))
    }
    #expect(Message(of: Note("x", subject: subject)).subject == "Hi Bcc: evil@example.net body2")
  }

  // Case C04.
  @Test func caseC04ALongLineComesBackWhole() {
    let text = "https://example.org/?q=" + String(repeating: "a", count: 3000)
    let message = Message(of: Note(text))
    #expect(wireLines(message.bytes(lineEnds: .crlf)).allSatisfy { $0.count <= 76 })
    #expect(message.text == text + "\n")
    #expect(message.subject == String(text.prefix(120)))
  }

  // Case C05; the words themselves are tested with the fields.
  @Test func caseC05ASubjectIsCutBetweenGraphemes() throws {
    let family = "👨‍👩‍👧‍👦"
    let subject = try #require(Message(of: Note(String(repeating: family, count: 500))).subject)
    #expect(subject.utf8.count <= 960)
    #expect(subject == String(repeating: family, count: 960 / family.utf8.count))
    let smiles = try #require(Message(of: Note(String(repeating: "😀", count: 500))).subject)
    #expect(smiles == String(repeating: "😀", count: 120))
    let endless = "e" + String(repeating: "\u{301}", count: 5000)
    let cut = try #require(Message(of: Note(endless)).subject)
    #expect(cut.utf8.count <= 960 && cut.utf8.count > 900 && endless.utf8.starts(with: cut.utf8))
  }

  // Case C06.
  @Test func caseC06NothingIsLostToARelayThatStripsBlanks() throws {
    let text = "caf\u{E9}\n-- \nend\t\nlast "
    for text in [text, "plain\n-- \n", String(repeating: "漢字", count: 40) + " \n-- \n"] {
      let stripped = wireLines(Message(of: Note(text)).bytes(lineEnds: .crlf)).map { line in
        line.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed() + [0x0D, 0x0A]
      }
      let received = try Message(parsing: Array(stripped.dropLast().joined()))
      #expect(received.text == (text.hasSuffix("\n") ? text : text + "\n"))
    }
  }

  // Case C07: the locale has no way in; what counts are the octets.
  @Test func caseC07TheBodyIsUTF8AndSevenBit() {
    let message = Message(of: Note("Br\u{FC}cke \u{6F22}\n"))
    #expect(message.contentType.mediaType == "text/plain")
    #expect(message.contentType["charset"] == "utf-8")
    #expect(message.bytes(lineEnds: .crlf).allSatisfy { $0 < 0x80 })
    #expect(message.text == "Br\u{FC}cke \u{6F22}\n")
  }

  // Case C08.
  @Test(arguments: ["a\0b\nsecond line\n", "\0first\nsecond line"])
  func caseC08NULIsShownAndTheOriginalKept(text: String) {
    let message = Message(of: Note(text))
    #expect(!message.bytes(lineEnds: .crlf).contains(0))
    #expect(message.text.contains("\u{2400}"))
    #expect(message.text.hasSuffix("second line\n"))
    #expect(
      message.attachments == [
        Attachment(
          name: "note.bin", contentType: "application/octet-stream", content: Array(text.utf8))
      ])
  }

  @Test func textThatIsNotUTF8IsShownRepairedAndTheOriginalKept() {
    let octets: [UInt8] = [0x61, 0xFF, 0x0A, 0xE2, 0x82, 0x0A, 0xED, 0xA0, 0x80]
    let message = Message(
      of: Note(octets: octets, attachments: [Attachment(name: "a", content: [1])]))
    #expect(message.text == "a\u{FFFD}\n\u{FFFD}\n\u{FFFD}\u{FFFD}\u{FFFD}\n")
    #expect(message.attachments.map(\.name) == ["note.bin", "a"])
    #expect(message.attachments.first?.content == octets)
  }
}

@Suite struct EncodingChoiceTests {
  @Test(arguments: [
    ("short\n", "7bit"), ("tab\tinside\n", "7bit"), ("a = b_c\n", "7bit"), ("\n\n", "7bit"),
    ("", "7bit"),
    (String(repeating: "x", count: 76), "7bit"),
    (String(repeating: "x", count: 77), "quoted-printable"),
    ("trailing \n", "quoted-printable"), ("trailing", "7bit"), ("trailing\t", "quoted-printable"),
    ("From me\n", "quoted-printable"), ("x\nFrom me\n", "quoted-printable"), ("Fromage\n", "7bit"),
    ("a\rb\n", "quoted-printable"), ("\u{1B}[2J", "quoted-printable"),
    ("ok \u{1B}[2J\u{7} well\n", "quoted-printable"),
    ("Brücke\n", "quoted-printable"), ("漢字\n", "base64"),
  ])
  func goesByWhatTheTextHolds(text: String, encoding: String) {
    let message = Message(of: Note(text))
    #expect(message.header.first(named: "Content-Transfer-Encoding")?.decodedText == encoding)
  }

  @Test func aBoundaryInTheTextIsNoBoundary() {
    let id = Note("").id
    for mark in ["--=_\(id)\n", "--=_\(id)--\n", "a\n--=_\(id)\nContent-Type: text/html\n\nb\n"] {
      let message = Message(of: Note(mark, attachments: [Attachment(name: "f", content: [1, 2])]))
      #expect(message.text == mark)
      #expect(message.attachments.map(\.content) == [[1, 2]])
    }
  }
}

@Suite struct SubjectTests {
  @Test(
    arguments: [
      ("first\nsecond", "first"), ("\n \t\n  second  \n", "second"), ("\r\n\r\nthird\r\n", "third"),
      ("\u{3000}\u{A0}\nreal", "real"), ("a\tb\u{1}\u{2}c", "a b c"), (" \n\t", nil), ("", nil),
      ("only\rone", "only one"), ("\u{7F}\u{85}x", "x"),
    ] as [(String, String?)])
  func isTheFirstLineWithAnythingToSee(text: String, subject: String?) {
    #expect(Message(of: Note(text)).subject == subject)
  }

  @Test func theOneGivenComesFirstAndAFilesNameLast() {
    let file = Attachment(name: "dir/a.txt", content: [])
    #expect(Message(of: Note("x", subject: " given\n ")).subject == "given")
    #expect(Message(of: Note("x", subject: " \n")).subject == "x")
    #expect(Message(of: Note("\n", attachments: [file])).subject == "a.txt")
    let long = String(repeating: "long ", count: 400) + "."
    #expect(Message(of: Note("x", subject: long)).subject == long)
  }

  @Test func aTornCharacterAtTheBoundIsLeftOut() {
    for pad in 0..<4 {
      let text = String(repeating: "x", count: pad) + String(repeating: "\u{301}", count: 2000)
      #expect(Message(of: Note(text)).subject?.contains("\u{FFFD}") == false)
    }
  }
}

@Suite struct NamesAndDomainsTests {
  @Test(arguments: [
    ("/etc/passwd", "passwd"), ("..\\..\\x.exe", "x.exe"), ("a\r\nb\0c\u{1B}.txt", "abc.txt"),
    ("..", "attachment"), ("", "attachment"), ("dir/", "attachment"), (" ", "attachment"),
    (".profile", ".profile"),
  ])
  func aFileNameHasNoFoldersOrControls(name: String, cleaned: String) {
    let message = Message(of: Note("x", attachments: [Attachment(name: name, content: [])]))
    #expect(message.attachments.map(\.name) == [cleaned])
  }

  @Test(arguments: [
    ("example.org", "example.org"), ("", "memo.invalid"), ("a b", "memo.invalid"),
    ("x>\r\nBcc: y", "memo.invalid"), ("münchen.example", "memo.invalid"),
    ("[127.0.0.1]", "[127.0.0.1]"),
  ])
  func whatIsNoDomainIsReplaced(domain: String, used: String) {
    let message = Message(composing: Note("x"), domain: domain)
    #expect(message.messageID == "<018cc249-87c0-7707-8707-070707070707@\(used)>")
  }

  @Test func messagesAreAttachedAsOctets() {
    for type in ["message/rfc822", "multipart/mixed", "nonsense", "x/y\r\nBcc: z"] {
      let file = Attachment(
        name: "m.eml", contentType: type, content: Array("A: b\r\n\r\n\rc".utf8))
      let message = Message(of: Note("x", attachments: [file]))
      #expect(message.attachments.map(\.contentType) == ["application/octet-stream"])
      #expect(message.attachments.map(\.content) == [file.content])
    }
  }
}
