package import Posix

/// AES-256-GCM with a nonce of 12 and a tag of 16 octets.
///
/// RFC 5084 §3.2; NIST SP 800-38D.
package enum ContentEncryption {
  package static let keySize = 32
  package static let nonceSize = 12
  package static let tagSize = 16
}

extension ContentEncryption {
  /// Appends the ciphertext to `output`.
  ///
  /// - Returns: The tag.
  package static func encrypt(
    _ content: Span<UInt8>, key: borrowing SecretBytes, nonce: Span<UInt8>,
    appendingTo output: inout [UInt8], using library: borrowing Library
  ) throws(SealingError) -> [UInt8] {
    let cipher = try Cipher(.aes256GCM, library)
    try cipher.start(.encrypt, key: key, nonce: nonce)
    guard try run(cipher, content, appendingTo: &output), try cipher.finish() else {
      throw .library
    }
    return try cipher.readTag(tagSize)
  }

  /// The content, once the tag is known to fit.
  ///
  /// - Throws: `damaged` when it does not; what was decrypted is wiped.
  package static func decrypt(
    _ content: Span<UInt8>, tag: Span<UInt8>, key: borrowing SecretBytes, nonce: Span<UInt8>,
    using library: borrowing Library
  ) throws(SealingError) -> [UInt8] {
    let cipher = try Cipher(.aes256GCM, library)
    try cipher.start(.decrypt, key: key, nonce: nonce)
    try cipher.expect(tag: tag)
    var output: [UInt8] = []
    guard try run(cipher, content, appendingTo: &output), try cipher.finish() else {
      output.wipe()
      throw .damaged
    }
    return output
  }

  /// Transforms the input into as many octets at the end of `output`.
  private static func run(
    _ cipher: borrowing Cipher, _ input: Span<UInt8>, appendingTo output: inout [UInt8]
  ) throws(SealingError) -> Bool {
    guard !input.isEmpty else { return true }
    let start = output.count
    output.append(contentsOf: repeatElement(0, count: input.count))
    return try unsafe output.withTail(from: start) { (tail) throws(SealingError) in
      try unsafe cipher.update(input, into: tail) == input.count
    }
  }
}
