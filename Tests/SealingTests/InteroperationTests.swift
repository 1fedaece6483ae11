import Sealing
import Testing

/// What we seal, `openssl cms` opens, and the other way round.
@Suite struct InteroperationTests {
  private static let sizes = [
    0, 1, 15, 16, 17, 127, 128, 255, 256, 1024, 65_535, 100_000, 5_000_000,
  ]

  @Test(arguments: sizes)
  func openSSLReadsWhatWeSeal(_ size: Int) throws {
    var random = FixedRandom(seed: UInt64(size) + 1)
    let content = random.octets(size)
    let openSSL = try OpenSSL()
    let identity = try Identity(notBefore: 1_700_000_000)
    try openSSL.write(identity)
    let sealed = try identity.seal(content)
    try openSSL.write(sealed, "note.der")
    let status = try openSSL.run(
      "cms", "-decrypt", "-binary", "-inform", "DER", "-in", "note.der", "-inkey", "key.pem",
      "-out", "note")
    #expect(status == 0)
    #expect(try openSSL.read("note") == content)
    #expect(try Keyholder(key: identity.key).open(sealed) == content)
    #expect(sealed.count - content.count < 300)
  }

  @Test(arguments: [[], ["-keyid"], ["-keyopt", "ecdh_kdf_md:sha256"]])
  func weReadWhatOpenSSLSeals(_ options: [String]) throws {
    var random = FixedRandom(seed: 7)
    let openSSL = try OpenSSL()
    let identity = try Identity(notBefore: 1_700_000_000)
    try openSSL.write(identity)
    let opener = try Keyholder(key: identity.key, certificate: identity.certificate)
    for size in [0, 1, 16, 1000, 100_000] {
      let content = random.octets(size)
      try openSSL.write(content, "note")
      let status = try openSSL.run(
        arguments: ["cms", "-encrypt", "-binary", "-aes-256-gcm", "-outform", "DER", "-in", "note"]
          + ["-out", "note.der", "-recip", "certificate.pem"] + options)
      #expect(status == 0)
      #expect(try opener.open(try openSSL.read("note.der")) == content)
    }
  }

  @Test func aCertificateWithoutKeyIdentifierIsNamedByIssuerAndSerialNumber() throws {
    let openSSL = try OpenSSL()
    try openSSL.makeKey(encryptedWith: nil)
    #expect(try openSSL.certify("subjectKeyIdentifier=none") == 0)
    let certificate = try openSSL.read("certificate.pem")
    let key = try openSSL.read("key.pem")
    let sealed = try Recipient(certificate: certificate).seal([1, 2, 3])
    try openSSL.write(sealed, "note.der")
    let status = try openSSL.run(
      "cms", "-decrypt", "-binary", "-inform", "DER", "-in", "note.der", "-inkey", "key.pem",
      "-recip", "certificate.pem", "-out", "note")
    #expect(status == 0)
    #expect(try openSSL.read("note") == [1, 2, 3])
    #expect(try Keyholder(key: key, certificate: certificate).open(sealed) == [1, 2, 3])
    #expect(throws: SealingError.otherRecipient) { _ = try Keyholder(key: key).open(sealed) }
  }

  @Test func aCertificateWithAnotherKeyIdentifierIsKnownByIt() throws {
    let openSSL = try OpenSSL()
    try openSSL.makeKey(encryptedWith: nil)
    #expect(try openSSL.certify("subjectKeyIdentifier=01:02:03:04") == 0)
    let certificate = try openSSL.read("certificate.pem")
    let key = try openSSL.read("key.pem")
    let sealed = try Recipient(certificate: certificate).seal([1, 2, 3])
    #expect(try Keyholder(key: key, certificate: certificate).open(sealed) == [1, 2, 3])
    #expect(throws: SealingError.otherRecipient) { _ = try Keyholder(key: key).open(sealed) }
  }
}

extension OpenSSL {
  /// Makes key.pem on the curve, plain or encrypted (PKCS#8).
  func makeKey(encryptedWith passphrase: String?, on curve: String = "P-256") throws {
    let encryption = passphrase.map { ["-aes-256-cbc", "-pass", "pass:\($0)"] } ?? []
    try run(
      arguments: ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(curve)"]
        + ["-out", "key.pem"] + encryption)
  }

  /// Makes certificate.pem for key.pem, with that extension.
  func certify(_ extension: String) throws -> Int32 {
    try write(
      Array("[req]\ndistinguished_name=d\n[d]\n[e]\n\(`extension`)\n".utf8), "openssl.cnf")
    return try run(
      "req", "-new", "-x509", "-key", "key.pem", "-subj", "/CN=a note", "-days", "10",
      "-config", "openssl.cnf", "-extensions", "e", "-out", "certificate.pem")
  }
}
