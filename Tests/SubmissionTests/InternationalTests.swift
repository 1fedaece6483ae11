import Foundation
import Outbox
import Testing

@testable import Submission

/// Domains and local parts in other letters than those of ASCII.
@Suite struct InternationalTests {
  // MARK: - A-labels

  /// UTS 46 and RFC 5891: what is mapped, what is kept apart, what is refused; in no locale.
  @Test(arguments: [
    ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.example", "xn--bcher-kva.example"),
    ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("faß.de", "xn--fa-hia.de"),
    ("βόλος.com", "xn--nxasmm1c.com"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
    ("例え。テスト", "xn--r8jz45g.xn--zckzah"), ("ｅxample.org", "example.org"),
    ("example.org", "example.org"), ("my_host.example", "my_host.example"),
    ("EXAMPLE.org", "EXAMPLE.org"), ("xn--bcher-kva.example", "xn--bcher-kva.example"),
    ("مثال.إختبار", "xn--mgbh0fb.xn--kgbechtv"),
  ])
  func aLabelsAreMade(name: String, expected: String) {
    #expect(DomainName.inALabels(name) == expected)
  }

  @Test(arguments: [
    "💩.example", "ä\0.example", "ä b.example", "ä/b.example", "a\u{2100}b.example", "ä..example",
    "-ä.example", "\u{301}a.example", "ä\r\n.example", "m\u{200B}\u{85}.org", "ä_b.example",
    String(repeating: "ä", count: 63) + ".example",
  ])
  func noALabelsAreMade(_ name: String) {
    #expect(DomainName.inALabels(name) == nil)
  }

  // MARK: - Addresses

  @Test func aDomainGoesOutInALabels() throws {
    let server = try PlannedServer("ehlo2=strip:SMTPUTF8")
    var settings = try server.settings()
    settings.to = "me@bücher.example"
    settings.from = "me@faß.example"
    #expect(deliver(settings).summary == "accepted 250")
    let envelope = try #require(try server.accepted().first)
    #expect(envelope.from.hasPrefix("FROM:<me@xn--fa-hia.example> SIZE="))
    #expect(!envelope.from.contains("SMTPUTF8"))
    #expect(envelope.recipients == ["TO:<me@xn--bcher-kva.example>"])
  }

  @Test func aLocalPartGoesOutRawWhereTheServerTakesIt() throws {
    let server = try PlannedServer("")
    for (plan, security) in [(0, SubmissionSettings.Security.startTLS), (0, .implicitTLS)] {
      var settings = try server.settings(plan, security)
      settings.to = "jörg@bücher.example"
      #expect(deliver(settings).summary == "accepted 250")
    }
    for envelope in try server.accepted() {
      #expect(envelope.from.hasPrefix("FROM:<\(testUser)> "))
      #expect(envelope.from.hasSuffix(" SMTPUTF8"))
      #expect(envelope.recipients == ["TO:<jörg@xn--bcher-kva.example>"])
    }
  }

  /// libcurl would send it all the same.
  @Test func aLocalPartStaysWhereTheServerDoesNotTakeIt() throws {
    let server = try PlannedServer("ehlo2=strip:SMTPUTF8;ehlo=strip:SMTPUTF8")
    for (key, security) in [("to", SubmissionSettings.Security.startTLS), ("from", .implicitTLS)] {
      var settings = try server.settings(0, security)
      if key == "to" { settings.to = "jörg@test.example" } else { settings.from = "jörg@a.example" }
      let detail = "\(key): the server does not offer SMTPUTF8"
      #expect(deliver(settings) == .account(Trouble(.badAddress, detail: detail)))
      #expect(try server.records(of: settings.port).allSatisfy { $0.isInnocent })
    }
  }

  /// libcurl before 8.17 knows it in capitals only.
  @Test func onlyTheKeywordInCapitalsCounts() {
    for (line, expected) in [("SMTPUTF8", true), ("smtputf8", false), ("SMTPUTF8X", false)] {
      var capabilities = Capabilities()
      capabilities.read(wire(line))
      #expect(capabilities.takesUTF8 == expected)
    }
  }
}

private func deliver(_ settings: SubmissionSettings) -> Outcome {
  deliver(note(lines: 3), settings)
}
