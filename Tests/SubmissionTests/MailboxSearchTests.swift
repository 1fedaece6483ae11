import Foundation
import Outbox
import Posix
import TestSupport
import Testing

@testable import Submission

/// Asking the mailbox for a note that may have been delivered.
@Suite struct MailboxSearchTests {
  private static let noteID = "0193e4a0-0000-7000-8000-00000000aaaa"
  private static let messageID = "<b-b-b-b@test.example>"
  private static let nobody = "0193e4a0-0000-7000-8000-0000000000ff"
  private static let nothing = "<nothing@test.example>"

  // MARK: - A server of our own

  @Test func aNoteIsFoundInTheMailboxOfSentMail() throws {
    let server = try PlannedServer(["", "capability=only:IMAP4rev1 AUTH=PLAIN"], script: script)
    for (plan, security) in [
      (0, SubmissionSettings.Security.implicitTLS), (0, .startTLS), (1, .implicitTLS),
    ] {
      var agent = makeAgent(try server.settings(mailbox: plan, security))
      #expect(agent.mayHold(noteID: Self.noteID, messageID: Self.nothing) == .found)
      #expect(agent.mayHold(noteID: Self.nobody, messageID: Self.messageID) == .found)
      #expect(agent.mayHold(noteID: Self.nobody, messageID: Self.nothing) == .notFound)
    }
  }

