internal import CLinux
internal import Glibc

/// The three descriptors a process starts with, which it does not close.
public enum StandardStream: Int32, Sendable {
  /// Where text comes from.
  case input = 0
  /// Where data goes.
  case output = 1
  /// Where messages go.
  case messages = 2

  /// Whether it is a terminal.
  ///
  /// The corresponding C function is `isatty(3)`.
  public var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The path of the terminal, nil where it is none.
  ///
  /// The corresponding C function is `ttyname(3)`.
  public var terminalPath: String? {
    guard isTerminal, let name = unsafe ttyname(rawValue) else { return nil }
    return unsafe String(cString: name)
  }

  /// The columns of the terminal, nil where it is none.
  public var columns: Int? {
    let count = Int(clinux_columns(rawValue))
    return count > 0 ? count : nil
  }

  /// Writes all octets; a full disk or a closed pipe is an error.
  public func write(_ bytes: [UInt8]) throws(Errno) {
    try borrowed { (file: borrowing FileDescriptor) throws(Errno) in try file.write(bytes.span) }
  }

  /// Reads to the end.
  ///
  /// - Throws: `Errno.tooLarge` as soon as more than `limit` octets came.
  public func readAll(limit: Int) throws(Errno) -> [UInt8] {
    try borrowed { (file: borrowing FileDescriptor) throws(Errno) in
      try file.readAll(limit: limit)
    }
  }

  /// Writes all octets of a secret.
  public func write(_ secret: borrowing SecretBytes) throws(Errno) {
    try secret.withBytes { (bytes: Span<UInt8>) throws(Errno) in
      let file = FileDescriptor(owning: rawValue)
      do throws(Errno) {
        try file.write(bytes)
      } catch {
        file.disown()
        throw error
      }
      file.disown()
    }
  }

  /// Reads to the end, as much as there is room for.
  public func read(into secret: inout SecretBytes) throws(Errno) {
    let file = FileDescriptor(owning: rawValue)
    do throws(Errno) {
      while try secret.read(from: file) > 0 {}
    } catch {
      file.disown()
      throw error
    }
    file.disown()
  }

  private func borrowed<Result>(
    _ body: (borrowing FileDescriptor) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    let file = FileDescriptor(owning: rawValue)
    let outcome: Swift.Result<Result, Errno>
    do throws(Errno) { outcome = .success(try body(file)) } catch { outcome = .failure(error) }
    file.disown()
    return try outcome.get()
  }
}
