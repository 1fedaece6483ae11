internal import Posix

/// What sealing needs of an X.509 certificate: the public key, and how CMS names its owner.
///
/// RFC 5280 §4.1. The signature and the dates are not looked at: the certificate is trusted because
/// it lies where the key's owner put it.
struct Certificate {
  /// An uncompressed point on P-256.
  let publicKey: [UInt8]
  /// KeyAgreeRecipientIdentifier by issuer and serial number, a whole element.
  let issuerAndSerialNumber: [UInt8]
  /// The same by subject key identifier, where the certificate has one.
  let recipientKeyIdentifier: [UInt8]?
  /// From when on it is good, in seconds since 1970, where that can be read.
  let notBefore: Int64?

  init(_ pem: Span<UInt8>, on curve: borrowing Curve) throws(SealingError) {
    guard let der = PEM.decode(.certificate, in: pem) else { throw .certificateUnreadable }
    let fields = try der.withBytes { (der) throws(SealingError) -> CertificateFields in
      do throws(DERReader.Mismatch) {
        return try CertificateFields(der)
      } catch { throw .certificateUnreadable }
    }
    guard try curve.isOnCurve(fields.publicKey.span) else { throw .certificateUnreadable }
    publicKey = fields.publicKey
    issuerAndSerialNumber = DER.element(.sequence, fields.issuer, fields.serialNumber)
    recipientKeyIdentifier = fields.subjectKeyIdentifier.map(RecipientIdentifier.keyIdentifier)
    notBefore = CertificateTime.seconds(fields.notBefore)
  }
}

// Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signatureValue }
// TBSCertificate ::= SEQUENCE {                                             RFC 5280 §4.1
//   version [0] EXPLICIT DEFAULT v1, serialNumber, signature, issuer, validity, subject,
//   subjectPublicKeyInfo, issuerUniqueID [1], subjectUniqueID [2], extensions [3] EXPLICIT }

/// The fields of a certificate that count here.
private struct CertificateFields {
  let serialNumber: [UInt8]
  let issuer: [UInt8]
  let notBefore: [UInt8]
  let publicKey: [UInt8]
  let subjectKeyIdentifier: [UInt8]?

  init(_ der: Span<UInt8>) throws(DERReader.Mismatch) {
    var outer = DERReader(0..<der.count)
    var certificate = DERReader(try outer.read(.sequence, in: der))
    try outer.finish()
    var fields = DERReader(try certificate.read(.sequence, in: der))
    if fields.next(in: der) == .explicit(0) { _ = try fields.readElement(in: der) }
    serialNumber = der.copy(try fields.readElement(in: der))
    _ = try fields.read(.sequence, in: der)
    issuer = der.copy(try fields.readElement(in: der))
    var validity = DERReader(try fields.read(.sequence, in: der))
    notBefore = der.copy(try validity.readElement(in: der))
    _ = try fields.readElement(in: der)
    publicKey = try Self.publicKey(try fields.read(.sequence, in: der), in: der)
    subjectKeyIdentifier = try Self.subjectKeyIdentifier(&fields, in: der)
  }

  // SubjectPublicKeyInfo ::= SEQUENCE { algorithm, subjectPublicKey BIT STRING }
  private static func publicKey(
    _ part: Range<Int>, in der: Span<UInt8>
  ) throws(DERReader.Mismatch) -> [UInt8] {
    var info = DERReader(part)
    try info.expect(AlgorithmIdentifier.p256PublicKey, in: der)
    let bits = try info.read(.bitString, in: der)
    guard bits.count == 1 + Curve.pointSize, der[bits.lowerBound] == 0 else {
      throw DERReader.Mismatch()
    }
    return der.copy(bits.dropFirst())
  }

  // Extension ::= SEQUENCE { extnID, critical BOOLEAN DEFAULT FALSE, extnValue OCTET STRING }
  private static func subjectKeyIdentifier(
    _ fields: inout DERReader, in der: Span<UInt8>
  ) throws(DERReader.Mismatch) -> [UInt8]? {
    while !fields.isAtEnd, fields.next(in: der) != .explicit(3) {
      _ = try fields.readElement(in: der)
    }
    guard !fields.isAtEnd else { return nil }
    var explicit = DERReader(try fields.read(.explicit(3), in: der))
    var extensions = DERReader(try explicit.read(.sequence, in: der))
    while !extensions.isAtEnd {
      var one = DERReader(try extensions.read(.sequence, in: der))
      let name = der.copy(try one.readElement(in: der))
      guard name == ObjectIdentifier.subjectKeyIdentifier else { continue }
      var value = DERReader(try one.read(.octetString, in: der))
      return der.copy(try value.read(.octetString, in: der))
    }
    return nil
  }
}
