internal import CLinux

/// Where a program gets random octets from: the kernel, or a test's seeded source.
public struct Randomness: Sendable {
  /// Gives so many octets.
  public let bytes: @Sendable (Int) throws(Errno) -> [UInt8]

  /// A source of octets.
  public init(bytes: @escaping @Sendable (Int) throws(Errno) -> [UInt8]) { self.bytes = bytes }

  /// The kernel's random number generator.
  ///
  /// The corresponding C function is `getrandom(2)`.
  public static let system = Randomness { (count: Int) throws(Errno) -> [UInt8] in
    var bytes = [UInt8](repeating: 0, count: count)
    _ = try check { unsafe clinux_random(&bytes, Int64(count)) }
    return bytes
  }
}
