/// A new key and its certificate, as they are to be written to key.pem and certificate.pem.
public struct IdentityMaterial: ~Copyable {
  /// The private key on P-256: PKCS#8 in PEM, not encrypted, RFC 5958.
  public let privateKey: SecretBytes

  /// Its self-signed certificate, in PEM, RFC 5280.
  public let certificate: [UInt8]

  /// Makes a key and its certificate.
  ///
  /// - Parameter notBefore: From when on the certificate is good, in seconds since 1970. It has
  ///   no end: RFC 5280 §4.1.2.5.
  /// - Returns: Both, to be written to disk: the key first.
  /// - Throws: `noRandomness`; `library` when memory is short.
  public static func makeIdentity(
    notBefore: Int64
  ) throws(SealingError) -> IdentityMaterial {
    let library = try Library()
    let curve = try Curve(library)
    let scalar = try curve.makeKey()
    let publicKey = try curve.publicKey(of: scalar)
    let der = PrivateKey.write(try scalar.octets(), publicKey: publicKey)
    let certificate = try SelfSignedCertificate(
      publicKey: publicKey,
      keyIdentifier: try RecipientIdentifier.subjectKeyIdentifier(
        of: publicKey.span, using: library),
      serialNumber: try Randomness.octets(SelfSignedCertificate.serialSize), notBefore: notBefore
    ).signed(by: try LibraryKey(der: der, library), using: library)
    return IdentityMaterial(
      privateKey: der.withBytes { PEM.encode(.privateKey, $0) },
      certificate: PEM.encode(.certificate, certificate.span).copy())
  }
}
