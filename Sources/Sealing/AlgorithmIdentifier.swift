/// Object identifiers, as whole DER elements.
enum ObjectIdentifier {
  /// id-data, RFC 5652 §4.
  static let data: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1]
  /// id-ct-authEnvelopedData, RFC 5083 §2.1.
  static let authEnvelopedData: [UInt8] = [
    0x06, 11, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 16, 1, 23,
  ]
  /// id-ecPublicKey, RFC 5480 §2.1.1.
  static let ecPublicKey: [UInt8] = [0x06, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]
  /// secp256r1, RFC 5480 §2.1.1.1.
  static let secp256r1: [UInt8] = [0x06, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]
  /// ecdsa-with-SHA256, RFC 5758 §3.2.
  static let ecdsaWithSHA256: [UInt8] = [0x06, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2]
  /// dhSinglePass-stdDH-sha1kdf-scheme, RFC 5753 §7.1.4.
  static let stdDHSHA1KDF: [UInt8] = [0x06, 9, 0x2B, 0x81, 5, 0x10, 0x86, 0x48, 0x3F, 0, 2]
  /// dhSinglePass-stdDH-sha256kdf-scheme, RFC 5753 §7.1.4.
  static let stdDHSHA256KDF: [UInt8] = [0x06, 6, 0x2B, 0x81, 4, 1, 11, 1]
  /// id-aes256-wrap, RFC 3565 §2.3.2.
  static let aes256Wrap: [UInt8] = [0x06, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 45]
  /// id-aes256-GCM, RFC 5084 §3.2.
  static let aes256GCM: [UInt8] = [0x06, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 46]
  /// id-PBES2, RFC 8018 appendix A.4.
  static let pbes2: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 5, 13]
  /// id-scrypt, RFC 7914 §7.
  static let scrypt: [UInt8] = [0x06, 9, 0x2B, 6, 1, 4, 1, 0xDA, 0x47, 4, 11]
  /// aes256-CBC-PAD, RFC 8018 appendix B.2.5.
  static let aes256CBC: [UInt8] = [0x06, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 42]
  /// id-at-commonName, RFC 5280 appendix A.1.
  static let commonName: [UInt8] = [0x06, 3, 0x55, 4, 3]
  /// id-ce-subjectKeyIdentifier, RFC 5280 §4.2.1.2.
  static let subjectKeyIdentifier: [UInt8] = [0x06, 3, 0x55, 0x1D, 14]
  /// id-ce-keyUsage, RFC 5280 §4.2.1.3.
  static let keyUsage: [UInt8] = [0x06, 3, 0x55, 0x1D, 15]
}

/// Algorithm identifiers, as whole DER elements.
///
/// RFC 5280 §4.1.1.2.
enum AlgorithmIdentifier {
  /// An EC key on a curve that is named elsewhere, RFC 5753 §7.1.2.
  static let ecPublicKey = DER.element(.sequence, ObjectIdentifier.ecPublicKey)

  /// An EC key on P-256, RFC 5480 §2.1.1.
  static let p256PublicKey = DER.element(
    .sequence, ObjectIdentifier.ecPublicKey, ObjectIdentifier.secp256r1)

  /// A signature by such a key, RFC 5758 §3.2.
  static let ecdsaWithSHA256 = DER.element(.sequence, ObjectIdentifier.ecdsaWithSHA256)

  /// Key wrap, without parameters, RFC 3565 §2.3.2.
  static let aes256Wrap = DER.element(.sequence, ObjectIdentifier.aes256Wrap)

  /// Key agreement whose result wraps with AES-256, RFC 5753 §7.1.4.
  static func keyAgreement(_ digest: Digest) -> [UInt8] {
    let scheme =
      digest == .sha1 ? ObjectIdentifier.stdDHSHA1KDF : ObjectIdentifier.stdDHSHA256KDF
    return DER.element(.sequence, scheme, aes256Wrap)
  }
}
