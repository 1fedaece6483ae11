internal import Glibc

/// Octets that nobody else may see: a password, a private key.
///
/// They lie in one place, are never copied by Swift, and are wiped when they go out of use. The
/// corresponding C function is `explicit_bzero(3)`.
@safe public struct SecretBytes: ~Copyable {
  private let storage: UnsafeMutableRawBufferPointer

  /// The number of octets in use.
  public private(set) var count: Int

  /// Room for so many octets, none in use.
  public init(capacity: Int) {
    unsafe storage = .allocate(byteCount: max(capacity, 1), alignment: 16)
    unsafe storage.initializeMemory(as: UInt8.self, repeating: 0)
    count = 0
  }

  /// A copy of octets; the original is the caller's to wipe.
  public init(copying bytes: [UInt8]) {
    self.init(capacity: bytes.count)
    unsafe storage.copyBytes(from: bytes)
    count = bytes.count
  }

  deinit {
    if let base = unsafe storage.baseAddress { unsafe explicit_bzero(base, storage.count) }
    unsafe storage.deallocate()
  }

  /// The octets, for the time of the call.
  public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = unsafe UnsafeRawBufferPointer(storage).assumingMemoryBound(to: UInt8.self)
    return try body(unsafe Span(_unsafeElements: bytes).extracting(first: count))
  }

  /// Reads more octets from a file, as many as there is room for.
  ///
  /// - Returns: How many came; 0 at the end, or when there is no room left.
  public mutating func read(from file: borrowing FileDescriptor) throws(Errno) -> Int {
    let room = unsafe storage.count - count
    guard room > 0, let base = unsafe storage.baseAddress else { return 0 }
    let (number, used) = (file.number, count)
    let got = try check { unsafe Glibc.read(number, base + used, room) }
    count += got
    return got
  }

  /// Keeps only the first line, without its end: LF or CRLF.
  public mutating func keepFirstLine() {
    var length = 0
    while unsafe length < count && storage[length] != UInt8(ascii: "\n") { length += 1 }
    if unsafe length < count && length > 0 && storage[length - 1] == UInt8(ascii: "\r") {
      length -= 1
    }
    count = length
  }
}
