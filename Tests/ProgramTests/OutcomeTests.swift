import Foundation
import TestSupport
import Testing

/// What a flush makes of each outcome: the file's place and name, the exit status, the words.
@Suite struct OutcomeTests {
  /// A fault of the server, and what must follow from it.
  struct Row: Sendable {
    let plan: String
    /// The folder, and what follows host and UUID in the file's name.
    let place: Sandbox.Folder
    let suffix: String
    let status: Int32
    /// What standard error says; nil where it says nothing.
    let words: String?
    /// The state that `memo log --json` gives.
    let state: String
  }

  private static func waits(_ plan: String, _ suffix: String = "", _ state: String = "waiting")
    -> Row
  {
    Row(plan: plan, place: .outbox, suffix: suffix, status: 0, words: nil, state: state)
  }

  private static func fails(_ plan: String, _ words: String) -> Row {
    Row(plan: plan, place: .failed, suffix: ":2,F", status: 0, words: words, state: "failed")
  }

  private static func pauses(_ plan: String, _ words: String, _ status: Int32 = 78) -> Row {
    Row(plan: plan, place: .outbox, suffix: "", status: status, words: words, state: "waiting")
  }

  static let rows: [Row] = [
    Row(plan: "", place: .sent, suffix: ":2,S", status: 0, words: nil, state: "sent"),
    Row(plan: "dot=many:3", place: .sent, suffix: ":2,S", status: 0, words: nil, state: "sent"),
    Row(plan: "quit=drop", place: .sent, suffix: ":2,S", status: 0, words: nil, state: "sent"),
    // deferred
    waits("mail=450", ",D=1"), waits("rcpt=451", ",D=1"), waits("data=450", ",D=1"),
    waits("dot=450", ",D=1"), waits("dot=421", ",D=1"),
    // rejected
    fails("rcpt=550", "550"), fails("data=554", "554"), fails("dot=550", "550"),
    fails("mail=552", "552"), fails("dot=554", "injected dot"),
    // unknown
    waits("dot=drop", ",A=1", "perhaps-delivered"), waits("dot=rst", ",A=1", "perhaps-delivered"),
    waits("dot=half", ",A=1", "perhaps-delivered"), waits("dot=cont", ",A=1", "perhaps-delivered"),
    // interrupted
    waits("mail=drop", ",D=1"), waits("rcpt=rst", ",D=1"), waits("data=half", ",D=1"),
    // account
    pauses("auth=535", "535", 77), pauses("ehlo2=strip:AUTH;ehlo=strip:AUTH", "no login"),
    pauses("tls=cert:expired", "certificate"), pauses("tls=cert:wronghost", "certificate"),
    pauses("mail=530", "530"),
    // offline
    waits("connect=drop"), waits("banner=421"), waits("banner=554"), waits("tls=drop"),
    waits("ehlo=421"), waits("mail=421"),
  ]

  @Test(arguments: [FaultyServer.Security.starttls, .implicit])
  func eachOutcomeLeavesItsFile(security: FaultyServer.Security) throws {
    let host = try Sandbox()
    let server = try FaultyServer(in: host)
    for row in Self.rows {
      let sandbox = try Sandbox()
      try sandbox.configure(server.configuration(security))
      try server.plan(row.plan)
      try expect(row, in: sandbox)
    }
  }

