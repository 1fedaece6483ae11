internal import Posix
internal import Glibc

// Design: random octets come from the kernel, not from libcrypto's generator. Both are as good,
// but starting the latter costs a fresh process more than all of the sealing, and the kernel's
// needs no care after a fork.

/// Random octets of the kernel's generator, fit for keys.
///
/// The corresponding C function is `getentropy(3)`.
package enum KernelRandomness {
  /// A nonce of AES-GCM, NIST SP 800-38D §8.2.2; RFC 5084 §3.2 recommends 12 octets.
  package static func nonce() throws(SealingError) -> [UInt8] {
    try octets(ContentEncryption.nonceSize)
  }

  /// That many random octets.
  static func octets(_ count: Int) throws(SealingError) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: count)
    let failure = unsafe octets.withUnsafeMutableBytes { unsafe fill($0) }
    if let failure { throw failure }
    return octets
  }

  /// A key of that many random octets.
  static func secret(_ count: Int) throws(SealingError) -> SecretBytes {
    var secret = SecretBytes(capacity: count)
    try unsafe secret.fillWhole { (buffer) throws(SealingError) in
      if let failure = unsafe fill(buffer) { throw failure }
    }
    return secret
  }

  /// Up to 256 octets at once, which the kernel gives whole.
  private static func fill(_ buffer: UnsafeMutableRawBufferPointer) -> SealingError? {
    guard let start = buffer.baseAddress else { return nil }
    return unsafe getentropy(start, buffer.count) == 0 ? nil : .noRandomness(errno: errno)
  }
}
