// Design: our own writer and reader of the one form that memo uses, in the octets that OpenSSL's
// CMS_encrypt gives too (but for the digest of the key derivation, where OpenSSL's default is
// SHA-1). GCM authenticates the content only; so the reader takes nothing that the writer would
// not have written, and what is free in the form is bound: the ephemeral key and both algorithm
// identifiers by the key derivation, the wrapped key by its own check, the nonce and content by
// the tag, the recipient by comparison. Attributes, several recipients, other content types,
// user keying material and indefinite lengths are refused.

// ContentInfo ::= SEQUENCE { contentType, content [0] EXPLICIT }             RFC 5652 §3
// AuthEnvelopedData ::= SEQUENCE {                                          RFC 5083 §2.1
//   version 0, recipientInfos SET OF, authEncryptedContentInfo, mac OCTET STRING }
// KeyAgreeRecipientInfo ::= [1] IMPLICIT SEQUENCE {                          RFC 5652 §6.2.2
//   version 3, originator [0] EXPLICIT, keyEncryptionAlgorithm, recipientEncryptedKeys }
// EncryptedContentInfo ::= SEQUENCE {                                       RFC 5652 §6.1
//   contentType, contentEncryptionAlgorithm, encryptedContent [0] IMPLICIT OCTET STRING }
// GCMParameters ::= SEQUENCE { aes-nonce OCTET STRING, aes-ICVlen INTEGER }  RFC 5084 §3.2

/// CMS AuthEnvelopedData with AES-256-GCM for one recipient whose key is on P-256.
///
/// RFC 5083, 5084, 5753 §3.2.
enum AuthEnvelopedData {
  private static let versionZero: [UInt8] = [0x02, 1, 0]
  private static let versionThree: [UInt8] = [0x02, 1, 3]
  private static let tagLength: [UInt8] = [0x02, 1, UInt8(ContentEncryption.tagSize)]
}

// MARK: - Writing

extension AuthEnvelopedData {
  /// Everything up to the encrypted content, of which `contentCount` octets follow, and the tag.
  static func beginning(
    ephemeralKey: [UInt8], recipient: [UInt8], wrappedKey: [UInt8], nonce: [UInt8],
    contentCount: Int
  ) -> [UInt8] {
    let recipients = recipientInfos(ephemeralKey, recipient, wrappedKey)
    let content = contentBeginning(nonce, contentCount)
    let tagCount = 2 + ContentEncryption.tagSize
    let count = versionZero.count + recipients.count + content.count + contentCount + tagCount
    let sequence = DER.header(.sequence, length: count)
    let explicit = DER.header(.explicit(0), length: sequence.count + count)
    let type = ObjectIdentifier.authEnvelopedData
    let outer = DER.header(
      .sequence, length: type.count + explicit.count + sequence.count + count)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(outer.count + type.count + explicit.count + sequence.count + count)
    for part in [outer, type, explicit, sequence, versionZero, recipients, content] {
      bytes += part
    }
    return bytes
  }

  /// What follows the encrypted content.
  static func end(tag: [UInt8]) -> [UInt8] { DER.element(.octetString, tag) }

  private static func recipientInfos(
    _ ephemeralKey: [UInt8], _ recipient: [UInt8], _ wrappedKey: [UInt8]
  ) -> [UInt8] {
    let originator = DER.element(
      .explicit(0),
      DER.element(
        .explicit(1), AlgorithmIdentifier.ecPublicKey,
        DER.element(.bitString, [0], ephemeralKey)))
    let encryptedKeys = DER.element(
      .sequence,
      DER.element(.sequence, recipient, DER.element(.octetString, wrappedKey)))
    return DER.element(
      .set,
      DER.element(
        .explicit(1), versionThree, originator, AlgorithmIdentifier.keyAgreement(.sha256),
        encryptedKeys))
  }

  private static func contentBeginning(_ nonce: [UInt8], _ contentCount: Int) -> [UInt8] {
    let parameters = DER.element(.sequence, DER.element(.octetString, nonce), tagLength)
    let algorithm = DER.element(.sequence, ObjectIdentifier.aes256GCM, parameters)
    let encrypted = DER.header(.implicit(0), length: contentCount)
    let type = ObjectIdentifier.data
    let count = type.count + algorithm.count + encrypted.count + contentCount
    return DER.header(.sequence, length: count) + type + algorithm + encrypted
  }
}

// MARK: - Reading

extension AuthEnvelopedData {
  /// Where the parts are that differ from one sealed note to the other.
  struct Parts {
    let ephemeralKey: Range<Int>
    let digest: Digest
    let recipient: Range<Int>
    let wrappedKey: Range<Int>
    let nonce: Range<Int>
    let content: Range<Int>
    let tag: Range<Int>
  }

  /// Finds the parts.
  ///
  /// - Throws: `notSealed` when it does not begin as AuthEnvelopedData does, `damaged` when it
  ///   does not go on as written above.
  static func parts(of der: Span<UInt8>) throws(SealingError) -> Parts {
    guard isContentInfo(der) else { throw .notSealed }
    do throws(DERReader.Mismatch) {
      return try parts(in: der)
    } catch { throw .damaged }
  }

