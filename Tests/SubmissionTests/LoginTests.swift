import Foundation
import Outbox
import Posix
import Testing

@testable import Submission

/// Who may see what before and at the login.
@Suite struct LoginTests {
  // MARK: - Mechanisms

  /// C19: PLAIN where offered, else LOGIN, whatever else there is.
  @Test(arguments: [
    ("GSSAPI NTLM DIGEST-MD5 CRAM-MD5 PLAIN LOGIN", "PLAIN"), ("LOGIN PLAIN", "PLAIN"),
    ("GSSAPI LOGIN", "LOGIN"), ("XOAUTH2 EXTERNAL PLAIN", "PLAIN"),
  ])
  func aMechanismIsChosenFromTheOffer(offer: String, mechanism: String) throws {
    let server = try PlannedServer("ehlo2=only:\(offer);ehlo=only:\(offer)")
    for security in [SubmissionSettings.Security.startTLS, .implicitTLS] {
      var settings = try server.settings(0, security)
      settings.user = "me@test.example"
      #expect(deliver(settings).summary == "accepted 250")
      let record = try #require(try server.records(of: server.port(0, security)).last)
      #expect(record.logins.map(\.first) == [mechanism])
    }
  }

  @Test func aFixedMechanismIsTheOnlyOne() throws {
    let server = try PlannedServer("", "ehlo2=only:PLAIN")
    var settings = try server.settings()
    settings.mechanism = .login
    #expect(deliver(settings).summary == "accepted 250")
    #expect(try server.records().last?.logins.first?.first == "LOGIN")
    settings.port = server.port(1)
    #expect(deliver(settings) == .account(Trouble(.noLogin, detail: "PLAIN")))
  }

  /// C19, C20 d and e: nothing that a login would precede goes out.
  @Test(arguments: [
    ("only:CRAM-MD5X FOO", "CRAM-MD5X FOO"), ("strip:AUTH", ""), ("raw:auth PLAIN", "PLAIN"),
    ("raw:AUTH=PLAIN LOGIN", "AUTH=PLAIN LOGIN"), ("raw:AUTH plain", "plain"),
    ("only:XOAUTH2", "XOAUTH2"),
  ])
  func withoutALoginNothingIsSent(action: String, offered: String) throws {
    let server = try PlannedServer("ehlo2=\(action)", "ehlo=\(action)")
    for (plan, security) in [(0, SubmissionSettings.Security.startTLS), (1, .implicitTLS)] {
      let outcome = deliver(try server.settings(plan, security))
      #expect(outcome == .account(Trouble(.noLogin, detail: offered)))
      let records = try server.records(of: server.port(plan, security))
      #expect(records.count == 1)
      #expect(records.allSatisfy { $0.isInnocent && $0.stages.contains("tls") })
    }
  }

  @Test(arguments: ["ehlo2=502", "ehlo=502", "ehlo2=421", "ehlo=550"])
  func aRefusedEHLOEndsTheSession(_ plan: String) throws {
    let security: SubmissionSettings.Security = plan.hasPrefix("ehlo2") ? .startTLS : .implicitTLS
    let server = try PlannedServer(plan)
    let outcome = deliver(try server.settings(0, security)).summary
    let code = plan.suffix(3)
    let expected = ["502": "account noLogin", "421": "offline unavailable"][String(code)]
    #expect(outcome == (expected ?? "account accountRefused") + " \(code)")
    let record = try #require(try server.records(of: server.port(0, security)).last)
    #expect(record.isInnocent)
    #expect(!record.stages.contains("helo"))
  }

  // MARK: - Secrets

  /// C21: the octets of the password, verbatim.
  @Test(arguments: [
    ("pä#\"s\\s $x ", "AG1lQGV4YW1wbGUub3JnAHDDpCMic1xzICR4IA=="),
    ("§6Xc%", "AG1lQGV4YW1wbGUub3JnAMKnNlhjJQ=="),
  ])
  func aPasswordGoesOutVerbatim(password: String, payload: String) throws {
    let server = try PlannedServer("auth=any", "auth=any;ehlo2=only:LOGIN")
    var settings = try server.settings()
    settings.user = "me@example.org"
    #expect(deliver(settings, password: password).summary == "accepted 250")
    #expect(try server.records().last?.logins == [["PLAIN", payload]])
    settings.port = server.port(1)
    #expect(deliver(settings, password: password).summary == "accepted 250")
    let base64 = Data(password.utf8).base64EncodedString()
    #expect(
      try server.records(of: server.port(1)).last?.logins
        == [["LOGIN", "bWVAZXhhbXBsZS5vcmc=", base64]])
  }

  @Test func aWrongPasswordIsToldWithoutIt() throws {
    let server = try PlannedServer("")
    let outcome = deliver(try server.settings(), password: "Canary-4711")
    let reply = Reply(code: 535, lines: ["5.7.8 bad credentials"])
    #expect(outcome == .account(Trouble(.loginRefused, reply: reply)))
    let told = "\(outcome)"
    for secret in ["Canary-4711", Data("Canary-4711".utf8).base64EncodedString(), testUser] {
      #expect(!told.contains(secret))
    }
  }

  @Test func theSecretIsAskedForOnceAndOnlyWhenNeeded() throws {
    let server = try PlannedServer("")
    var asked = 0
    var settings = try server.settings()
    settings.messagesPerConnection = 1
    var agent = SubmissionAgent(settings) {
      asked += 1
      return SecretBytes(copying: wire(testPassword).span)
    }
    #expect(asked == 0)
    for _ in 0..<3 { #expect(agent.deliver(note(lines: 1)) { true }.summary == "accepted 250") }
    agent.finish()
    #expect(asked == 1)
  }

  @Test func withoutASecretNothingIsConnected() throws {
    let server = try PlannedServer("")
    var agent = SubmissionAgent(try server.settings()) { () throws(SecretTrouble) in
      throw SecretTrouble("exit status 1")
    }
    let outcome = agent.deliver(note(lines: 1)) { true }
    #expect(outcome == .account(Trouble(.noSecret, detail: "exit status 1")))
    for bad in ["", "a\0b"] {
      #expect(deliver(try server.settings(), password: bad).summary == "account noSecret")
    }
  }

  // MARK: - Envelope

  @Test func aBadAddressIsNeverSent() throws {
    let server = try PlannedServer("")
    var settings = try server.settings()
    settings.to = "me@test.example>\r\nRCPT TO:<you@example.org"
    #expect(deliver(settings) == .account(Trouble(.badAddress, detail: "to")))
    settings = try server.settings()
    settings.from = "Me <me@test.example>"
    #expect(deliver(settings) == .account(Trouble(.badAddress, detail: "from")))
    settings = try server.settings()
    settings.host = "localhost/x"
    #expect(deliver(settings) == .account(Trouble(.notConfigured, detail: "server")))
  }

  @Test func aMissingTrustFileIsTold() throws {
    let server = try PlannedServer("")
    var settings = try server.settings()
    settings.caFile = "/nonexistent/ca.pem"
    #expect(deliver(settings).summary.hasPrefix("account certificate"))
  }

  @Test func theSystemsAuthoritiesAreNotTrustedBesideAFile() throws {
    let server = try PlannedServer("")
    var settings = try server.settings()
    settings.caFile = nil
    #expect(deliver(settings).summary == "account certificate unknown issuer")
  }
}

/// As ``deliver(_:_:password:commit:)`` with a short note.
private func deliver(_ settings: SubmissionSettings, password: String = testPassword) -> Outcome {
  deliver(note(lines: 3), settings, password: password)
}
