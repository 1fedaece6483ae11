// TBSCertificate ::= SEQUENCE {                                             RFC 5280 §4.1
//   version [0] EXPLICIT v3, serialNumber, signature, issuer, validity, subject,
//   subjectPublicKeyInfo, extensions [3] EXPLICIT }

/// The certificate of a key that is used for key agreement only, signed by itself.
///
/// RFC 5280 §4.1 and §4.2; the subject and issuer are CN=memo.
struct SelfSignedCertificate {
  /// RFC 5280 §4.1.2.2 allows 20.
  static let serialSize = 16

  let publicKey: [UInt8]
  let keyIdentifier: [UInt8]
  let serialNumber: [UInt8]
  let notBefore: Int64

  /// The whole certificate, in DER.
  func signed(
    by key: borrowing LibraryKey, using library: borrowing Library
  ) throws(SealingError) -> [UInt8] {
    let fields = fields
    let signature = try key.sign(fields.span, using: library)
    return DER.element(
      .sequence, fields, AlgorithmIdentifier.ecdsaWithSHA256,
      DER.element(.bitString, [0], signature))
  }

  private var fields: [UInt8] {
    let version = DER.element(.explicit(0), DER.element(.integer, [2]))
    return DER.element(
      .sequence, version, DER.element(.integer, positiveSerialNumber),
      AlgorithmIdentifier.ecdsaWithSHA256, Self.name, validity, Self.name,
      publicKeyInfo, DER.element(.explicit(3), extensions))
  }

  /// Positive, and of full length: the highest bit clear, the next one set.
  private var positiveSerialNumber: [UInt8] {
    serialNumber.prefix(1).map { $0 & 0x3F | 0x40 } + serialNumber.dropFirst()
  }

  // RDNSequence ::= SEQUENCE OF SET OF SEQUENCE { type, value }
  private static let name = DER.element(
    .sequence,
    DER.element(
      .set,
      DER.element(
        .sequence, ObjectIdentifier.commonName, DER.element(.utf8String, Array("memo".utf8)))))

  // "99991231235959Z" says that there is no end                         RFC 5280 §4.1.2.5
  private var validity: [UInt8] {
    DER.element(
      .sequence, CertificateTime.element(notBefore),
      DER.element(.generalizedTime, Array("99991231235959Z".utf8)))
  }

  private var publicKeyInfo: [UInt8] {
    DER.element(
      .sequence, AlgorithmIdentifier.p256PublicKey, DER.element(.bitString, [0], publicKey))
  }

  // keyUsage is critical; bit 4, keyAgreement, is the only one set.        RFC 5280 §4.2.1.3
  private var extensions: [UInt8] {
    let identifier = DER.element(.octetString, keyIdentifier)
    let isCritical: [UInt8] = [0x01, 1, 0xFF]
    let usage = DER.element(.bitString, [3, 0x08])
    return DER.element(
      .sequence,
      DER.element(
        .sequence, ObjectIdentifier.subjectKeyIdentifier, DER.element(.octetString, identifier)),
      DER.element(
        .sequence, ObjectIdentifier.keyUsage, isCritical, DER.element(.octetString, usage)))
  }
}
