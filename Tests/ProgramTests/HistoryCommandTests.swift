import Foundation
import TestSupport
import Testing

/// What `log`, `show` and `status` tell.
@Suite struct HistoryCommandTests {
  /// A home with a note in each state, made by a server's answers.
  private func everyState() throws -> Sandbox {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    let faults = [
      ("accepted", ""), ("refused", "dot=550"), ("unanswered", "dot=drop"), ("put off", "dot=450"),
    ]
    for (note, plan) in faults {
      try sandbox.memo("-s", note, "the text of it")
      try server.plan(plan)
      try sandbox.memo("flush")
    }
    return sandbox
  }

  @Test func onlyTheAbnormalHasABadge() throws {
    let sandbox = try everyState()
    let log = lines(try sandbox.memo("log").output)
    try #require(log.count == 4)
    #expect(log[0].contains("put off  [waiting: the server refused it for now"))
    #expect(log[0].contains("450"))
    #expect(log[1].hasSuffix("unanswered  [perhaps delivered]"))
    #expect(log[2].contains("refused  [failed: the server refused it"))
    #expect(log[3].hasSuffix("accepted"))
    let entries = try JSONValue.lines(try sandbox.memo("log", "--json").stdout)
    #expect(
      entries.map { $0["state"] as? String } == ["waiting", "perhaps-delivered", "failed", "sent"])
    #expect(entries.map { $0["code"] as? Int } == [450, nil, 550, nil])
    #expect(entries.map { $0["next_try"] is String } == [true, true, false, false])
    let status = try sandbox.memo("status")
    #expect(status.status == 1)
    let words = ["2 notes wait", "perhaps delivered", "1 note failed", "1 note sent"]
    for expected in words { #expect(status.output.contains(expected), "\(status.output)") }
    // What did not go is told when it is shown; the text stays alone on standard output.
    let shown = try sandbox.memo("show", "@3")
    #expect(shown.output == "the text of it\n")
    expectOneLine(shown.errors, "failed: the server refused it")
  }
}

// MARK: - JSON

extension HistoryCommandTests {
  static let logNames: Set = [
    "id", "state", "captured", "next_try", "reason", "code", "enhanced_status_code", "reply",
    "first_line",
  ]
  static let showNames: Set = [
    "id", "state", "captured", "next_try", "reason", "code", "enhanced_status_code", "reply",
    "date", "subject", "account", "text", "attachments",
  ]
  static let statusNames: Set = [
    "waiting", "perhaps_delivered", "failed", "sent", "next_due", "last_accepted", "held",
    "retries", "trouble", "openpgp", "openpgp_key_expires",
  ]

  @Test func theNamesInJSONAreStable() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.write([1, 2, 3], to: sandbox.root + "/a \"b\".bin")
    try sandbox.memo(
      "-s", "subject", "-a", sandbox.root + "/a \"b\".bin", "text \"quoted\"\\\t\u{1}end")
    let id = try #require(try sandbox.files(in: .outbox).first?.identifier)
    let entry = try #require(try JSONValue.lines(try sandbox.memo("log", "--json").stdout).first)
    #expect(Set(entry.keys) == Self.logNames)
    #expect(entry["id"] as? String == id)
    #expect(entry["state"] as? String == "waiting")
    #expect(entry["first_line"] as? String == "subject")
    #expect(entry["reason"] is NSNull)
    let captured = try #require(entry["captured"] as? String)
    let date = try #require(ISO8601DateFormatter().date(from: captured))
    #expect(abs(date.timeIntervalSinceNow) < 60)
    let note = try JSONValue.object(try sandbox.memo("show", "--json").stdout)
    #expect(Set(note.keys) == Self.showNames)
    #expect((note["text"] as? String)?.hasPrefix("text \"quoted\"\\\t\u{1}end") == true)
    let attachment = try #require((note["attachments"] as? [[String: Any]])?.first)
    #expect(attachment["name"] as? String == "a \"b\".bin")
    #expect(attachment["size"] as? Int == 3)
    let status = try JSONValue.object(try sandbox.memo("status", "--json").stdout)
    #expect(Set(status.keys) == Self.statusNames)
    #expect(status["waiting"] as? Int == 1)
  }

  @Test func anEmptyHomeHasAnEmptyHistory() throws {
    let sandbox = try Sandbox.quiet()
    let log = try sandbox.memo("log")
    #expect(log.status == 0)
    #expect(log.output + log.errors == "")
    #expect(try sandbox.memo("log", "--json").output == "")
    let show = try sandbox.memo("show")
    #expect(show.status == 66)
    expectOneLine(show.errors, "there are no notes yet")
    #expect(try sandbox.memo("status").output.hasPrefix("nothing waits\n"))
  }
}