  /// One login, nothing that writes, and the mailbox's odd name as the server gave it.
  @Test func theMailboxIsOnlyRead() throws {
    let server = try PlannedServer([""], script: script)
    do {
      var agent = makeAgent(try server.settings(mailbox: 0))
      #expect(agent.mayHold(noteID: Self.noteID, messageID: Self.messageID) == .found)
    }
    let record = try #require(try server.records(of: server.port(0, .implicitTLS)).first)
    #expect(record.logins.count == 1)
    #expect(
      record.commands.filter { !["CAPABILITY", "LOGOUT"].contains($0) } == [
        "AUTHENTICATE PLAIN", "EXAMINE INBOX", "UID SEARCH HEADER Memo-ID \"\(Self.noteID)\"",
        "UID SEARCH HEADER Message-ID \"\(Self.messageID)\"", "LIST (SPECIAL-USE) \"\" \"*\"",
        "EXAMINE \"Gesendete %Objekte\"", "UID SEARCH HEADER Memo-ID \"\(Self.noteID)\"",
      ])
  }

  @Test func withoutSpecialUseTheTopmostMailboxesAreListed() throws {
    let server = try PlannedServer(["capability=only:IMAP4rev1 AUTH=PLAIN"], script: script)
    do {
      var agent = makeAgent(try server.settings(mailbox: 0))
      #expect(agent.mayHold(noteID: Self.noteID, messageID: Self.messageID) == .found)
    }
    let record = try #require(try server.records(of: server.port(0, .implicitTLS)).first)
    #expect(record.commands.contains("LIST \"\" \"%\""))
  }

  @Test func withATokenTheSameTokenLogsIn() throws {
    let server = try PlannedServer([""], script: script)
    var settings = try server.settings(mailbox: 0)
    settings.mechanism = .token
    do {
      var agent = makeAgent(settings, password: "ya29.t0ken")
      #expect(agent.mayHold(noteID: Self.noteID, messageID: Self.messageID) == .found)
    }
    let record = try #require(try server.records(of: server.port(0, .implicitTLS)).first)
    #expect(record.logins.map(\.first) == ["XOAUTH2"])
  }

  @Test func withoutAMailboxNothingIsAsked() throws {
    var settings = try PlannedServer([""], script: script).settings(mailbox: 0)
    settings.mailbox = nil
    var agent = makeAgent(settings)
    #expect(agent.mayHold(noteID: Self.noteID, messageID: Self.messageID) == .notFound)
  }

  // MARK: - Faults

  /// A refused mailbox or search is no trouble, and what can be asked is asked all the same.
  @Test(arguments: [
    ("examine=no | ", MailboxFinding.found), ("search=no | ", .found), ("search=bad | ", .found),
    ("list=no | ", .notFound), ("list=named:Sent", .notFound), ("list=named:{4}", .notFound),
    ("list=text:TAG OK none", .notFound), ("list=named:\"a\\\"b", .notFound),
    ("search=text:* SEARCH\\n* 3 EXISTS\\nTAG OK x", .notFound),
    ("search=text:* ESEARCH (TAG \"x\") UID COUNT 1\\nTAG OK x", .notFound),
    ("search=text:TAG OK SEARCH 7", .notFound), ("search=text:* SEARCH 0\\nTAG OK x", .notFound),
    ("search=text:* SEARCH 7\\nTAG OK x", .found), ("search=text:* search 7 9\\nTAG OK x", .found),
    ("examine=no", .notFound), ("search=no", .notFound), ("search=slow:0.2", .found),
    ("search=many:50", .found), ("search=long:20000", .found), ("greeting=slow:1", .found),
  ])
  func whatTheServerRefusesIsPassedOver(plan: String, expected: MailboxFinding) throws {
    let server = try PlannedServer([plan], script: script)
    var agent = makeAgent(try server.settings(mailbox: 0))
    #expect(agent.mayHold(noteID: Self.noteID, messageID: Self.nothing) == expected)
  }

  /// Trouble is told, in time, and not met twice in a run.
  @Test(arguments: [
    ("connect=drop", [Trouble.Cause.handshake]), ("connect=stall:60", [.timeout]),
    ("greeting=drop", [.connectionLost]), ("greeting=bye", [.protocolError, .connectionLost]),
    ("greeting=text:hello", [.protocolError, .timeout]), ("greeting=stall:60", [.timeout]),
    ("capability=drop", [.connectionLost]), ("capability=only:IMAP4rev1", [.loginRefused]),
    ("capability=only:IMAP4rev1 AUTH=CRAM-MD5", [.loginRefused]), ("login=no", [.loginRefused]),
    ("login=drop", [.connectionLost]), ("login=stall:60", [.timeout]),
    ("examine=drop", [.connectionLost]), ("search=drop", [.connectionLost]),
    ("search=rst", [.connectionLost]), ("search=stall:60", [.timeout]),
    ("search=bye", [.connectionLost]), ("list=stall:60", [.timeout]),
    ("search=long:1000000", [.connectionLost]),
    ("search=many:2000", [.connectionLost]), ("tls=cert:expired", [.certificate]),
    ("tls=cert:wronghost", [.certificate]), ("tls=tls1", [.handshake]),
  ])
  func troubleIsToldOnceInTime(plan: String, causes: [Trouble.Cause]) throws {
    let server = try PlannedServer([plan], script: script)
    var agent = makeAgent(try server.settings(mailbox: 0))
    let start = SuspendingClock.now
    let finding = agent.mayHold(noteID: Self.noteID, messageID: Self.nothing)
    guard case .trouble(let trouble) = finding else {
      Issue.record("\(finding)")
      return
    }
    #expect(causes.contains(trouble.cause), "\(trouble)")
    #expect(SuspendingClock.now - start < .seconds(6))
    let again = SuspendingClock.now
    #expect(agent.mayHold(noteID: Self.noteID, messageID: Self.nothing) == finding)
    #expect(SuspendingClock.now - again < .milliseconds(200))
  }

  @Test(arguments: ["capability=only:IMAP4rev1 AUTH=PLAIN", "starttls=no", "greeting=preauth"])
  func inClearNothingIsTold(plan: String) throws {
    let server = try PlannedServer([plan], script: script)
    var agent = makeAgent(try server.settings(mailbox: 0, .startTLS))
    guard case .trouble = agent.mayHold(noteID: Self.noteID, messageID: Self.nothing) else {
      Issue.record("not refused")
      return
    }
    let commands = try server.records().flatMap(\.commands)
    #expect(commands.allSatisfy { ["CAPABILITY", "STARTTLS", "LOGOUT"].contains($0) })
  }

  @Test(arguments: [SubmissionSettings.Security.startTLS, .implicitTLS])
  func theFingerprintIsCheckedBeforeTheLogin(_ security: SubmissionSettings.Security) throws {
    let server = try PlannedServer(["tls=cert:selfsigned", "tls=cert:selfsigned"], script: script)
    for (plan, name) in [(0, "selfsigned"), (1, "srv")] {
      var settings = try server.settings(mailbox: plan, security)
      settings.fingerprint = CertificateFingerprint(
        hexadecimal: try PlannedServer.fingerprint(of: name))
      var agent = makeAgent(settings)
      let finding = agent.mayHold(noteID: Self.noteID, messageID: Self.nothing)
      guard name == "srv" else {
        #expect(finding == .found)
        continue
      }
      guard case .trouble(let trouble) = finding else {
        Issue.record("\(finding)")
        continue
      }
      #expect(trouble.cause == .certificate)
      let commands = try server.records(of: server.port(1, security)).flatMap(\.commands)
      #expect(commands.allSatisfy { ["CAPABILITY", "STARTTLS", "LOGOUT"].contains($0) })
    }
  }

  @Test func aStopEndsTheSearchAtOnce() throws {
    let server = try PlannedServer(["search=stall:60"], script: script)
    var settings = try server.settings(mailbox: 0)
    settings.timeouts.reply = .seconds(60)
    let start = SuspendingClock.now
    var agent = makeAgent(settings) { SuspendingClock.now > start + .milliseconds(500) }
    let finding = agent.mayHold(noteID: Self.noteID, messageID: Self.nothing)
    #expect(finding == .trouble(Trouble(.aborted)))
    #expect(SuspendingClock.now - start < .seconds(4))
  }

  /// A value that is no identifier would find any message, or be a command of its own.
  @Test(arguments: ["", " ", "x", "a\"b-0000000", "a\r\nb-000000", "a b-0000000"])
  func whatIsNoIdentifierIsNotAskedFor(value: String) throws {
    let server = try PlannedServer(["search=text:* SEARCH 7\\nTAG OK x"], script: script)
    var agent = makeAgent(try server.settings(mailbox: 0))
    #expect(agent.mayHold(noteID: value, messageID: value) == .notFound)
  }

  // MARK: - Dovecot

  @Test(.enabled(if: MailServer.unavailable == nil))
  func aDeliveredNoteIsFoundByDovecot() throws {
    let sandbox = try Sandbox()
    let mail = try MailServer(in: sandbox)
    var settings = SubmissionSettings.test(
      port: mail.port(.starttls), security: .startTLS, caFile: mail.authority)
    settings.timeouts.reply = .seconds(20)
    settings.timeouts.finalReply = .seconds(20)
    let message =
      "From: \(testUser)\r\nTo: \(testUser)\r\nMessage-ID: \(Self.messageID)\r\n"
      + "Memo-ID: \(Self.noteID)\r\n\r\nhi\r\n"
    #expect(deliver(wire(message), settings).summary == "accepted 250")
    _ = try mail.waitForDelivery(of: 1)
    for security in [SubmissionSettings.Security.startTLS, .implicitTLS] {
      settings.mailbox = SubmissionSettings.MailboxServer(
        host: "localhost", port: mail.imapPort(security == .startTLS ? .starttls : .implicit),
        security: security)
      var agent = makeAgent(settings)
      #expect(agent.mayHold(noteID: Self.noteID, messageID: Self.nothing) == .found)
      #expect(agent.mayHold(noteID: Self.nobody, messageID: Self.messageID) == .found)
      #expect(agent.mayHold(noteID: Self.nobody, messageID: Self.nothing) == .notFound)
    }
    // Moved to the mailbox that has the attribute, whatever its name is.
    _ = try mail.imap("UID MOVE 1 \"Sent Items\"")
    var agent = makeAgent(settings)
    #expect(agent.mayHold(noteID: Self.noteID, messageID: Self.nothing) == .found)
    #expect(try mail.imap("STATUS \"Sent Items\" (MESSAGES UNSEEN)").contains("UNSEEN 1"))
  }

  private var script: String { "faulty_imap.py" }
}