  private func expect(_ row: Row, in sandbox: Sandbox) throws {
    let plan = Comment(rawValue: row.plan)
    try sandbox.memo("buy milk")
    let captured = try #require(try sandbox.files(in: .outbox).first, plan)
    let result = try sandbox.memo("flush")
    #expect(result.status == row.status, plan)
    #expect(result.output == "", plan)
    if let words = row.words {
      #expect(result.errors.contains(words), "\(row.plan): \(result.errors)")
      #expect(lines(result.errors).allSatisfy { $0.hasPrefix("memo: ") }, plan)
    } else {
      #expect(result.errors == "", plan)
    }
    let files = try Sandbox.Folder.allCases.flatMap { try sandbox.files(in: $0) }
    try #require(files.count == 1, plan)
    #expect(files[0].path.hasPrefix(sandbox.path(of: row.place) + "/"), plan)
    #expect(files[0].name.hasSuffix(row.suffix), "\(row.plan): \(files[0].name)")
    if row.suffix.isEmpty {
      #expect(!files[0].name.contains(/[,:]/), "\(row.plan): \(files[0].name)")
    }
    #expect(files[0].identifier == captured.identifier, plan)
    #expect(
      String(decoding: try sandbox.opened(files[0]), as: UTF8.self).contains("buy milk"), plan)
    let entry = try JSONValue.lines(try sandbox.memo("log", "--json").stdout)[0]
    #expect(entry["state"] as? String == row.state, plan)
    try sandbox.expectPrivate()
  }

  /// The server's words are kept with the note, all of them.
  @Test func theReasonIsInTheFileThatFailed() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    try server.plan(
      "dot=lines:554-5.7.1 policy\\n554-5.7.1 see https://example.org/why\\n554 5.7.1 ref 42")
    try sandbox.memo("buy milk")
    try sandbox.memo("flush")
    let file = try #require(try sandbox.files(in: .failed).first)
    let outer = try ParsedMail.parse(try file.bytes())
    #expect(outer.values("Memo-Status").count == 1)
    let reply = outer.values("Memo-Reply").joined(separator: "\n")
    for words in ["policy", "see https://example.org/why", "ref 42"] {
      #expect(reply.contains(words))
    }
    #expect(!reply.contains("bye"))
    let entry = try JSONValue.lines(try sandbox.memo("log", "--json").stdout)[0]
    #expect(entry["code"] as? Int == 554)
    #expect(entry["enhanced_status_code"] as? String == "5.7.1")
    #expect((entry["reply"] as? [String])?.count == 3)
  }
}

// MARK: - Cases of the bank