  /// Whether it begins with the header of a sequence and our content type.
  ///
  /// The lengths are left to the reading of the whole: a note cut short is damaged.
  private static func isContentInfo(_ der: Span<UInt8>) -> Bool {
    guard der.count > 2, der[0] == DER.Tag.sequence.octet else { return false }
    let start = 2 + (der[1] < 0x80 ? 0 : Int(der[1] - 0x80))
    let type = ObjectIdentifier.authEnvelopedData
    return type.count <= der.count - start
      && type.indices.allSatisfy { der[start + $0] == type[$0] }
  }

  private static func parts(in der: Span<UInt8>) throws(DERReader.Mismatch) -> Parts {
    var outer = DERReader(0..<der.count)
    var contentInfo = DERReader(try outer.read(.sequence, in: der))
    try outer.finish()
    try contentInfo.expect(ObjectIdentifier.authEnvelopedData, in: der)
    var explicit = DERReader(try contentInfo.read(.explicit(0), in: der))
    try contentInfo.finish()
    var data = DERReader(try explicit.read(.sequence, in: der))
    try explicit.finish()
    try data.expect(versionZero, in: der)
    let recipient = try recipient(try data.read(.set, in: der), in: der)
    let content = try content(try data.read(.sequence, in: der), in: der)
    let tag = try data.read(.octetString, of: ContentEncryption.tagSize, in: der)
    try data.finish()
    return Parts(
      ephemeralKey: recipient.ephemeralKey, digest: recipient.digest,
      recipient: recipient.identifier, wrappedKey: recipient.wrappedKey, nonce: content.nonce,
      content: content.encrypted, tag: tag)
  }

  private typealias RecipientParts = (
    ephemeralKey: Range<Int>, digest: Digest, identifier: Range<Int>, wrappedKey: Range<Int>
  )

  private static func recipient(
    _ part: Range<Int>, in der: Span<UInt8>
  ) throws(DERReader.Mismatch) -> RecipientParts {
    var set = DERReader(part)
    var info = DERReader(try set.read(.explicit(1), in: der))
    try set.finish()
    try info.expect(versionThree, in: der)
    let ephemeralKey = try originator(try info.read(.explicit(0), in: der), in: der)
    let digest = try digest(&info, in: der)
    let (identifier, wrappedKey) = try encryptedKey(try info.read(.sequence, in: der), in: der)
    try info.finish()
    return (ephemeralKey, digest, identifier, wrappedKey)
  }

  private static func originator(
    _ part: Range<Int>, in der: Span<UInt8>
  ) throws(DERReader.Mismatch) -> Range<Int> {
    var explicit = DERReader(part)
    var originator = DERReader(try explicit.read(.explicit(1), in: der))
    try explicit.finish()
    try originator.expect(AlgorithmIdentifier.ecPublicKey, in: der)
    let bits = try originator.read(.bitString, of: 1 + Curve.pointSize, in: der)
    try originator.finish()
    guard der[bits.lowerBound] == 0 else { throw DERReader.Mismatch() }
    return bits.dropFirst()
  }

  private static func digest(
    _ info: inout DERReader, in der: Span<UInt8>
  ) throws(DERReader.Mismatch) -> Digest {
    let identifier = der.copy(try info.readElement(in: der))
    for digest in Digest.allCases where identifier == AlgorithmIdentifier.keyAgreement(digest) {
      return digest
    }
    throw DERReader.Mismatch()
  }

  private static func encryptedKey(
    _ part: Range<Int>, in der: Span<UInt8>
  ) throws(DERReader.Mismatch) -> (Range<Int>, Range<Int>) {
    var keys = DERReader(part)
    var key = DERReader(try keys.read(.sequence, in: der))
    try keys.finish()
    let identifier = try key.readElement(in: der)
    let wrapped = try key.read(.octetString, of: KeyWrap.wrappedSize, in: der)
    try key.finish()
    return (identifier, wrapped)
  }

  private static func content(
    _ part: Range<Int>, in der: Span<UInt8>
  ) throws(DERReader.Mismatch) -> (nonce: Range<Int>, encrypted: Range<Int>) {
    var info = DERReader(part)
    try info.expect(ObjectIdentifier.data, in: der)
    var algorithm = DERReader(try info.read(.sequence, in: der))
    try algorithm.expect(ObjectIdentifier.aes256GCM, in: der)
    var parameters = DERReader(try algorithm.read(.sequence, in: der))
    try algorithm.finish()
    let nonce = try parameters.read(.octetString, of: ContentEncryption.nonceSize, in: der)
    try parameters.expect(tagLength, in: der)
    try parameters.finish()
    let encrypted = try info.read(.implicit(0), in: der)
    try info.finish()
    return (nonce, encrypted)
  }
}

extension DERReader {
  /// The next element must have that tag, and contents of that size.
  fileprivate mutating func read(
    _ tag: DER.Tag, of size: Int, in bytes: Span<UInt8>
  ) throws(Mismatch) -> Range<Int> {
    let contents = try read(tag, in: bytes)
    guard contents.count == size else { throw Mismatch() }
    return contents
  }
}
