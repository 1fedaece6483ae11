internal import Glibc

/// A secret as a C string, wiped when it is let go.
///
/// libcurl makes its own copy, which it frees without wiping.
@safe struct SecretString: ~Copyable {
  private let octets: UnsafeMutablePointer<UInt8>
  private let count: Int

  /// A copy of the octets, with a NUL after them.
  init(_ secret: Span<UInt8>) {
    count = secret.count + 1
    unsafe octets = .allocate(capacity: count)
    unsafe octets.initialize(repeating: 0, count: count)
    for index in 0..<secret.count {
      unsafe octets[index] = secret[index]
    }
  }

  deinit {
    unsafe explicit_bzero(octets, count)
    unsafe octets.deallocate()
  }

  /// Calls with the string.
  func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    unsafe octets.withMemoryRebound(to: CChar.self, capacity: count) { unsafe body($0) }
  }
}