extension OutcomeTests {
  @Test("C12: a server that is busy is left alone")
  func aBusyServer() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    // Settings of the second in which a hold begins may be newer than the hold.
    try sandbox.age(StoredFile(path: sandbox.configuration), by: 10)
    for number in 1...4 { try sandbox.memo("note \(number)") }
    try server.plan("banner=421", "banner=421")
    for run in 1...2 {
      #expect(try sandbox.memo("flush", "--now").status == 0)
      try wait(for: "one connection a run") { try server.connections().count == run }
      #expect(try sandbox.counts() == [4, 0, 0])
    }
    // Left to itself it does not even try before some time has passed.
    #expect(try sandbox.memo("flush").status == 0)
    #expect(try server.connections().count == 2)
    try sandbox.memo("flush", "--now")
    #expect(try sandbox.counts() == [0, 4, 0])
    #expect(try server.accepted().count == 4)
  }

  @Test("C13: a refused note is not tried again, and the others go")
  func aRefusedNote() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    for note in ["A", "B", "C"] { try sandbox.memo(note) }
    try server.plan("rcpt=codetext:550 5.1.1 no such user")
    let first = try sandbox.memo("flush")
    #expect(first.status == 0)
    expectOneLine(first.errors, "550 5.1.1 no such user")
    #expect(try sandbox.counts() == [0, 2, 1])
    let connections = try server.connections().count
    for _ in 1...2 { #expect(try sandbox.memo("flush").errors == "") }
    #expect(try server.connections().count == connections)
    #expect(try server.accepted().count == 2)
    let log = try sandbox.memo("log", "--failed").output
    #expect(lines(log).count == 1)
    #expect(log.contains("A") && log.contains("no such user"))
  }

  @Test("C15: what was sent is not sent again")
  func whatWasSent() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    for number in 1...5 { try sandbox.memo("note \(number)") }
    for _ in 1...3 { #expect(try sandbox.memo("flush").status == 0) }
    try wait(for: "the connection's end") { try server.connections().count >= 1 }
    #expect(try server.connections().count == 1)
    #expect(try server.accepted().count == 5)
    #expect(try sandbox.counts() == [0, 5, 0])
  }

  @Test("C15: killed between the server's 250 and its record")
  func killedAfterThe250() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    try sandbox.memo("buy milk")
    // The first rename is the commit point, the second the verdict.
    let killed = try run(
      "/usr/bin/strace",
      [
        "-f", "-qq", "-o", sandbox.root + "/trace", "-e", "trace=renameat2,renameat,rename",
        "-e", "inject=renameat2,renameat,rename:signal=KILL:when=2+", Programs.memoSend, "flush",
      ], environment: sandbox.environment)
    #expect(killed.termination == .signalled(9) || killed.status == 137)
    let file = try #require(try sandbox.files(in: .outbox).first)
    #expect(file.name.hasSuffix(",A=1"))
    #expect(try server.accepted().count == 1)
    #expect(try sandbox.memo("log").output.contains("[perhaps delivered]"))
    try sandbox.age(file, by: 3700)
    #expect(try sandbox.memo("flush").status == 0)
    #expect(try sandbox.counts() == [0, 1, 0])
    let identifiers = try ParsedMail.parse(try server.accepted().map { unstuffed($0.bytes) }).map(
      \.messageID)
    #expect(identifiers.count == 2)
    #expect(Set(identifiers).count == 1)
    try sandbox.expectPrivate()
  }

  @Test("C16: a refused login loses nothing and is not repeated")
  func aRefusedLogin() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(
      server.configuration().replacing("echo \(FaultyServer.password)", with: "echo wrong"))
    // Settings of the second in which a hold begins may be newer than the hold.
    try sandbox.age(StoredFile(path: sandbox.configuration), by: 10)
    try sandbox.memo("buy milk")
    let first = try sandbox.memo("flush")
    #expect(first.status == 77)
    #expect(first.errors.contains("535"))
    #expect(!first.errors.contains("wrong"))
    try wait(for: "the connection's end") { try server.connections().count == 1 }
    #expect(try sandbox.memo("flush").errors == "")
    #expect(try server.connections().count == 1)
    #expect(try sandbox.theOneWaiting().note == "buy milk")
    let status = try sandbox.memo("status")
    #expect(status.status == 1)
    #expect(status.output.contains("1 note waits"))
    #expect(status.output.contains("535"))
  }

  @Test(
    "C20: without encryption or login nothing leaves",
    arguments: [
      ("ehlo=strip:STARTTLS", "no encryption"), ("starttls=454", "no encryption"),
      ("starttls=inject", nil), ("ehlo2=strip:AUTH", "no login"),
      ("ehlo=codetext:502 5.5.1 no", nil),
    ])
  func withoutEncryption(plan: String, words: String?) throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    try server.plan(plan)
    try sandbox.memo("buy milk")
    let result = try sandbox.memo("flush")
    if let words { #expect(result.errors.contains(words), "\(result.errors)") }
    try wait(for: "the connection's end") { try server.connections().count == 1 }
    let connection = try server.connections()[0]
    #expect(connection.logins == [])
    for verb in ["AUTH", "MAIL", "RCPT", "DATA"] {
      #expect(!connection.commands.contains { $0.hasPrefix(verb) })
    }
    #expect(try sandbox.counts() == [1, 0, 0])
    #expect(try server.accepted().isEmpty)
  }

  @Test(
    "C21: the password is taken verbatim",
    arguments: [
      ("p\u{E4}#\"s\\s $x \n", "p\u{E4}#\"s\\s $x "), ("\u{A7}6Xc%\n", "\u{A7}6Xc%"),
      ("\u{A7}6Xc%", "\u{A7}6Xc%"), (" two\nlines\n", " two"),
    ], ["password-file", "password-command"])
  func passwords(file: (content: String, password: String), key: String) throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    let path = sandbox.root + "/password"
    try sandbox.write(Array(file.content.utf8), to: path)
    let value = key == "password-file" ? path : "cat '\(path)' # \"; $x \\"
    try sandbox.configure(
      server.configuration().replacing(
        "password-command = echo \(FaultyServer.password)", with: "\(key) = \(value)"))
    try server.plan("auth=any")
    try sandbox.memo("buy milk")
    #expect(try sandbox.memo("flush").status == 0)
    try wait(for: "the connection's end") { try server.connections().count == 1 }
    let login = try #require(try server.connections()[0].logins.first)
    let expected = "\0me@test.example\0\(file.password)"
    #expect(login == ["PLAIN", Data(expected.utf8).base64EncodedString()])
  }
}