// MARK: - Choosing

extension HistoryCommandTests {
  @Test func theNewestComesFirstAndOptionsNarrow() throws {
    let sandbox = try Sandbox.quiet()
    for number in 1...5 { try sandbox.memo("note \(number)") }
    let all = lines(try sandbox.memo("log").output)
    #expect(all.map { $0.contains("note 5") } == [true, false, false, false, false])
    #expect(all.last?.contains("note 1") == true)
    #expect(lines(try sandbox.memo("log", "-n", "2").output) == Array(all.prefix(2)))
    #expect(lines(try sandbox.memo("log", "--outbox").output) == all)
    #expect(try sandbox.memo("log", "--sent").output == "")
    #expect(try sandbox.memo("show", "@5").output == "note 1\n")
    // The shortest ending that the list shows is what show takes.
    let ending = try #require(all.first?.split(separator: " ").first)
    #expect(try sandbox.memo("show", String(ending)).output == "note 5\n")
    let uuid = try #require(try sandbox.files(in: .outbox).last?.identifier)
    #expect(try sandbox.memo("show", uuid).output == "note 5\n")
    #expect(try sandbox.memo("show", uuid.uppercased()).output == "note 5\n")
  }

  @Test func anUnknownOrAmbiguousIDIsNoNote() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("x")
    let own = try #require(try sandbox.files(in: .outbox).first?.identifier)
    let twins = ["0192a000-0000-7000-8000-00000000beef", "0192a000-0001-7000-8000-00000001beef"]
    for twin in twins {
      try sandbox.write(
        Array("Subject: twin\nMemo-ID: \(twin)\n\ntext\n".utf8),
        to: sandbox.path(of: .sent) + "/cur/\(twin).host:2,S")
    }
    let ambiguous = try sandbox.memo("show", "beef")
    #expect(ambiguous.status == 66)
    #expect(ambiguous.output == "")
    for twin in twins { #expect(ambiguous.errors.contains(twin)) }
    #expect(!ambiguous.errors.contains(own))
    #expect(try sandbox.memo("show", "1beef").output == "text\n")
    for unknown in ["0000000", "@4", "0192a000-0000-7000-8000-00000000dead"] {
      let result = try sandbox.memo("show", unknown)
      #expect(result.status == 66)
      expectOneLine(result.errors, "no note has the id \(unknown)")
    }
    for wrong in ["abc", "@0", "@x", "milk", "@"] {
      #expect(try sandbox.memo("show", wrong).status == 64)
    }
  }

  @Test func showGivesTheNoteAsItWasWritten() throws {
    let sandbox = try Sandbox.quiet()
    let text = "caf\u{E9}\n-- \n\u{1B}[1mbold\nlast"
    try sandbox.memo("-", stdin: Array(text.utf8))
    let shown = try sandbox.memo("show")
    #expect(shown.output == text + "\n")
    let raw = try ParsedMail.parse(try sandbox.memo("show", "--raw").stdout)
    #expect(raw.note == text)
    #expect(raw.subject == "caf\u{E9}")
    let headers = try sandbox.memo("show", "--headers").output
    #expect(headers.contains("Subject: caf\u{E9}\n"))
    #expect(headers.contains("Memo-ID: "))
  }
}

// MARK: - Cases of the bank