/// The lines of an answer.
@Suite struct MailboxAnswerTests {
  @Test(
    arguments: [
      ("* LIST (\\HasNoChildren \\Sent) \"/\" Sent", "Sent"), ("* LIST (\\Sent) NIL x", "x"),
      ("* LIST (\\sENT) \"/\" \"a \\\"b\\\\\"", "\"a \\\"b\\\\\""),
      ("* list (\\Sent) \".\" a&-b", "a&-b"),
      ("* LIST (\\Sent) \"\\\\\" \"Gesendet &- x\"", "\"Gesendet &- x\""),
      ("* LIST (\\SentX) \"/\" x", nil), ("* LIST () \"/\" \\Sent", nil), ("* LIST (\\Sent", nil),
      ("* LIST (\\Sent) \"/\"", nil), ("* LIST (\\Sent) \"/\" \"x", nil), ("* LIST (\\Sent)", nil),
      ("* LIST (\\Sent) \"/\" {4}", nil), ("* LIST (\\Sent) \"/\" \"a\tb\"", nil),
      ("A1 LIST (\\Sent) \"/\" x", nil), ("* LIST", nil), ("*", nil), ("", nil),
    ] as [(String, String?)])
  func theMailboxOfSentMailIsRead(line: String, name: String?) {
    var answer = MailboxAnswer()
    answer.read(wire(line + "\r\n").span)
    #expect(answer.sentMailbox?.text == name)
  }

  @Test(arguments: [
    ("* CAPABILITY IMAP4rev1 SPECIAL-USE", true),
    ("A3 OK [CAPABILITY IMAP4rev1 SPECIAL-USE] in", true),
    ("* CAPABILITY IMAP4rev1 CREATE-SPECIAL-USE", false), ("* OK SPECIAL-USE", false),
  ])
  func specialUseIsRead(line: String, expected: Bool) {
    var answer = MailboxAnswer()
    answer.read(wire(line + "\r\n").span)
    #expect(answer.offersSpecialUse == expected)
  }
}

extension PlannedServer {
  /// Settings whose mailbox is the port of a plan.
  fileprivate func settings(
    mailbox plan: Int, _ security: SubmissionSettings.Security = .implicitTLS
  ) throws -> SubmissionSettings {
    var settings = try settings(plan, security)
    settings.mailbox = SubmissionSettings.MailboxServer(
      host: "localhost", port: port(plan, security), security: security)
    return settings
  }
}
