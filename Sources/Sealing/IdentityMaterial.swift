package import Posix

/// A new key and its certificate, as they are to be written to key.pem and certificate.pem.
package struct IdentityMaterial: ~Copyable {
  /// The private key on P-256: PKCS#8 in PEM, not encrypted, RFC 5958.
  package let privateKey: SecretBytes

  /// Its self-signed certificate, in PEM, RFC 5280.
  package let certificate: [UInt8]

  /// Makes a key and its certificate.
  ///
  /// - Parameter notBefore: From when on the certificate is good, in seconds since 1970.
  /// - Returns: Both, to be written to disk: the key first.
  /// - Throws: `noRandomness`; `library` when memory is short.
  package static func makeIdentity(
    notBefore: Int64
  ) throws(SealingError) -> IdentityMaterial {
    let key = try PrivateKey.make()
    let certificate = try SelfSignedCertificate.make(for: key, notBefore: notBefore)
    return IdentityMaterial(privateKey: key, certificate: certificate)
  }
}
