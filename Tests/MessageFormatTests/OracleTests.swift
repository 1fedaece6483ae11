import Foundation
import MessageFormat
import Testing

/// Python's `email` package reads what memo writes, and memo reads what Python writes.
@Suite struct OracleTests {
  /// A note and what is to be read from its message.
  private struct Case {
    let note: Note
    let name: String

    /// The text to be shown: repaired, lines ended with LF.
    var text: String {
      var text = String(decoding: note.text, as: UTF8.self)
      text = text.replacingOccurrences(of: "\0", with: "\u{2400}", options: .literal)
      text = text.replacingOccurrences(of: "\r\n", with: "\n", options: .literal)
      return text.utf8.isEmpty || text.utf8.last == 0x0A ? text : text + "\n"
    }

    var attachments: [MessageFormat.Attachment] {
      let isWhole = String(validating: note.text, as: UTF8.self) != nil && !note.text.contains(0)
      let original = Attachment(
        name: "note.bin", contentType: "application/octet-stream", content: note.text)
      return (isWhole ? [] : [original]) + note.attachments
    }
  }

  private func makeCases(_ count: Int) -> [Case] {
    var random = SeededRandom(seed: 20_240_101)
    return (0..<count).map { _ in makeCase(&random) }
  }

  private func makeCase(_ random: inout SeededRandom) -> Case {
    var text = Array(SampleText.make(&random).utf8)
    if random.oneIn(12) {
      text.insert(contentsOf: random.octets(3), at: random.below(text.count + 1))
    }
    if random.oneIn(20) { text.insert(0, at: random.below(text.count + 1)) }
    let date = MessageDate(
      secondsSinceEpoch: Int64.random(in: 0...4_102_444_800, using: &random),
      zoneOffset: Int.random(in: -840...840, using: &random) * 60)
    let subject = random.oneIn(3) ? printable(SampleText.line(&random)) : nil
    let note = Note(
      id: NoteID(milliseconds: date.secondsSinceEpoch * 1000, random: random.octets(10)),
      date: date,
      subject: subject, text: text,
      attachments: (0..<random.pick([0, 0, 1, 3])).map { _ in file(&random) })
    return Case(
      note: note, name: printable(SampleText.scalars(&random, 20) + random.pick(SampleText.words)))
  }

  private func file(_ random: inout SeededRandom) -> MessageFormat.Attachment {
    let parts = (0..<random.below(8)).map { _ in random.pick(SampleText.words) } + ["f"]
    let name = printable(parts.joined(separator: random.pick(["", " ", "-"])))
      .replacing("/", with: "_").replacing("\\", with: "_")
    let type = random.pick([
      "application/pdf", "image/png", "text/plain", "application/octet-stream",
    ])
    return Attachment(name: name, contentType: type, content: random.octets(random.below(300)))
  }

  /// Without what a header does not keep: control characters and blanks at both ends.
  private func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars.filter { !($0.properties.generalCategory == .control) }
      .filter { $0 != "\u{2028}" && $0 != "\u{2029}" }
    return String(String.UnicodeScalarView(scalars)).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func pythonReadsEveryMessage() throws {
    let cases = makeCases(2_000)
    var input = Data()
    for item in cases {
      let message = try compose(item)
      input.append(try JSONSerialization.data(withJSONObject: record(item, message)))
      input.append(0x0A)
    }
    let output = try Python(script: OracleScript.reader).run(input)
    #expect(String(decoding: output.prefix(4_000), as: UTF8.self) == "read 2000\n")
  }

  /// The message, once it has passed what needs no oracle.
  private func compose(_ item: Case) throws -> Message {
    var message = Message(composing: item.note, domain: "example.org")
    let from = try Mailbox(displayName: item.name, address: "me@example.org")
    message.header.insert(HeaderField("From", from), after: "Date")
    let wire = message.bytes(lineEnds: .crlf)
    #expect(bareLineEnds(wire) == 0)
    #expect(wire.allSatisfy { $0 < 0x80 && $0 != 0 })
    let lines = wireLines(wire)
    #expect(lines.allSatisfy { $0.count <= 76 || $0.starts(with: Array("Message-ID:".utf8)) })
    #expect(!lines.contains { $0.starts(with: Array("From ".utf8)) })
    for octets in [wire, message.bytes(lineEnds: .lf)] {
      let read = try Message(parsing: octets)
      #expect(read == message)
      #expect(Array(read.text.utf8) == Array(item.text.utf8))
      #expect(read.attachments == item.attachments)
      if let subject = item.note.subject, !subject.isEmpty { #expect(read.subject == subject) }
      #expect(read.date == item.note.date)
      #expect(read.noteID == item.note.id)
    }
    return message
  }

  private func record(_ item: Case, _ message: Message) -> [String: Any] {
    var record: [String: Any] = [
      "message": base64(message.bytes(lineEnds: .crlf)), "text": base64(Array(item.text.utf8)),
      "raw": base64(item.note.text), "name": base64(Array(item.name.utf8)),
      "hasText": !item.note.text.isEmpty || item.attachments.isEmpty,
      "fields": message.header.fields.map(\.name), "zone": item.note.date.zoneOffsetSeconds,
      "seconds": item.note.date.secondsSinceEpoch,
      "attachments": item.attachments.map { file in
        [
          "name": base64(Array(file.name.utf8)), "type": file.contentType,
          "content": base64(file.content),
        ]
      },
    ]
    if let subject = item.note.subject, !subject.isEmpty {
      record["subject"] = base64(Array(subject.utf8))
    }
    return record
  }

  private func base64(_ octets: [UInt8]) -> String { Data(octets).base64EncodedString() }

  @Test func everyMessageOfPythonIsRead() throws {
    let output = try Python(script: OracleScript.composer).run(Data())
    let lines = output.split(separator: 0x0A)
    #expect(lines.count == 600)
    for line in lines {
      let case_ = try JSONDecoder().decode(PythonCase.self, from: line)
      let message = try Message(parsing: Array(case_.message))
      #expect(Array(message.text.utf8) == Array(case_.text))
      let subjects = case_.subjects.map { String(decoding: $0, as: UTF8.self) }
      #expect(subjects.contains(message.subject ?? ""))
      #expect(message.date?.secondsSinceEpoch == case_.seconds)
      #expect(message.date?.zoneOffsetSeconds == case_.zone)
      let files = message.attachments.filter { $0.contentType != "text/html" }
      #expect(files.map(\.name) == case_.files.map { String(decoding: $0.name, as: UTF8.self) })
      #expect(files.map(\.content) == case_.files.map { Array($0.content) })
      #expect(message.attachments.count == files.count + (case_.isAlternative ? 1 : 0))
    }
  }

  private struct PythonCase: Decodable {
    struct File: Decodable {
      let name: Data
      let content: Data
    }
    let message: Data
    let text: Data
    let subjects: [Data]
    let seconds: Int64
    let zone: Int
    let isAlternative: Bool
    let files: [File]
  }
}

/// A Python program that reads its input from a file and is run once.
private struct Python {
  let script: String

  func run(_ input: Data) throws -> Data {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, cases) = (
      folder.appendingPathComponent("run.py"), folder.appendingPathComponent("in")
    )
    try Data(script.utf8).write(to: source)
    try input.write(to: cases)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-X", "utf8", source.path]
    process.standardInput = try FileHandle(forReadingFrom: cases)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return data
  }
}
