internal import CCrypto
internal import Posix

// Design: scrypt, whose memory makes guessing dear, with the most memory that OpenSSL's own
// readers allow (32 MiB, so N is 2^14), and p = 5 to make up for it in time: some 0.2 s a guess.
// The file stays one that `openssl pkey` and `openssl cms -inkey` read.

// EncryptedPrivateKeyInfo ::= SEQUENCE { encryptionAlgorithm, encryptedData OCTET STRING }
//                                                                           RFC 5958 §3
// PBES2-params ::= SEQUENCE { keyDerivationFunc, encryptionScheme }         RFC 8018 §A.4
// scrypt-params ::= SEQUENCE { salt OCTET STRING, costParameter INTEGER, blockSize INTEGER,
//   parallelizationParameter INTEGER, keyLength INTEGER OPTIONAL }          RFC 7914 §7.1

/// A private key under a passphrase: PKCS#8 with PBES2, scrypt and AES-256-CBC.
enum PassphraseProtection {
  private static let saltSize = 16
  private static let blockSize = 16
  private static let cost: UInt64 = 1 << 14
  private static let memoryBlocks: UInt64 = 8
  private static let parallelism: UInt64 = 5

  /// Encrypts the DER of a PrivateKeyInfo; gives the DER of an EncryptedPrivateKeyInfo.
  static func encrypt(
    _ info: borrowing SecretBytes, with passphrase: borrowing SecretBytes,
    using library: borrowing Library
  ) throws(SealingError) -> [UInt8] {
    let salt = try KernelRandomness.octets(saltSize)
    let initial = try KernelRandomness.octets(blockSize)
    let key = try scrypt(passphrase, salt, library)
    let padded = padded(info)
    var encrypted = [UInt8](repeating: 0, count: padded.count)
    let cipher = try Cipher(.aes256CBC, library)
    try cipher.start(.encrypt, key: key, nonce: initial.span)
    let count = try padded.withBytes { (padded) throws(SealingError) in
      try unsafe encrypted.withTail(from: 0) { (tail) throws(SealingError) in
        try unsafe cipher.update(padded, into: tail)
      }
    }
    // The provider gives every whole block at once; it would add one more only at a finish.
    guard count == padded.count else { throw .library }
    return DER.element(
      .sequence, algorithm(salt, initial), DER.element(.octetString, encrypted))
  }

  private static func algorithm(_ salt: [UInt8], _ initial: [UInt8]) -> [UInt8] {
    let scrypt = DER.element(
      .sequence, ObjectIdentifier.scrypt,
      DER.element(
        .sequence, DER.element(.octetString, salt), integer(cost), integer(memoryBlocks),
        integer(parallelism)))
    let scheme = DER.element(
      .sequence, ObjectIdentifier.aes256CBC, DER.element(.octetString, initial))
    return DER.element(.sequence, ObjectIdentifier.pbes2, DER.element(.sequence, scrypt, scheme))
  }

  /// A small positive number, whose highest bit is never set.
  private static func integer(_ number: UInt64) -> [UInt8] {
    number < 0x80
      ? DER.element(.integer, [UInt8(number)])
      : DER.element(.integer, [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)])
  }

  // PS of 16 - (n mod 16) octets of that value                               RFC 8018 §6.1.1
  private static func padded(_ bytes: borrowing SecretBytes) -> SecretBytes {
    let padding = blockSize - bytes.count % blockSize
    var padded = SecretBytes(capacity: bytes.count + padding)
    bytes.withBytes { padded.append($0) }
    for _ in 0..<padding { padded.append(UInt8(padding)) }
    return padded
  }

  /// The corresponding C function is `EVP_PBE_scrypt(3)`.
  private static func scrypt(
    _ passphrase: borrowing SecretBytes, _ salt: [UInt8], _ library: borrowing Library
  ) throws(SealingError) -> SecretBytes {
    var key = SecretBytes(capacity: ContentEncryption.keySize)
    let context = unsafe library.context
    try unsafe key.fillWhole { (room) throws(SealingError) in
      let start = unsafe room.baseAddress?.assumingMemoryBound(to: UInt8.self)
      let status = passphrase.withBytes { passphrase in
        unsafe passphrase.withUnsafeBytes { passphrase in
          unsafe EVP_PBE_scrypt_ex(
            passphrase.baseAddress?.assumingMemoryBound(to: CChar.self), passphrase.count, salt,
            salt.count, cost, memoryBlocks, parallelism, 0, start, room.count, context, nil)
        }
      }
      guard status == 1 else { throw .library }
    }
    return key
  }
}
