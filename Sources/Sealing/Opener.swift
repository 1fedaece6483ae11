public import Posix

/// The one who opens sealed notes: the holder of the private key.
///
/// Load it once for many notes. It knows a note for its own by the identifier of its public key
/// (RFC 5280 §4.2.1.2 (1)) and, given the certificate, by what that says.
public struct Opener: ~Copyable {
  private let library: Library
  private let curve: Curve
  private let privateKey: Scalar
  /// The recipient identifiers that mean us, as whole elements.
  private let identifiers: [[UInt8]]

  /// Reads a private key on P-256 in PEM: PKCS#8 or SEC 1.
  ///
  /// - Parameters:
  ///   - pem: The key, not encrypted.
  ///   - certificate: Its certificate in PEM, for notes that name issuer and serial number.
  /// - Throws: `keyUnreadable`; `keyLocked` when it is encrypted; `certificateUnreadable`;
  ///   `keyDoesNotMatch` when the certificate is another key's; `library`.
  public init(
    privateKey pem: borrowing SecretBytes, certificate: [UInt8]? = nil
  ) throws(SealingError) {
    let library = try Library()
    let curve = try Curve(library)
    let key = try PrivateKey.read(pem, on: curve, using: library)
    self = try Opener(library, curve, key, certificate)
  }

  /// Reads a private key on P-256 in PEM that may be encrypted.
  ///
  /// - Parameters:
  ///   - pem: The key: PKCS#8, encrypted or not, or SEC 1. RFC 5958, 8018, 5915.
  ///   - passphrase: What it is encrypted with; at most 1024 octets.
  ///   - certificate: Its certificate in PEM, for notes that name issuer and serial number.
  /// - Throws: As without a passphrase, and `passphraseWrong`.
  public init(
    privateKey pem: borrowing SecretBytes, passphrase: borrowing SecretBytes,
    certificate: [UInt8]? = nil
  ) throws(SealingError) {
    let library = try Library()
    let curve = try Curve(library)
    let key = try PrivateKey.read(pem, passphrase: passphrase, on: curve, using: library)
    self = try Opener(library, curve, key, certificate)
  }

  private init(
    _ library: consuming Library, _ curve: consuming Curve, _ key: consuming Scalar,
    _ pem: [UInt8]?
  ) throws(SealingError) {
    identifiers = try Self.identifiers(
      ofPublicKey: try curve.publicKey(of: key), pem, curve, library)
    self.library = library
    self.curve = curve
    privateKey = key
  }

  /// Opens the DER of a ContentInfo.
  ///
  /// - Returns: The content, once its tag is known to fit.
  /// - Throws: `notSealed`, `otherRecipient`, `damaged`; `library` when memory is short.
  public borrowing func open(_ der: [UInt8]) throws(SealingError) -> [UInt8] {
    let bytes = der.span
    let parts = try AuthEnvelopedData.parts(of: bytes)
    let recipient = bytes.copy(parts.recipient)
    guard identifiers.contains(recipient) else { throw .otherRecipient }
    let key = try unwrap(parts, bytes)
    return try ContentEncryption.decrypt(
      bytes.extracting(parts.content), tag: bytes.extracting(parts.tag), key: key,
      nonce: bytes.extracting(parts.nonce), using: library)
  }
}

// MARK: -

extension Opener {
  private borrowing func unwrap(
    _ parts: AuthEnvelopedData.Parts, _ bytes: Span<UInt8>
  ) throws(SealingError) -> SecretBytes {
    let ephemeralKey = bytes.extracting(parts.ephemeralKey)
    guard let secret = try curve.sharedSecret(privateKey, ephemeralKey) else { throw .damaged }
    let key = try KeyDerivation.keyEncryptionKey(from: secret, parts.digest, using: library)
    return try KeyWrap.unwrap(bytes.extracting(parts.wrappedKey), with: key, using: library)
  }

  private static func identifiers(
    ofPublicKey publicKey: [UInt8], _ pem: [UInt8]?, _ curve: borrowing Curve,
    _ library: borrowing Library
  ) throws(SealingError) -> [[UInt8]] {
    let own = try RecipientIdentifier.subjectKeyIdentifier(of: publicKey.span, using: library)
    var identifiers = [RecipientIdentifier.keyIdentifier(own)]
    guard let pem else { return identifiers }
    let certificate = try Certificate(pem.span, on: curve)
    guard certificate.publicKey == publicKey else { throw .keyDoesNotMatch }
    identifiers.append(certificate.issuerAndSerialNumber)
    if let named = certificate.recipientKeyIdentifier { identifiers.append(named) }
    return identifiers
  }
}
