internal import Glibc

/// Octets that nobody else may see: a password, a private key.
///
/// They lie outside of Swift's arrays, so that no copy is left behind by a growing buffer, have
/// no description, so that none is printed, and are wiped when they go out of use. The
/// corresponding C function is `explicit_bzero(3)`.
@safe public struct SecretBytes: ~Copyable {
  private let storage: UnsafeMutableRawBufferPointer

  /// How many octets it holds.
  public private(set) var count = 0

  /// Makes room for up to `capacity` octets; it holds none yet and never grows.
  public init(capacity: Int) {
    unsafe storage = .allocate(byteCount: max(capacity, 1), alignment: 16)
  }

  /// Holds a copy of octets; the original is the caller's to wipe.
  public init(copying bytes: Span<UInt8>) {
    self.init(capacity: bytes.count)
    append(bytes)
  }

  /// What a regular file holds, links followed.
  ///
  /// - Throws: `Errno.wrongKind` for other kinds of file; `Errno.tooLarge` beyond `limit` octets.
  public static func content(of path: String, limit: Int) throws(Errno) -> SecretBytes {
    let file = try FileDescriptor(path, .read)
    guard try file.status().isRegularFile else { throw .wrongKind }
    var content = SecretBytes(capacity: limit + 1)
    while try content.read(from: file) > 0 {}
    guard content.count <= limit else { throw .tooLarge }
    return content
  }

  /// These octets, and then others.
  public borrowing func joined(_ others: [UInt8]) -> SecretBytes {
    var joined = SecretBytes(capacity: count + others.count)
    withBytes { joined.append($0) }
    joined.append(others.span)
    return joined
  }

  deinit {
    if let base = unsafe storage.baseAddress { unsafe explicit_bzero(base, storage.count) }
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

// It has one owner, and is changed by nobody while it is lent.
extension SecretBytes: @unchecked Sendable {}

// MARK: - Filling

extension SecretBytes {
  /// Reads more octets from a file, as many as there is room for.
  ///
  /// The corresponding C function is `read(2)`.
  ///
  /// - Returns: How many came; 0 at the end, or when there is no room left.
  public mutating func read(from file: borrowing FileDescriptor) throws(Errno) -> Int {
    let room = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[count...])
    guard room.count > 0, let base = room.baseAddress else { return 0 }
    let number = file.number
    let got = try check { unsafe Glibc.read(number, base, room.count) }
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

  /// Whether both hold the same octets.
  public borrowing func holdsSame(as other: borrowing SecretBytes) -> Bool {
    guard count == other.count else { return false }
    var difference: UInt8 = 0
    for index in 0..<count { unsafe difference |= storage[index] ^ other.storage[index] }
    return difference == 0
  }

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
    unsafe added.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
    count += added.count
  }

  /// Lends the whole room to a C function, which says how much of it it filled.
  mutating func fill<Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    count = try unsafe body(storage)
  }

  /// Lends the whole room to a C function, which fills all of it.
  package mutating func fillWhole<Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    try unsafe body(storage)
    count = capacity
  }
}
