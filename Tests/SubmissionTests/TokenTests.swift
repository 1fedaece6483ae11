import Foundation
import Outbox
import Posix
import TestSupport
import Testing
import Transfer

@testable import Submission

private let testToken = "ya29.t0ken"

/// Logins with an OAuth 2.0 access token.
@Suite struct TokenTests {
  // MARK: - Mechanisms

  @Test(arguments: [
    (SubmissionSettings.Mechanism.token, "XOAUTH2 OAUTHBEARER PLAIN", "OAUTHBEARER"),
    (.token, "CRAM-MD5 PLAIN XOAUTH2", "XOAUTH2"), (.xoauth2, "OAUTHBEARER XOAUTH2", "XOAUTH2"),
    (.oauthbearer, "OAUTHBEARER XOAUTH2", "OAUTHBEARER"),
  ])
  func aMechanismIsChosenFromTheOffer(
    mechanism: SubmissionSettings.Mechanism, offer: String, expected: String
  ) throws {
    let server = try PlannedServer("ehlo2=only:\(offer);ehlo=only:\(offer)")
    for security in [SubmissionSettings.Security.startTLS, .implicitTLS] {
      let settings = try server.settings(0, security, mechanism)
      #expect(deliver(settings).summary == "accepted 250")
      let record = try #require(try server.records(of: server.port(0, security)).last)
      #expect(record.logins.map(\.first) == [expected])
      #expect(try #require(record.logins.first).count == 2)
    }
  }

