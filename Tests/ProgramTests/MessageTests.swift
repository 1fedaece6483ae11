import Foundation
import TestSupport
import Testing

/// What a captured message looks like to its readers: cases of the bank, by `memo -n`.
@Suite struct MessageTests {
  private func message(
    _ arguments: [String], stdin: [UInt8] = [], settings: String = quietSettings,
    environment: [String: String] = [:]
  ) throws -> (bytes: [UInt8], parsed: ParsedMail) {
    let sandbox = try Sandbox.quiet()
    try sandbox.configure(settings)
    let result = try run(
      Programs.memo, ["-n"] + arguments, stdin: stdin,
      environment: sandbox.environment.merging(environment) { $1 })
    try #require(result.status == 0, "\(result.errors)")
    return (result.stdout, try ParsedMail.parse(result.stdout))
  }

  /// The lines of a message's header as they are, continuation lines apart.
  private func headerLines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { !$0.isEmpty }.map(String.init)
  }

  @Test("C03: a line break in the subject makes no header field", arguments: ["\r\n", "\n", "\r"])
  func lineBreaksInTheSubject(end: String) throws {
    let evil = "Hi\(end)Bcc: evil@example.net\(end)\(end)body2"
    let usual = try message(["-s", "Hi", "text"]).parsed.fields.map { $0[0] }
    let given = try message(["-s", evil, "text"])
    #expect(given.parsed.fields.map { $0[0] } == usual)
    #expect(given.parsed.note == "text")
    let taken = try message([evil])
    #expect(taken.parsed.fields.map { $0[0] } == usual)
    for message in [given, taken] {
      #expect(message.parsed.subject.hasPrefix("Hi"))
      #expect(headerLines(message.bytes).allSatisfy { !$0.hasPrefix("Bcc") })
    }
  }

  @Test(
    "C05: an encoded-word holds whole characters",
    arguments: [
      String(repeating: "\u{1F600}", count: 40),
      String(repeating: "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}", count: 6),
    ])
  func emojiInTheSubject(subject: String) throws {
    let (bytes, parsed) = try message(["-s", subject, "text"])
    #expect(parsed.subject == subject)
    #expect(headerLines(bytes).allSatisfy { $0.utf8.count <= 76 })
    let words = headerLines(bytes).joined(separator: " ").matches(
      of: /=\?utf-8\?b\?([^?]*)\?=/.ignoresCase())
    for word in words {
      #expect(word.output.0.utf8.count <= 75)
      let octets = try #require(Data(base64Encoded: String(word.output.1)))
      #expect(String(bytes: octets, encoding: .utf8) != nil)
    }
  }

  @Test("C07: the locale of cron changes nothing")
  func theLocaleChangesNothing() throws {
    let note = Array("Br\u{FC}cke \u{6F22}\n".utf8)
    let bare = try message([], stdin: note, environment: ["PATH": "/usr/bin:/bin"])
    let german = try message(
      [], stdin: note, environment: ["LC_ALL": "de_DE.UTF-8", "LANG": "de_DE"])
    let variable = ["Date", "Message-ID", "Memo-ID"]
    #expect(
      bare.parsed.fields.filter { !variable.contains($0[0]) }
        == german.parsed.fields.filter { !variable.contains($0[0]) })
    for message in [bare, german] {
      #expect(message.parsed.text == "Br\u{FC}cke \u{6F22}\n")
      #expect(message.parsed.values("Content-Type") == ["text/plain; charset=\"utf-8\""])
      #expect(message.bytes.allSatisfy { $0 < 0x80 })
    }
  }

  @Test("C08: text after a NUL is not lost", arguments: ["a\0b\nsecond line\n", "\0second line\n"])
  func aNULEndsNothing(note: String) throws {
    let (bytes, parsed) = try message([], stdin: Array(note.utf8))
    #expect(!bytes.contains(0))
    #expect(parsed.fields.allSatisfy { !$0[1].contains("\0") })
    #expect(parsed.text.contains("second line") || parsed.attachments.count == 1)
    if parsed.attachments.count == 1 {
      #expect(parsed.content(of: 0) == Array(note.utf8))
    } else {
      #expect(parsed.text.replacing("\u{2400}", with: "\0") == note)
    }
  }

  @Test func textThatIsNotUTF8IsNotLost() throws {
    let note: [UInt8] = Array("caf".utf8) + [0xe9, 0x0a] + Array("second line\n".utf8)
    let (bytes, parsed) = try message([], stdin: note)
    #expect(bytes.allSatisfy { $0 < 0x80 })
    let kept = parsed.attachments.indices.map { parsed.content(of: $0) } + [Array(parsed.text.utf8)]
    #expect(kept.contains { String(decoding: $0, as: UTF8.self).contains("second line") })
    #expect(parsed.defects == [])
  }

  @Test(
    "C09: a name stays one address",
    arguments: [
      "Doe, Jane", "Jane \"JD\" Doe", "Support (Billing)", "a@b", "back\\slash", "x;y:z",
      "M\u{FC}ller, J\u{F6}rg",
    ])
  func displayNames(name: String) throws {
    // In the settings the name stands as in a message: quoted, unless it needs no quotes.
    let quoted = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    let settings = quietSettings.replacing("Jane Doe <", with: "\"\(quoted)\" <")
    let (_, parsed) = try message(["x"], settings: settings)
    #expect(parsed.from == [[name, "me@test.example"]])
    #expect(parsed.to == [["", "me@test.example"]])
    #expect(parsed.defects == [])
  }

  @Test(
    "C23: the Date has the zone's offset and English names",
    arguments: ["Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "UTC", "Pacific/Chatham"])
  func dates(zone: String) throws {
    let sandbox = try Sandbox.quiet()
    for locale in ["", "de_DE.UTF-8"] {
      let variables = ["TZ": zone, "LC_ALL": locale]
      let before = Date()
      let result = try sandbox.memo("-n", "x", environment: variables)
      let date = try #require(try ParsedMail.parse(result.stdout).values("Date").first)
      let expected = try run(
        "/bin/date", ["-R", "-d", date], environment: ["TZ": zone, "LC_ALL": "C"])
      #expect(expected.output == date + "\n")
      let seconds = try run("/bin/date", ["+%s", "-d", date], environment: ["LC_ALL": "C"])
      let written = try #require(Double(seconds.output.trimmingCharacters(in: .newlines)))
      #expect(abs(written - before.timeIntervalSince1970) < 60)
    }
  }
}
