import Foundation
import Posix
import TestSupport
import Testing

@testable import Sealing

/// A private key in all the forms it is written in, which openssl must read.
@Suite struct KeyFormsTests {
  private static let passphrase = "correct hörse #\"$ "
  private let identity: Identity
  private let openSSL: OpenSSL

  init() throws {
    identity = try Identity()
    openSSL = try OpenSSL()
    try openSSL.write(identity)
  }

  // Results are arrays, since `#expect` captures what stands in it.
  private func locked(_ passphrase: String) throws -> [UInt8] {
    let key = try UnlockedKey(SecretBytes(copying: identity.key.span))
    return try key.pem(under: SecretBytes(copying: Array(passphrase.utf8).span)).copy()
  }

  private func der(_ certificate: [UInt8]) -> [UInt8] {
    guard let der = PEM.decode(.certificate, in: certificate.span) else { return [] }
    return der.copy()
  }

  private func pkcs12(_ certificate: [UInt8], _ strength: PKCS12.Strength) throws -> [UInt8] {
    let key = try UnlockedKey(SecretBytes(copying: identity.key.span))
    return try key.pkcs12(
      certificate: certificate,
      passphrase: SecretBytes(copying: Array(Self.passphrase.utf8).span), strength)
  }

  @Test func openSSLReadsAKeyUnderAPassphrase() throws {
    let locked = try self.locked(Self.passphrase)
    #expect(locked.starts(with: Array("-----BEGIN ENCRYPTED PRIVATE KEY-----\n".utf8)))
    try openSSL.write(locked, "locked.pem")
    let word = "pass:" + Self.passphrase
    #expect(
      try openSSL.run(
        "pkey", "-in", "locked.pem", "-passin", word, "-out", "plain.pem") == 0)
    #expect(try openSSL.read("plain.pem") == identity.key)
    #expect(try openSSL.run("pkey", "-in", "locked.pem", "-passin", "pass:other", "-noout") != 0)
    try openSSL.write(try identity.seal([1, 2, 3]), "note.der")
    #expect(
      try openSSL.run(
        "cms", "-decrypt", "-binary", "-inform", "DER", "-in", "note.der", "-inkey", "locked.pem",
        "-passin", word, "-out", "note") == 0)
    #expect(try openSSL.read("note") == [1, 2, 3])
  }

  // RFC 7914 §7: scrypt with N = 2^14, r = 8, p = 5.
  @Test func thePassphraseIsStretchedByScrypt() throws {
    try openSSL.write(try self.locked("x"), "locked.pem")
    try openSSL.run("asn1parse", "-in", "locked.pem", "-out", "der")
    // It writes DER: costParameter, blockSize and parallelizationParameter, one after the other.
    let numbers = hex("0202 4000 0201 08 0201 05")
    #expect(try openSSL.read("der").firstRange(of: ObjectIdentifier.scrypt) != nil)
    #expect(try openSSL.read("der").firstRange(of: numbers) != nil)
  }

  @Test func aLockedKeyOpensWithItsPassphraseAlone() throws {
    let locked = try self.locked(Self.passphrase)
    let sealed = try identity.seal([9])
    #expect(try Keyholder(key: locked, passphrase: Self.passphrase).open(sealed) == [9])
    #expect(throws: SealingError.passphraseWrong) {
      _ = try Keyholder(key: locked, passphrase: "correct")
    }
    #expect(throws: SealingError.keyLocked) { _ = try Keyholder(key: locked) }
  }

  @Test func theSameKeyUnderTheSamePassphraseNeverLooksTheSame() throws {
    #expect(try locked("x") != locked("x"))
  }

  @Test(arguments: [PKCS12.Strength.strong, .old])
  func openSSLReadsPKCS12(strength: PKCS12.Strength) throws {
    let file = try pkcs12(identity.certificate, strength)
    try openSSL.write(file, "identity.p12")
    let common = ["pkcs12", "-in", "identity.p12", "-passin", "pass:" + Self.passphrase, "-nodes"]
    #expect(try openSSL.run(arguments: common + ["-nocerts", "-out", "key"]) == 0)
    #expect(try openSSL.run(arguments: common + ["-nokeys", "-out", "certificate"]) == 0)
    #expect(try Keyholder(key: try openSSL.read("key")).open(try identity.seal([7])) == [7])
    #expect(der(try openSSL.read("certificate")) == der(identity.certificate))
    #expect(
      try openSSL.run("pkcs12", "-in", "identity.p12", "-passin", "pass:x", "-noout") != 0)
  }

  @Test func aPKCS12FileIsNotMadeOfStrangers() throws {
    let other = try Identity()
    #expect(throws: SealingError.keyDoesNotMatch) {
      _ = try self.pkcs12(other.certificate, .strong)
    }
  }

  @Test(
    arguments: [
      0, -1, 951_782_399, 951_868_800, 2_524_607_999, 2_524_608_000, -631_152_001, 253_402_300_799,
      1_796_075_336,
    ] as [Int64])
  func aTimeIsReadAsItIsWritten(seconds: Int64) {
    #expect(CertificateTime.seconds(CertificateTime.element(seconds)) == seconds)
  }

  @Test func manyTimesAreReadAsTheyAreWritten() {
    var random = FixedRandom(seed: 12)
    for _ in 0..<5_000 {
      let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &random)
      #expect(CertificateTime.seconds(CertificateTime.element(seconds)) == seconds)
    }
    #expect(CertificateTime.seconds([]) == nil)
    #expect(CertificateTime.seconds([0x17, 13] + Array("26113021x856Z".utf8)) == nil)
  }
}

/// A content key wrapped anew: the content stays what it was.
@Suite struct RewrappingTests {
  @Test func onlyTheRecipientChanges() throws {
    let (old, new) = (try Identity(), try Identity())
    var random = FixedRandom(seed: 4)
    for size in [0, 1, 1000, 100_000] {
      let content = random.octets(size)
      let sealed = try old.seal(content)
      let rewrapped = try rewrapped(sealed, from: old, to: new)
      #expect(try Keyholder(key: new.key).open(rewrapped) == content)
      #expect(rewrapped.suffix(size + 18) == sealed.suffix(size + 18))
      #expect(throws: SealingError.otherRecipient) {
        _ = try Keyholder(key: old.key).open(rewrapped)
      }
      let openSSL = try OpenSSL()
      try openSSL.write(new)
      try openSSL.write(rewrapped, "note.der")
      #expect(
        try openSSL.run(
          "cms", "-decrypt", "-binary", "-inform", "DER", "-in", "note.der", "-inkey", "key.pem",
          "-out", "note") == 0)
      #expect(try openSSL.read("note") == content)
    }
  }

  private func rewrapped(
    _ sealed: [UInt8], from old: Identity, to new: Identity
  ) throws -> [UInt8] {
    let opener = try Opener(privateKey: SecretBytes(copying: old.key.span))
    return try opener.rewrap(sealed, for: try Recipient(certificate: new.certificate))
  }
}