extension HistoryCommandTests {
  @Test("C18: what lies in new/ counts, and listing renames nothing")
  func notesInNewAndCur() throws {
    let sandbox = try Sandbox.quiet()
    let sent = sandbox.path(of: .sent)
    let names = [
      "cur/1325341040.M1P1.host:2,", "cur/1325341041.M1P1.host:2,S", "new/1325341042.M1P1.host",
      "new/1325341043.M1P1.host", "tmp/1325341044.M1P1.host", "cur/.DS_Store",
    ]
    for (number, name) in names.enumerated() {
      let message =
        "Subject: number \(number)\nDate: Sat, 31 Dec 2011 14:17:2\(number) +0000\n\nx\n"
      try sandbox.write(Array(message.utf8), to: sent + "/" + name)
    }
    try sandbox.write([], to: sent + "/cur/folder:2,S/file")
    let before = try sandbox.everything(below: sent).sorted()
    let log = lines(try sandbox.memo("log").output)
    #expect(log.count == 4, "\(log)")
    for number in 0..<4 {
      #expect(log.count { $0.contains("number \(number)") } == 1)
    }
    #expect(try JSONValue.object(try sandbox.memo("status", "--json").stdout)["sent"] as? Int == 4)
    let after = try sandbox.everything(below: sent).sorted()
    #expect(after == before)
  }

  static let hostile = "ok \u{1B}[2J\u{1B}]0;pwn\u{7}\rSENT\u{202E} abc\u{9B}31m"

  /// On a terminal no control but the line end, no C1, no bidirectional override.
  private func expectHarmless(_ screen: [UInt8], _ what: Comment) {
    let text = String(decoding: screen, as: UTF8.self).replacing("\r\n", with: "\n")
    let harmful = text.unicodeScalars.filter {
      ($0.value < 0x20 && $0 != "\n") || (0x7F...0x9F).contains($0.value)
        || (0x202A...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value)
    }
    #expect(harmful.isEmpty, "\(what): \(text.debugDescription)")
  }

  @Test("C24: control sequences do not reach the terminal")
  func controlSequences() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    try sandbox.memo("-", stdin: Array(Self.hostile.utf8))
    try server.plan("dot=esc5")
    let flush = try TerminalSession(
      Programs.memo, ["flush", "-v"], environment: sandbox.environment)
    #expect(try flush.finish() == .exited(0))
    expectHarmless(flush.screen, "flush")
    #expect(try sandbox.counts() == [0, 0, 1])
    for arguments in [
      ["log"], ["show"], ["show", "--headers"], ["status"], ["log", "--json"], ["show", "--json"],
      ["search", "pwn"], ["search", "pwn", "--json"], ["search", Self.hostile, "no"],
      ["resend", "@1"], ["cancel", "@1"],
    ] {
      let session = try TerminalSession(Programs.memo, arguments, environment: sandbox.environment)
      _ = try session.finish()
      expectHarmless(session.screen, Comment(rawValue: arguments.joined(separator: " ")))
      #expect(!session.text.isEmpty)
      if arguments == ["log"] {
        #expect(lines(session.text.replacing("\r\n", with: "\n")).count == 1)
      }
    }
    // The stored note keeps its octets, and so does what is piped.
    #expect(try sandbox.memo("show").output.hasPrefix(Self.hostile))
    #expect(lines(try sandbox.memo("log").output).count == 1)
    let entry = try JSONValue.object(try sandbox.memo("show", "--json").stdout)
    #expect((entry["text"] as? String)?.hasPrefix(Self.hostile) == true)
  }

  @Test func aLineFitsTheTerminalAndKeepsItsBadge() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("\u{6F22}" + String(repeating: "\u{6F22}\u{1F600}long ", count: 40))
    for columns in [50, 80, 200] {
      let session = try TerminalSession(
        Programs.memo, ["log"], environment: sandbox.environment, columns: columns)
      #expect(try session.finish() == .exited(0))
      let line = try #require(lines(session.text.replacing("\r\n", with: "\n")).first)
      #expect(line.hasSuffix("[waiting]"))
      let wide = line.unicodeScalars.reduce(0) {
        $0 + ($1.value > 0x2000 && $1 != "\u{2026}" ? 2 : 1)
      }
      #expect(wide <= columns, "\(line)")
    }
  }
}