  /// A token is no password: a server that takes passwords only never sees it.
  @Test func aTokenIsNotSentAsAPassword() throws {
    let server = try PlannedServer("ehlo2=only:PLAIN LOGIN", "ehlo2=only:XOAUTH2")
    #expect(
      deliver(try server.settings(0, .startTLS, .token))
        == .account(Trouble(.noLogin, detail: "PLAIN LOGIN")))
    #expect(
      deliver(try server.settings(1, .startTLS, .oauthbearer))
        == .account(Trouble(.noLogin, detail: "XOAUTH2")))
    for plan in 0..<2 {
      #expect(try server.records(of: server.port(plan)).allSatisfy { $0.isInnocent })
    }
  }

  @Test func theTokenGoesOutAsTheMechanismsAsk() throws {
    let server = try PlannedServer("ehlo2=only:XOAUTH2", "ehlo2=only:OAUTHBEARER")
    for plan in 0..<2 {
      #expect(deliver(try server.settings(plan, .startTLS, .token)).summary == "accepted 250")
    }
    let port = server.port(1)
    #expect(try server.payload(0) == "user=\(testUser)\u{1}auth=Bearer \(testToken)\u{1}\u{1}")
    #expect(
      try server.payload(1)
        == "n,a=\(testUser),\u{1}host=localhost\u{1}port=\(port)\u{1}"
        + "auth=Bearer \(testToken)\u{1}\u{1}")
  }

  /// Longer than a command line may be: RFC 4954 §4 wants a challenge first.
  @Test func aLongTokenArrivesWhole() throws {
    let server = try PlannedServer("ehlo2=only:XOAUTH2;auth=any")
    let token = String(repeating: "0123456789abcdef", count: 500)
    let settings = try server.settings(0, .startTLS, .token)
    #expect(deliver(settings, token: token).summary == "accepted 250")
    #expect(try server.payload(0).hasSuffix("auth=Bearer \(token)\u{1}\u{1}"))
  }

  // MARK: - Refusals

  /// The challenge of XOAUTH2, where libcurl gives up, and of OAUTHBEARER, where a 535 follows.
  @Test(arguments: [
    ("XOAUTH2", 334, []), ("OAUTHBEARER", 535, ["5.7.8 bad token"]),
  ])
  func aRefusalIsToldInTheServersWords(mechanism: String, code: Int, first: [String]) throws {
    let google = #"{"status":"400","schemes":"Bearer","scope":"https://mail.google.com/"}"#
    let rfc7628 = #"{"status":"invalid_token","scope":"a b","openid-configuration":"https://x"}"#
    let server = try PlannedServer(
      [google, rfc7628].map { json in
        "ehlo2=only:\(mechanism);auth=json:\(json)"
      })
    let words = [
      "status 400, schemes Bearer, scope https://mail.google.com/",
      "status invalid_token, scope a b",
    ]
    for plan in 0..<2 {
      let reply = Reply(code: code, lines: first + [words[plan]])
      let settings = try server.settings(plan, .startTLS, .token)
      #expect(deliver(settings) == .account(Trouble(.loginRefused, reply: reply)))
      let record = try #require(try server.records(of: settings.port).last)
      #expect(record.logins.count == 1)
      #expect(record.stored == 0)
    }
  }

  @Test(arguments: ["XOAUTH2", "OAUTHBEARER"])
  func aRefusedTokenIsTriedOnceInARun(mechanism: String) throws {
    let server = try PlannedServer("ehlo2=only:\(mechanism)")
    var asked = 0
    let settings = try server.settings(0, .startTLS, .token)
    func run() -> [String] {
      var agent = SubmissionAgent(settings) {
        asked += 1
        return SecretBytes(copying: wire("stale-\(asked)").span)
      }
      return (0..<3).map { _ in agent.deliver(note(lines: 1)) { true }.summary }
    }
    let code = mechanism == "XOAUTH2" ? 334 : 535
    #expect(Set(run()) == ["account loginRefused \(code)"])
    #expect(asked == 1)
    #expect(Set(run()) == ["account loginRefused \(code)"])
    #expect(asked == 2)
    #expect(try server.records(count: 2).count == 2)
    #expect(try server.payload(0).contains("Bearer stale-1"))
    #expect(try server.payload(1, of: 0).contains("Bearer stale-2"))
  }

  /// A server that repeats the token in its words does not get it into ours.
  @Test func theTokenIsNeverTold() throws {
    let canary = "canary-4711-token"
    let json = #"{"status":"401","error_description":"no such token \#(canary)"}"#
    let server = try PlannedServer(
      "ehlo2=only:XOAUTH2;auth=json:\(json)", "ehlo2=only:OAUTHBEARER;auth=json:\(json)",
      "ehlo2=only:XOAUTH2;auth=json:no JSON \(canary)")
    for plan in 0..<3 {
      let outcome = deliver(try server.settings(plan, .startTLS, .token), token: canary)
      #expect(outcome.summary.hasPrefix("account "))
      #expect(!"\(outcome)".contains(canary))
    }
    let password = try PlannedServer("auth=lines:535-5.7.8 no\\n535 5.7.8 not \(canary)")
    let outcome = deliver(note(lines: 3), try password.settings(), password: canary)
    let reply = Reply(code: 535, lines: ["5.7.8 no", "(withheld)"])
    #expect(outcome == .account(Trouble(.loginRefused, reply: reply)))
  }

  @Test func aChallengeThatIsNoObjectIsARefusalToo() throws {
    let server = try PlannedServer("ehlo2=only:XOAUTH2;auth=json:[1]")
    let outcome = deliver(try server.settings(0, .startTLS, .token))
    #expect(outcome.summary == "account loginRefused 334")
  }

  /// The server goes away between its challenge and the 535.
  @Test func aChallengeAloneSettlesIt() {
    let challenge = Array(Data(#"{"status":"401"}"#.utf8).base64EncodedString().utf8)
    let exchange = Exchange(
      result: TransferResult(code: .receiveFailed), step: .login, isCommitted: false,
      tokenRefusal: TokenRefusal(challenge: challenge))
    let reply = Reply(code: 334, lines: ["status 401"])
    #expect(exchange.outcome() == .account(Trouble(.loginRefused, reply: reply)))
  }
}

/// The reader of the challenge.
@Suite struct FlatObjectTests {
  @Test(
    arguments: [
      ("{}", [:]), (" { } \r\n", [:]), (#"{"a":"b"}"#, ["a": "b"]),
      (
        #"{"status" : 401 , "x":-1.5e+3,"y":true,"z":null}"#,
        ["status": "401", "x": "-1.5e+3", "y": "true", "z": "null"]
      ),
      (#"{"a":"b","a":"c"}"#, ["a": "b"]), (#"{"a":{"b":[1,"}",{}]},"c":"d"}"#, ["c": "d"]),
      (#"{"a":"\"\\\/\u00e9\uD83D\uDE00\ud83dx\udE00"}"#, ["a": "\"\\/é😀\u{FFFD}x\u{FFFD}"]),
      (#"{"a":"x\r\ny"}"#, ["a": "x  y"]), (#"{"":""}"#, ["": ""]),
      (#"{"a":"\ud83d\u0041"}"#, ["a": "\u{FFFD}A"]), ("{\"a\":\"\u{00E9}\"}", ["a": "é"]),
    ] as [(String, [String: String])])
  func anObjectIsRead(_ text: String, members: [String: String]) {
    #expect(FlatObject(wire(text))?.members == members)
  }

  @Test(arguments: [
    "", "{", "}", "[]", "\"a\"", "{a:1}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1}x"#,
    #"{"a":"b}"#, #"{"a":"\x"}"#, #"{"a":"\u12"}"#, #"{"a":"\"#, "{\"a\":\"b\nc\"}",
    #"{"a":[[[[[[[[[1]]]]]]]]]}"#, #"{"a":[1}"#, #"{"a":"\ud83d\u"#, #"{1:2}"#,
    #"{"a":""# + String(repeating: "b", count: 4090) + #""}"#,
  ])
  func whatIsNoObjectIsRefused(_ text: String) {
    #expect(FlatObject(wire(text)) == nil)
  }

  @Test func damagedObjectsAreReadInBounds() {
    var random = SeededGenerator(seed: 1)
    let whole = wire(#"{"status":"401","a":{"b":["\ud83d\ude00",1]},"scope":"\u0041 x"}"#)
    for _ in 0..<20_000 {
      var octets = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      octets.removeLast(Int.random(in: 0...3, using: &random))
      let members = FlatObject(octets)?.members ?? [:]
      #expect(members.values.allSatisfy { $0.utf8.count <= 3 * octets.count })
    }
  }
}

extension PlannedServer {
  fileprivate func settings(
    _ plan: Int, _ security: SubmissionSettings.Security,
    _ mechanism: SubmissionSettings.Mechanism
  ) throws -> SubmissionSettings {
    var settings = try settings(plan, security)
    settings.mechanism = mechanism
    return settings
  }

  /// What the first login of a connection to a plan's STARTTLS port sent.
  fileprivate func payload(_ connection: Int, of plan: Int? = nil) throws -> String {
    let index = plan == nil ? 0 : connection
    let records = try records(of: port(plan ?? connection), count: index + 1)
    let login = try #require(records[index].logins.first)
    return String(decoding: try #require(Data(base64Encoded: login[1])), as: UTF8.self)
  }
}

private func deliver(_ settings: SubmissionSettings, token: String = testToken) -> Outcome {
  deliver(note(lines: 3), settings, password: token)
}
