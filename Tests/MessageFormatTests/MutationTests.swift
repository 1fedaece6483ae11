@testable import MessageFormat
import Testing

/// Messages damaged at random: whatever is in them, reading ends, and does not trap.
@Suite struct MutationTests {
  private static let tokens = [
    "\n", "\r", "\r\n", "\n\n", "\0", "=?", "?=", "=?utf-8?q?", "=?utf-8?b?", ";", "\"", "\\", "(",
    ")", "<", ">",
    "@", ",", "*0*=", "*", "'", "%", "%F", "=", "=\n", "--", "--=_",
    "\nContent-Type: multipart/mixed; boundary=",
    "\nContent-Transfer-Encoding: base64\n", "\nContent-Transfer-Encoding: quoted-printable\n",
    "\u{FFFD}", "From ",
    "hp=\"cipher\"", "\n ", ":", "99999999999999999999", "*99999999999999999999*=", "*-1=",
  ].map { Array($0.utf8) }

  private func seeds(_ random: inout SeededRandom) -> [[UInt8]] {
    let outer = Header([HeaderField("Subject", unstructured: "[...]")])
    return (0..<60).map { _ in
      let files = (0..<random.below(3)).map { _ in
        Attachment(name: SampleText.scalars(&random, 30), content: random.octets(random.below(60)))
      }
      let text = Array(SampleText.make(&random).utf8.prefix(300))
      let message = Message(
        of: Note(octets: text, subject: SampleText.line(&random), attachments: files))
      let isProtected = random.oneIn(3)
      return (isProtected ? message.protected(outer: outer) : message)
        .bytes(lineEnds: random.oneIn(2) ? .lf : .crlf)
    }
  }

  private func mutate(_ octets: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var octets = octets
    for _ in 0...random.below(6) {
      let place = random.below(octets.count + 1)
      switch random.below(5) {
      case 0: octets.removeLast(octets.count - place)
      case 1 where place < octets.count: octets[place] = UInt8(random.below(256))
      case 2 where place < octets.count: octets.remove(at: place)
      case 3: octets.removeSubrange(place..<min(place + random.below(40), octets.count))
      default: octets.insert(contentsOf: random.pick(Self.tokens), at: place)
      }
    }
    return octets
  }

  @Test func damagedMessagesAreReadAndWrittenBack() {
    var random = SeededRandom(seed: 9)
    let seeds = seeds(&random)
    var readable = 0
    for _ in 0..<12_000 {
      let octets = mutate(random.pick(seeds), &random)
      guard let message = try? Message(parsing: octets) else { continue }
      readable += 1
      let size = message.attachments.reduce(message.text.utf8.count) { $0 + $1.content.count }
      #expect(size <= octets.count * 3)
      #expect(!message.header.fields.contains { $0.decodedText.utf8.contains(0x0A) })
      _ = (message.date, message.noteID, message.messageID, message.unprotected())
      if let from = message.subject { _ = try? Mailbox(parsing: from) }
      let wire = message.bytes(lineEnds: .crlf)
      if readable.isMultiple(of: 10) { #expect(bareLineEnds(wire) == 0) }
      if !message.body.contains(0x0D) { #expect((try? Message(parsing: wire)) == message) }
    }
    #expect(readable > 10_000)
  }

  @Test func damagedFieldsAreRead() {
    var random = SeededRandom(seed: 10)
    let seeds = [
      "Mon, 01 Jan 2024 00:50:48 +0100 (CET)", "Jane \"JD\" Doe <me@example.org>",
      "multipart/mixed; boundary=\"=_x\"; name*0*=utf-8''%C3%BC; name*1=b", "=?utf-8?q?a=C3=BC?= b",
      "018cc249-87c0-7707-8707-070707070707",
    ].map { Array($0.utf8) }
    var read = 0
    for _ in 0..<8_000 {
      let octets = mutate(random.pick(seeds), &random)
      let text = String(decoding: octets, as: UTF8.self)
      if let date = MessageDate(parsing: text) {
        read += 1
        #expect(MessageDate(parsing: date.description) == date)
      }
      if let mailbox = try? Mailbox(parsing: text) {
        read += 1
        #expect((try? Mailbox(parsing: mailbox.headerText)) == mailbox)
      }
      if let type = ContentType(parsing: text) {
        read += 1
        #expect(ContentType(parsing: type.field.body)?.mediaType == type.mediaType)
      }
      let field = HeaderField("Subject", unstructured: text)
      #expect(field.decodedText == HeaderText.cleaned(text))
      _ = (
        NoteID(text), NoteID(utf8: octets), Base64.decode(octets), QuotedPrintable.decode(octets)
      )
    }
    #expect(read > 800)
  }

  /// Input made to be slow: each of these took a hundred times its length, were it quadratic.
  @Test(arguments: [
    "Subject: " + String(repeating: "=?utf-8?q?a?= ", count: 20_000),
    "Subject: " + String(repeating: "=?", count: 100_000),
    "Content-Type: a/b; x=" + String(repeating: " (", count: 100_000),
    "Content-Type: a/b" + String(repeating: ";x*0=\"", count: 30_000),
    "Content-Type: a/b" + String(repeating: ";", count: 200_000),
    "Content-Type: a/b; x=" + String(repeating: "\\\"", count: 100_000),
    "Date: " + String(repeating: "(", count: 200_000),
    "X: " + String(repeating: "y\n ", count: 60_000),
    "Content-Transfer-Encoding: quoted-printable\n\n" + String(repeating: "= ", count: 100_000),
  ])
  func hostileInputTakesLinearTime(text: String) throws {
    let start = ContinuousClock.now
    let message = try Message(parsing: Array(text.utf8))
    _ = (message.subject, message.contentType, message.date, message.text, message.attachments)
    _ = message.header.fields.map(\.decodedText)
    #expect(ContinuousClock.now - start < .seconds(20))
  }
}
