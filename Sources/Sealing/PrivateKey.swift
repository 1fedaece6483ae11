internal import Posix

// Design: a key as memo itself writes it, PKCS#8 and not encrypted, is read here: its octets are
// nearly all the same, and the library's decoders would cost a fresh process a millisecond. All
// other forms go to the library.

// PrivateKeyInfo ::= SEQUENCE {                                             RFC 5958 §2
//   version 0, privateKeyAlgorithm, privateKey OCTET STRING }
// ECPrivateKey ::= SEQUENCE {                                               RFC 5915 §3
//   version 1, privateKey OCTET STRING, parameters [0] OPTIONAL, publicKey [1] BIT STRING OPTIONAL }

/// Private keys on P-256 in PEM.
enum PrivateKey {
  private static let versionZero: [UInt8] = [0x02, 1, 0]
  private static let versionOne: [UInt8] = [0x02, 1, 1]
}

// MARK: - Reading

extension PrivateKey {
  /// Reads a key that needs no passphrase.
  static func read(
    _ pem: borrowing SecretBytes, on curve: borrowing Curve, using library: borrowing Library
  ) throws(SealingError) -> Scalar {
    guard let octets = plainKey(pem) else {
      let none = SecretBytes(capacity: 0)
      return try decode(pem, none, lockedAs: .keyLocked, curve, library)
    }
    return try scalar(octets, curve)
  }

  /// Reads a key that may need the passphrase.
  static func read(
    _ pem: borrowing SecretBytes, passphrase: borrowing SecretBytes, on curve: borrowing Curve,
    using library: borrowing Library
  ) throws(SealingError) -> Scalar {
    guard let octets = plainKey(pem) else {
      return try decode(pem, passphrase, lockedAs: .passphraseWrong, curve, library)
    }
    return try scalar(octets, curve)
  }

  private static func decode(
    _ pem: borrowing SecretBytes, _ passphrase: borrowing SecretBytes,
    lockedAs locked: SealingError, _ curve: borrowing Curve, _ library: borrowing Library
  ) throws(SealingError) -> Scalar {
    let key = try LibraryKey(pem: pem, passphrase: passphrase, lockedAs: locked, library)
    return try scalar(try key.privateOctets(), curve)
  }

  private static func scalar(
    _ octets: borrowing SecretBytes, _ curve: borrowing Curve
  ) throws(SealingError) -> Scalar {
    guard let scalar = try curve.scalar(octets) else { throw .keyUnreadable }
    return scalar
  }

  /// The octets of the number, if it is PKCS#8 and not encrypted.
  private static func plainKey(_ pem: borrowing SecretBytes) -> SecretBytes? {
    guard let der = pem.withBytes({ PEM.decode(.privateKey, in: $0) }) else { return nil }
    return der.withBytes { der in
      guard let part = try? number(in: der) else { return nil }
      return SecretBytes(copying: der.extracting(part))
    }
  }

  private static func number(in der: Span<UInt8>) throws(DERReader.Mismatch) -> Range<Int> {
    var outer = DERReader(0..<der.count)
    var info = DERReader(try outer.read(.sequence, in: der))
    try outer.finish()
    try info.expect(versionZero, in: der)
    try info.expect(AlgorithmIdentifier.p256PublicKey, in: der)
    var octets = DERReader(try info.read(.octetString, in: der))
    var key = DERReader(try octets.read(.sequence, in: der))
    try key.expect(versionOne, in: der)
    let number = try key.read(.octetString, in: der)
    guard number.count == Curve.scalarSize else { throw DERReader.Mismatch() }
    return number
  }
}

// MARK: - Writing

extension PrivateKey {
  /// PKCS#8 with the public key, as `openssl pkcs8` writes it.
  static func write(
    _ privateKey: borrowing SecretBytes, publicKey: [UInt8]
  ) -> SecretBytes {
    let bits = DER.element(.explicit(1), DER.element(.bitString, [0], publicKey))
    let number = DER.header(.octetString, length: privateKey.count)
    let keyCount = versionOne.count + number.count + privateKey.count + bits.count
    let key = DER.header(.sequence, length: keyCount)
    let octets = DER.header(.octetString, length: key.count + keyCount)
    let algorithm = AlgorithmIdentifier.p256PublicKey
    let count = versionZero.count + algorithm.count + octets.count + key.count + keyCount
    let info = DER.header(.sequence, length: count)
    var der = SecretBytes(capacity: info.count + count)
    for part in [info, versionZero, algorithm, octets, key, versionOne, number] {
      der.append(part.span)
    }
    privateKey.withBytes { der.append($0) }
    der.append(bits.span)
    return der
  }
}
