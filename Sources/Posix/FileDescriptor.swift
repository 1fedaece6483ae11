internal import Glibc

/// An open file, pipe or terminal, closed exactly once.
@safe public struct FileDescriptor: ~Copyable {
  /// The descriptor's number.
  package let number: Int32

  /// Takes over a number that this process opened.
  package init(owning number: Int32) { self.number = number }

  /// How a file is opened; always closed on exec.
  public enum Access: Sendable {
    /// To read; a FIFO does not block.
    case read
    /// To read and write what exists, as a terminal.
    case readWrite
    /// To read and write, made with mode 0600 where it is missing.
    case readWriteCreating
    /// To write, made with mode 0600, an error where anything has that name.
    case createExclusively

    var flags: Int32 {
      switch self {
      case .read: O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
      case .readWrite: O_RDWR | O_NOCTTY | O_CLOEXEC
      case .readWriteCreating: O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
      case .createExclusively: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      }
    }
  }

  /// Opens a file by its path, links followed when it is only read.
  ///
  /// The corresponding C function is `open(2)`.
  public init(_ path: String, _ access: Access) throws(Errno) {
    number = try check { unsafe Glibc.open(path, access.flags, 0o600) }
  }

  deinit { _ = Glibc.close(number) }

  /// Lets go of a descriptor that belongs to somebody else, without closing it.
  consuming func disown() { discard self }

  /// Closes a file that was written, so that a late error is not lost.
  ///
  /// The corresponding C function is `close(2)`.
  public consuming func close() throws(Errno) {
    let number = number
    discard self
    // Not repeated after EINTR: Linux has freed the number by then.
    guard Glibc.close(number) == 0 || errno == EINTR else { throw .last }
  }
}

// MARK: - Reading and writing

extension FileDescriptor {
  /// Reads once, at most `count` octets; an empty answer is the end.
  ///
  /// The corresponding C function is `read(2)`.
  public borrowing func read(upTo count: Int) throws(Errno) -> [UInt8] {
    var failure: Errno?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(Errno) {
        filled = try check { unsafe Glibc.read(number, buffer.baseAddress, count) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Reads to the end.
  ///
  /// - Throws: `Errno.tooLarge` as soon as more than `limit` octets came.
  public borrowing func readAll(limit: Int) throws(Errno) -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let piece = try read(upTo: min(max(limit - all.count + 1, 1), 1 << 16))
      if piece.isEmpty { return all }
      all += piece
      if all.count > limit { throw .tooLarge }
    }
  }

  /// Writes all octets.
  ///
  /// The corresponding C function is `write(2)`, repeated after a short write.
  public borrowing func write(_ bytes: Span<UInt8>) throws(Errno) {
    var rest = bytes
    while !rest.isEmpty {
      let written = try check {
        unsafe rest.withUnsafeBufferPointer { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
      }
      rest = rest.extracting(droppingFirst: written)
    }
  }

  /// Makes the content, or a directory's names, survive a power cut.
  ///
  /// After an error the file is never believed again: a second fsync may say yes to data that is
  /// gone. The corresponding C function is `fsync(2)`.
  public borrowing func sync() throws(Errno) {
    _ = try check { fsync(number) }
  }

  /// What the file is.
  ///
  /// The corresponding C function is `fstat(2)`.
  public borrowing func status() throws(Errno) -> FileStatus {
    var record = stat()
    _ = try check { unsafe fstat(number, &record) }
    return FileStatus(record)
  }

  /// Whether this is a terminal.
  ///
  /// The corresponding C function is `isatty(3)`.
  public borrowing func isTerminal() -> Bool { isatty(number) == 1 }
}
