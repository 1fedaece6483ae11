public import Posix

/// The one who opens sealed notes: the holder of the private key.
///
/// Load it once for many notes. It knows a note for its own by the identifier of its public key
/// (RFC 5280 §4.2.1.2 (1)) and, given the certificate, by what that says.
public struct Opener: ~Copyable {
  private let key: UnlockedKey
  /// The recipient identifiers that mean us, as whole elements.
  private let identifiers: [[UInt8]]
  /// Keys that this one took the place of.
  private let older: OldKeys?

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
    self = try Opener(try UnlockedKey(pem), certificate)
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
    self = try Opener(try UnlockedKey(pem, passphrase: passphrase), certificate)
  }

  /// The holder of a key that is open already.
  init(
    _ key: consuming UnlockedKey, _ certificate: [UInt8]?, older: OldKeys? = nil
  ) throws(SealingError) {
    identifiers = try Self.identifiers(of: key, certificate, older)
    self.key = key
    self.older = older
  }

  /// Opens the DER of a ContentInfo.
  ///
  /// - Returns: The content, once its tag is known to fit.
  /// - Throws: `notSealed`, `otherRecipient`, `damaged`; `library` when memory is short.
  public borrowing func open(_ der: [UInt8]) throws(SealingError) -> [UInt8] {
    let bytes = der.span
    let parts = try AuthEnvelopedData.parts(of: bytes)
    let recipient = bytes.copy(parts.recipient)
    guard identifiers.contains(recipient) else {
      guard let older = older?.key(namedBy: recipient) else { throw .otherRecipient }
      return try older.opener.open(der)
    }
    let contentKey = try unwrap(parts, bytes)
    return try ContentEncryption.decrypt(
      bytes.extracting(parts.content), tag: bytes.extracting(parts.tag), key: contentKey,
      nonce: bytes.extracting(parts.nonce), using: key.library)
  }

  /// The same content, encrypted as it was, its key wrapped for another recipient.
  ///
  /// The content's own octets are not touched, so it comes out as before. That it does is proven
  /// by whoever opens the result.
  ///
  /// - Throws: As `open(_:)`, but that the content is not looked at.
  public borrowing func rewrap(
    _ der: [UInt8], for recipient: borrowing Recipient
  ) throws(SealingError) -> [UInt8] {
    let bytes = der.span
    let parts = try AuthEnvelopedData.parts(of: bytes)
    let name = bytes.copy(parts.recipient)
    guard identifiers.contains(name) else {
      guard let older = older?.key(namedBy: name) else { throw .otherRecipient }
      return try older.opener.rewrap(der, for: recipient)
    }
    var sealed = try recipient.beginning(
      try unwrap(parts, bytes), nonce: bytes.copy(parts.nonce), contentCount: parts.content.count)
    sealed += der[parts.content]
    sealed += AuthEnvelopedData.end(tag: bytes.copy(parts.tag))
    return sealed
  }

  /// Whether a recipient identifier means this key itself, not one of the older ones.
  borrowing func isNamed(by recipient: [UInt8]) -> Bool { identifiers.contains(recipient) }
}

// MARK: -

extension Opener {
  private borrowing func unwrap(
    _ parts: AuthEnvelopedData.Parts, _ bytes: Span<UInt8>
  ) throws(SealingError) -> SecretBytes {
    let ephemeralKey = bytes.extracting(parts.ephemeralKey)
    guard let secret = try key.curve.sharedSecret(key.scalar, ephemeralKey) else {
      throw .damaged
    }
    let encryptionKey = try KeyDerivation.keyEncryptionKey(
      from: secret, parts.digest, using: key.library)
    return try KeyWrap.unwrap(
      bytes.extracting(parts.wrappedKey), with: encryptionKey, using: key.library)
  }

  private static func identifiers(
    of key: borrowing UnlockedKey, _ pem: [UInt8]?, _ older: OldKeys?
  ) throws(SealingError) -> [[UInt8]] {
    let own = try key.identifier()
    var identifiers = [RecipientIdentifier.keyIdentifier(own)]
    guard let pem else { return identifiers }
    let certificate = try Certificate(pem.span, on: key.curve)
    guard certificate.publicKey == key.publicKey else {
      // A rotation that was broken off: the certificate is still that of the key before.
      let its = try RecipientIdentifier.subjectKeyIdentifier(
        of: certificate.publicKey.span, using: key.library)
      guard older?.holds(its) ?? false else { throw .keyDoesNotMatch }
      return identifiers
    }
    identifiers.append(certificate.issuerAndSerialNumber)
    if let named = certificate.recipientKeyIdentifier { identifiers.append(named) }
    return identifiers
  }
}
