package import Posix

/// The key-derivation function of ANSI X9.63 as CMS uses it.
///
/// SEC 1 §3.6.1; RFC 5753 §7.2.
package enum KeyDerivation {
  /// The key-encryption key for AES-256 key wrap.
  static func keyEncryptionKey(
    from sharedSecret: borrowing SecretBytes, _ digest: Digest, using library: borrowing Library
  ) throws(SealingError) -> SecretBytes {
    try derive(
      ContentEncryption.keySize, from: sharedSecret, sharedInfo: sharedInfo.span, digest,
      using: library)
  }

  // ECC-CMS-SharedInfo ::= SEQUENCE {                                       RFC 5753 §7.2
  //   keyInfo     AlgorithmIdentifier,               -- aes256-wrap, no parameters
  //   entityUInfo [0] EXPLICIT OCTET STRING OPTIONAL,
  //   suppPubInfo [2] EXPLICIT OCTET STRING }        -- 256 bits, in 4 octets
  private static let sharedInfo = DER.element(
    .sequence,
    AlgorithmIdentifier.aes256Wrap,
    DER.element(.explicit(2), DER.element(.octetString, [0, 0, 1, 0])))

  // K(i) = Hash(Z || Counter(i) || SharedInfo), Counter from 1, 4 octets      SEC 1 §3.6.1
  package static func derive(
    _ size: Int, from sharedSecret: borrowing SecretBytes, sharedInfo: Span<UInt8>,
    _ digest: Digest, using library: borrowing Library
  ) throws(SealingError) -> SecretBytes {
    var derived = SecretBytes(capacity: size)
    var counter: UInt8 = 1
    while derived.count < size {
      var input = SecretBytes(capacity: sharedSecret.count + 4 + sharedInfo.count)
      sharedSecret.withBytes { input.append($0) }
      input.append([0, 0, 0, counter].span)
      input.append(sharedInfo)
      let block = try digest.of(input, using: library)
      block.withBytes { derived.append($0) }
      counter += 1
    }
    return derived
  }
}
