internal import CCrypto

/// Octets that are wiped when their owner lets go of them: keys, passphrases, shared secrets.
///
/// They live outside of Swift's arrays, so that no copy is left behind by a growing buffer, and
/// they have no description, so that none is printed.
@safe public struct SecretBytes: ~Copyable {
  private let storage: UnsafeMutableRawBufferPointer

  /// How many octets it holds.
  public private(set) var count = 0

  /// Makes room for up to `capacity` octets; it holds none yet and never grows.
  public init(capacity: Int) {
    unsafe storage = .allocate(byteCount: max(capacity, 1), alignment: 16)
  }

  /// Holds a copy of the octets; the caller wipes his own.
  public init(copying bytes: Span<UInt8>) {
    self.init(capacity: bytes.count)
    append(bytes)
  }

  /// Holds what `body` writes, as a read from a file does.
  ///
  /// - Throws: What `body` throws; what it wrote is wiped.
  public init<Failure: Error>(
    capacity: Int, filling body: (inout OutputRawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    self.init(capacity: capacity)
    try fill(body)
  }

  deinit {
    unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
    unsafe storage.deallocate()
  }

  /// How many octets it has room for.
  public var capacity: Int { unsafe storage.count }

  /// Lends the octets to `body`.
  public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let held = unsafe UnsafeRawBufferPointer(rebasing: storage[..<count])
    let octets = unsafe held.assumingMemoryBound(to: UInt8.self)
    return try unsafe body(Span(_unsafeElements: octets))
  }
}

// MARK: - Filling

extension SecretBytes {
  /// Adds one octet, if there is room.
  package mutating func append(_ byte: UInt8) {
    guard count < capacity else { return }
    unsafe storage[count] = byte
    count += 1
  }

  /// Adds the octets there is room for.
  package mutating func append(_ bytes: Span<UInt8>) {
    let added = bytes.extracting(first: capacity - count)
    let room = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[count...])
    unsafe added.bytes.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
    count += added.count
  }

  private mutating func fill<Failure: Error>(
    _ body: (inout OutputRawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    let buffer = unsafe storage
    var output = unsafe OutputRawSpan(buffer: buffer, initializedCount: 0)
    try body(&output)
    count = unsafe output.finalize(for: buffer)
  }

  /// Lends the whole room to a C function, which fills all of it.
  mutating func fillWhole<Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    try unsafe body(storage)
    count = capacity
  }
}
