import Outbox
import Testing

@testable import Submission

/// A server known by the fingerprint of its certificate.
@Suite struct PinningTests {
  private static let modes = [SubmissionSettings.Security.startTLS, .implicitTLS]

  /// Neither chain, name nor dates matter: it is this certificate or none.
  @Test(arguments: ["srv", "expired", "future", "wronghost", "untrusted", "selfsigned", "cnonly"])
  func theRightCertificateIsTaken(name: String) throws {
    let server = try PlannedServer("tls=cert:\(name)")
    for security in Self.modes {
      var settings = try server.settings(0, security)
      settings.caFile = nil
      settings.fingerprint = try fingerprint(of: name)
      #expect(deliver(settings).summary == "accepted 250")
    }
  }

  /// A certificate that the authority vouches for is no better than another one.
  @Test(arguments: ["srv", "selfsigned", "untrusted"])
  func aWrongCertificateStopsBeforeTheLogin(name: String) throws {
    let server = try PlannedServer("tls=cert:\(name)")
    let expected = try fingerprint(of: "wildcard")
    let found = try PlannedServer.fingerprint(of: name)
    for security in Self.modes {
      var settings = try server.settings(0, security)
      settings.fingerprint = expected
      guard case .account(let trouble) = deliver(settings) else {
        Issue.record("not stopped")
        continue
      }
      #expect(trouble.cause == .certificate)
      let configured = try PlannedServer.fingerprint(of: "wildcard")
      #expect(
        trouble.detail
          == "its fingerprint begins with \(beginning(found)), the configured one with "
          + beginning(configured))
      let records = try server.records(of: settings.port)
      #expect(records.count == 1)
      #expect(
        records.allSatisfy { $0.isInnocent && $0.logins.isEmpty && $0.stages.contains("tls") })
    }
  }

  /// The server is replaced between two connections of one run: a new handshake, a new check.
  @Test func everyConnectionIsChecked() throws {
    let server = try PlannedServer("idle=drop | tls=cert:selfsigned")
    var settings = try server.settings()
    settings.fingerprint = try fingerprint(of: "srv")
    var agent = makeAgent(settings)
    #expect(agent.deliver(note(lines: 1)) { true }.summary == "accepted 250")
    let second = agent.deliver(note(lines: 1)) { true }
    #expect(second.summary.hasPrefix("account certificate its fingerprint begins with "))
    let records = try server.records(count: 2)
    #expect(records.map(\.logins.count) == [1, 0])
  }

  @Test(arguments: ["", "ab", String(repeating: "g", count: 64), String(repeating: "a", count: 63)])
  func whatIsNoFingerprintIsRefused(_ text: String) {
    #expect(CertificateFingerprint(hexadecimal: text) == nil)
  }

  @Test(arguments: [
    "", "-----BEGIN CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
    "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n", "TUlJ\n",
  ])
  func whatIsNoCertificateHasNone(_ text: String) {
    #expect(CertificateFingerprint(ofPEM: wire(text)) == nil)
  }

  /// FIPS 180-4: SHA-256 of "abc".
  @Test func theFingerprintIsTheDigestOfTheOctets() {
    let pem = "Subject: x\n-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----\n"
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    #expect(CertificateFingerprint(ofPEM: wire(pem)) == CertificateFingerprint(hexadecimal: digest))
    #expect(CertificateFingerprint(hexadecimal: digest.uppercased()) != nil)
  }

  private func fingerprint(of name: String) throws -> CertificateFingerprint {
    try #require(CertificateFingerprint(hexadecimal: try PlannedServer.fingerprint(of: name)))
  }

  private func beginning(_ digits: String) -> String {
    stride(from: 0, to: 8, by: 2).map { String(digits.dropFirst($0).prefix(2)) }
      .joined(separator: ":")
  }
}

private func deliver(_ settings: SubmissionSettings) -> Outcome {
  deliver(note(lines: 3), settings)
}
