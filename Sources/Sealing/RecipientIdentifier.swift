// KeyAgreeRecipientIdentifier ::= CHOICE {                                   RFC 5652 §6.2.2
//   issuerAndSerialNumber IssuerAndSerialNumber,
//   rKeyId [0] IMPLICIT RecipientKeyIdentifier }
// RecipientKeyIdentifier ::= SEQUENCE {
//   subjectKeyIdentifier OCTET STRING, date OPTIONAL, other OPTIONAL }

/// How CMS names the one who can open.
enum RecipientIdentifier {
  /// By the identifier that his certificate gives his key; neither date nor other.
  static func keyIdentifier(_ identifier: [UInt8]) -> [UInt8] {
    DER.element(.explicit(0), DER.element(.octetString, identifier))
  }

  /// The identifier of a public key: SHA-1 of its octets, RFC 5280 §4.2.1.2 (1).
  static func subjectKeyIdentifier(
    of publicKey: Span<UInt8>, using library: borrowing Library
  ) throws(SealingError) -> [UInt8] {
    try Digest.sha1.of(publicKey, using: library)
  }
}
