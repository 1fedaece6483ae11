import Foundation
import Sealing
import Testing

/// Keys and certificates: made, read, and told apart.
@Suite struct IdentityTests {
  @Test func openSSLTakesTheIdentity() throws {
    let openSSL = try OpenSSL()
    try openSSL.write(try Identity(notBefore: 1_700_000_000))
    #expect(try openSSL.run("pkey", "-in", "key.pem", "-check", "-noout") == 0)
    #expect(try openSSL.run("verify", "-CAfile", "certificate.pem", "certificate.pem") == 0)
    try openSSL.run("x509", "-in", "certificate.pem", "-noout", "-text", "-out", "text")
    let text = String(decoding: try openSSL.read("text"), as: UTF8.self)
    for part in [
      "Version: 3", "Issuer: CN = memo", "Subject: CN = memo",
      "Not Before: Nov 14 22:13:20 2023 GMT", "Not After : Dec 31 23:59:59 9999 GMT",
      "X509v3 Subject Key Identifier",
      "X509v3 Key Usage: critical\n                Key Agreement\n",
    ] { #expect(text.replacing("CN=memo", with: "CN = memo").contains(part), "\(part)") }
  }

  @Test func noTwoIdentitiesAreAlike() throws {
    let first = try Identity()
    let second = try Identity()
    #expect(first.certificate != second.certificate)
    #expect(first.key != second.key)
  }

  // RFC 5280 §4.1.2.5, with the calendar of Foundation as the judge.
  @Test func timesAreThoseOfTheCalendar() throws {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    var random = FixedRandom(seed: 3)
    let edges: [Int64] = [
      0, -1, 951_782_400, 951_868_799, 951_868_800, 1_709_164_800, 4_107_542_399, 4_107_542_400,
      2_524_607_999, 2_524_608_000, -631_152_000, -631_152_001, 253_402_300_799, 2_147_483_648,
    ]
    let others = (0..<2_000).map { _ in
      Int64.random(in: -9_000_000_000...250_000_000_000, using: &random)
    }
    for seconds in edges + others {
      let date = Date(timeIntervalSince1970: Double(seconds))
      let part = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: date)
      let year = part.year ?? 0
      let isShort = (1950...2049).contains(year)
      let rest = [part.month, part.day, part.hour, part.minute, part.second].map { $0 ?? 0 }
      let text =
        String(format: isShort ? "%02d" : "%04d", isShort ? year % 100 : year)
        + rest.map { String(format: "%02d", $0) }.joined() + "Z"
      let element = CertificateTime.element(seconds)
      #expect(String(decoding: element.dropFirst(2), as: UTF8.self) == text, "\(seconds)")
      #expect(element[0] == (isShort ? 0x17 : 0x18))
    }
  }

  @Test(arguments: [Int64.min, -62_167_219_201, 253_402_300_800, Int64.max])
  func timesBeyondTheCalendarAreCut(_ seconds: Int64) {
    let text = String(decoding: CertificateTime.element(seconds).dropFirst(2), as: UTF8.self)
    #expect(text == (seconds < 0 ? "00000101000000Z" : "99991231235959Z"))
  }

  @Test func anotherKeysCertificateIsRefused() throws {
    let first = try Identity()
    let second = try Identity()
    #expect(throws: SealingError.keyDoesNotMatch) {
      _ = try Keyholder(key: first.key, certificate: second.certificate)
    }
  }

  @Test func anEncryptedKeyNeedsItsPassphrase() throws {
    let openSSL = try OpenSSL()
    try openSSL.makeKey(encryptedWith: "correct horse")
    #expect(
      try openSSL.run(
        "req", "-new", "-x509", "-key", "key.pem", "-passin", "pass:correct horse", "-subj",
        "/CN=a",
        "-out", "certificate.pem") == 0)
    let key = try openSSL.read("key.pem")
    let sealed = try Recipient(certificate: try openSSL.read("certificate.pem")).seal([9])
    #expect(try Keyholder(key: key, passphrase: "correct horse").open(sealed) == [9])
    #expect(throws: SealingError.passphraseWrong) {
      _ = try Keyholder(key: key, passphrase: "correct hors")
    }
    #expect(throws: SealingError.keyLocked) { _ = try Keyholder(key: key) }
  }

  @Test func aKeyThatIsNotEncryptedIgnoresThePassphrase() throws {
    let identity = try Identity()
    let sealed = try identity.seal([9])
    let opener = try Keyholder(key: identity.key, passphrase: "none")
    #expect(try opener.open(sealed) == [9])
  }

  // RFC 5915: "-----BEGIN EC PRIVATE KEY-----".
  @Test func aKeyInTheOldFormIsRead() throws {
    let openSSL = try OpenSSL()
    let identity = try Identity()
    try openSSL.write(identity)
    #expect(try openSSL.run("ec", "-in", "key.pem", "-out", "old.pem") == 0)
    let sealed = try identity.seal([9])
    let old = try openSSL.read("old.pem")
    #expect(try Keyholder(key: old).open(sealed) == [9])
  }

  @Test func keysOnOtherCurvesAreRefused() throws {
    let openSSL = try OpenSSL()
    try openSSL.makeKey(encryptedWith: nil, on: "secp256k1")
    #expect(try openSSL.certify("subjectKeyIdentifier=hash") == 0)
    let key = try openSSL.read("key.pem")
    let certificate = try openSSL.read("certificate.pem")
    #expect(throws: SealingError.keyUnreadable) { _ = try Keyholder(key: key) }
    #expect(throws: SealingError.certificateUnreadable) {
      _ = try Recipient(certificate: certificate)
    }
  }

  @Test(arguments: [
    "", "\n", "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n",
  ])
  func textsThatAreNoKeysAreRefused(_ text: String) throws {
    let bytes = Array(text.utf8)
    #expect(throws: SealingError.keyUnreadable) {
      _ = try Keyholder(key: bytes)
    }
    #expect(throws: SealingError.certificateUnreadable) { _ = try Recipient(certificate: bytes) }
  }

  @Test func textBeforeTheCertificateAndCarriageReturnsArePassedOver() throws {
    let identity = try Identity()
    let pem = String(decoding: identity.certificate, as: UTF8.self)
    let text = "Certificate:\n  Data: -----BEGIN CERTIFICATE-----\n" + pem
    for form in [text, pem.replacing("\n", with: "\r\n")] {
      let sealed = try Recipient(certificate: Array(form.utf8)).seal([7])
      #expect(try Keyholder(key: identity.key).open(sealed) == [7])
    }
  }

  @Test func base64ComesBackAtEveryLength() throws {
    var random = FixedRandom(seed: 4)
    for count in 0...200 {
      let bytes = random.octets(count)
      let pem = PEM.encode(.certificate, bytes.span).copy()
      let body = String(decoding: pem, as: UTF8.self).split(separator: "\n").dropFirst().dropLast()
      #expect(body.joined() == Data(bytes).base64EncodedString())
      #expect(body.dropLast().allSatisfy { $0.utf8.count == 64 })
      #expect(PEM.decode(.certificate, in: pem.span)?.copy() == bytes)
    }
  }
}
