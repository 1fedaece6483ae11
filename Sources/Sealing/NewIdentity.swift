internal import Posix

extension PrivateKey {
  /// A new private key: PKCS#8 in PEM, not encrypted, RFC 5958.
  ///
  /// - Throws: `noRandomness`; `library` when memory is short.
  static func make() throws(SealingError) -> SecretBytes {
    let library = try Library()
    let curve = try Curve(library)
    let scalar = try curve.makeKey()
    let der = write(try scalar.octets(), publicKey: try curve.publicKey(of: scalar))
    return der.withBytes { PEM.encode(.privateKey, $0) }
  }
}

extension SelfSignedCertificate {
  /// The certificate of a private key, in PEM.
  ///
  /// - Parameters:
  ///   - pem: The key, not encrypted.
  ///   - notBefore: From when on it is good, in seconds since 1970. It has no end: RFC 5280
  ///     §4.1.2.5.
  /// - Returns: The certificate.
  /// - Throws: `keyUnreadable`, `keyLocked`; `noRandomness`; `library` when memory is short.
  static func make(
    for pem: borrowing SecretBytes, notBefore: Int64
  ) throws(SealingError) -> [UInt8] {
    try make(for: try UnlockedKey(pem), notBefore: notBefore)
  }

  /// The certificate of an open key, in PEM.
  static func make(
    for key: borrowing UnlockedKey, notBefore: Int64
  ) throws(SealingError) -> [UInt8] {
    let certificate = SelfSignedCertificate(
      publicKey: key.publicKey, keyIdentifier: try key.identifier(),
      serialNumber: try KernelRandomness.octets(serialSize), notBefore: notBefore)
    let signed = try certificate.signed(
      by: try LibraryKey(der: try key.info(), key.library), using: key.library)
    return PEM.encode(.certificate, signed.span).copy()
  }
}
