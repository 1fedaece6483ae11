package import Posix

/// AES-256 key wrap of a content-encryption key.
///
/// RFC 3394 §2.2; its use in CMS RFC 5753 §7.1.5.
package enum KeyWrap {
  /// The key of 32 octets and 8 that tell whether it came out right.
  package static let wrappedSize = 40
}

extension KeyWrap {
  /// Wraps a key of 32 octets.
  package static func wrap(
    _ key: borrowing SecretBytes, with encryptionKey: borrowing SecretBytes,
    using library: borrowing Library
  ) throws(SealingError) -> [UInt8] {
    let cipher = try Cipher(.aes256Wrap, library)
    try cipher.start(.encrypt, key: encryptionKey, nonce: Span())
    var wrapped = [UInt8](repeating: 0, count: wrappedSize)
    let written = try key.withBytes { (key) throws(SealingError) in
      try unsafe wrapped.withTail(from: 0) { (tail) throws(SealingError) in
        try unsafe cipher.update(key, into: tail)
      }
    }
    guard written == wrappedSize else { throw .library }
    return wrapped
  }

  /// Gives the key back.
  ///
  /// - Throws: `damaged` when it was wrapped with another key, or altered.
  package static func unwrap(
    _ wrapped: Span<UInt8>, with encryptionKey: borrowing SecretBytes,
    using library: borrowing Library
  ) throws(SealingError) -> SecretBytes {
    let cipher = try Cipher(.aes256Wrap, library)
    try cipher.start(.decrypt, key: encryptionKey, nonce: Span())
    // The provider wants as much room as it is given, though it fills less.
    var room = SecretBytes(capacity: wrappedSize)
    try unsafe room.fillWhole { (buffer) throws(SealingError) in
      let written = try unsafe cipher.update(wrapped, into: buffer)
      guard written == ContentEncryption.keySize else { throw .damaged }
    }
    return room.withBytes { SecretBytes(copying: $0.extracting(first: ContentEncryption.keySize)) }
  }
}
