internal import Posix

/// The one that notes are sealed for: all that sealing needs is a certificate.
///
/// ```swift
/// let recipient = try Recipient(certificate: pem)
/// let der = try recipient.seal(message)
/// ```
/// `openssl cms -decrypt -inform DER -inkey key.pem` reads what it makes. Sealing does not prove
/// who wrote a note: anyone with the certificate can seal.
public struct Recipient: ~Copyable {
  private let library: Library
  private let curve: Curve
  private let publicKey: [UInt8]
  /// How notes name this recipient.
  let identifier: [UInt8]

  /// Reads an X.509 certificate for a key on P-256, in PEM.
  ///
  /// It is trusted for lying where it does: neither its signature nor its dates are looked at.
  ///
  /// - Throws: `certificateUnreadable`; `library` when memory is short.
  public init(certificate pem: [UInt8]) throws(SealingError) {
    let library = try Library()
    let curve = try Curve(library)
    let certificate = try Certificate(pem.span, on: curve)
    publicKey = certificate.publicKey
    identifier = certificate.recipientKeyIdentifier ?? certificate.issuerAndSerialNumber
    self.library = library
    self.curve = curve
  }

  /// Seals the content, of whatever size: the DER of a ContentInfo, some 280 octets longer.
  ///
  /// A new key and nonce every time. RFC 5083, 5084, 5753.
  ///
  /// - Throws: `noRandomness`; `library` when memory is short.
  public borrowing func seal(_ content: [UInt8]) throws(SealingError) -> [UInt8] {
    let contentKey = try KernelRandomness.secret(ContentEncryption.keySize)
    let nonce = try KernelRandomness.nonce()
    var sealed = try beginning(contentKey, nonce: nonce, contentCount: content.count)
    let tag = try ContentEncryption.encrypt(
      content.span, key: contentKey, nonce: nonce.span, appendingTo: &sealed, using: library)
    sealed += AuthEnvelopedData.end(tag: tag)
    return sealed
  }

  /// All that stands before the content, whose key is wrapped for this recipient.
  borrowing func beginning(
    _ contentKey: borrowing SecretBytes, nonce: [UInt8], contentCount: Int
  ) throws(SealingError) -> [UInt8] {
    let ephemeral = try curve.makeKey()
    return AuthEnvelopedData.beginning(
      ephemeralKey: try curve.publicKey(of: ephemeral), recipient: identifier,
      wrappedKey: try wrap(contentKey, ephemeral), nonce: nonce, contentCount: contentCount)
  }

  private borrowing func wrap(
    _ contentKey: borrowing SecretBytes, _ ephemeral: borrowing Scalar
  ) throws(SealingError) -> [UInt8] {
    guard let secret = try curve.sharedSecret(ephemeral, publicKey.span) else {
      throw .certificateUnreadable
    }
    let key = try KeyDerivation.keyEncryptionKey(from: secret, .sha256, using: library)
    return try KeyWrap.wrap(contentKey, with: key, using: library)
  }
}
