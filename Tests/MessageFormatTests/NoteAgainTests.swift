import Testing

@testable import MessageFormat

@Suite struct NoteAgainTests {
  private let id = NoteID(milliseconds: 2, random: Array(repeating: 2, count: 10))
  private let date = MessageDate(secondsSinceEpoch: 86_400, zoneOffset: 0)

  private func composed(
    _ text: [UInt8], subject: String? = nil, _ files: [MessageFormat.Attachment] = []
  )
    -> Message
  {
    let old = NoteID(milliseconds: 1, random: Array(repeating: 1, count: 10))
    let note = Note(
      id: old, date: MessageDate(secondsSinceEpoch: 0, zoneOffset: 0), subject: subject,
      text: text, attachments: files)
    return Message(composing: note, domain: "example.org")
  }

  @Test(
    arguments: [
      "buy milk", "Grüße\nmit\tTab und \r\n Ende ", "", "\n.\n..\nFrom x\n=_\u{1B}[m",
    ])
  func aNoteComesBackAsItWas(text: String) {
    let files = [MessageFormat.Attachment(name: "a.bin", content: Array(0...255))]
    let message = composed(Array(text.utf8), subject: text.isEmpty ? "s" : nil, files)
    let again = Note(again: message, id: id, date: date, account: "work")
    let second = Message(composing: again, domain: "example.org")
    #expect(second.text == message.text && second.subject == message.subject)
    #expect(second.attachments == files && again.account == "work")
    #expect(second.noteID == id && second.messageID == "<\(id)@example.org>")
    #expect(second.date == date)
    #expect(second.header.first(named: "References")?.decodedText == message.messageID)
    #expect(second.header.first(named: "In-Reply-To") == nil)
  }

  @Test func whatHadToBeRepairedGoesAsItWasCaptured() {
    for captured: [UInt8] in [[0x61, 0xFF, 0x62], [0x61, 0, 0x62, 0x0A]] {
      let again = Note(again: composed(captured), id: id, date: date, account: nil)
      #expect(again.text == captured && again.attachments == [])
      let second = Message(composing: again, domain: "example.org")
      #expect(second.attachments.map(\.name) == ["note.bin"])
      #expect(second.attachments.first?.content == captured)
    }
    // A file of that name that is not the text's original stays a file.
    let file = MessageFormat.Attachment(name: "note.bin", content: [1, 2, 3])
    let again = Note(
      again: composed([0x61], [file]), id: id, date: date, account: nil)
    #expect(again.attachments.map(\.content) == [[1, 2, 3]])
  }

  private func composed(_ text: [UInt8], _ files: [MessageFormat.Attachment]) -> Message {
    composed(text, subject: nil, files)
  }

  @Test func referencesGrowAndAreBounded() throws {
    var message = composed([0x61])
    var ids: [String] = []
    for number in 2...15 {
      ids.append(try #require(message.messageID))
      let id = NoteID(
        milliseconds: Int64(number), random: Array(repeating: UInt8(number), count: 10))
      message = Message(
        composing: Note(again: message, id: id, date: date, account: nil), domain: "example.org")
      let field = try #require(message.header.first(named: "References"))
      #expect(field.decodedText == ids.suffix(10).joined(separator: " "))
      let lines = message.bytes(lineEnds: .lf).split(separator: 0x0A)
      #expect(lines.allSatisfy { $0.count <= 78 })
    }
  }

  @Test func aHostileMessageIDBreaksNoHeader() throws {
    let octets = Array("Message-ID: <a@b>\u{1}\u{1B}[31m\r\n\tx\r\nSubject: s\r\n\r\nx\r\n".utf8)
    let message = try Message(parsing: octets)
    let again = Note(again: message, id: id, date: date, account: nil)
    let second = Message(composing: again, domain: "example.org")
    let reread = try Message(parsing: second.bytes(lineEnds: .crlf))
    #expect(reread.noteID == id && reread.text == "x\n")
    #expect(!second.bytes(lineEnds: .lf).contains(0x1B))
  }
}
