internal import CLinux
internal import Glibc

// Design: what a program is to read lies whole in memory before it starts, in a file without a
// name. So one that reads slowly, or not at all, holds nobody up, and nothing is on a disk.

extension ChildProcess {
  /// Runs a program that reads octets from its standard input, and waits for its end.
  ///
  /// It has a session of its own and says nothing: what it leaves running, as programs for a
  /// clipboard do, holds none of our descriptors. The corresponding C function is
  /// `memfd_create(2)`.
  ///
  /// - Parameters:
  ///   - path: The program.
  ///   - arguments: What follows its name; nothing secret.
  ///   - input: What it reads.
  ///   - environment: The variables it gets.
  ///   - timeoutSeconds: How long it may take; then its whole session is killed.
  /// - Throws: Why it did not end with status 0.
  public static func run(
    _ path: String, _ arguments: [String], reading input: [UInt8],
    environment: ProcessEnvironment, timeoutSeconds: Int
  ) throws(ShellCommand.Failure) {
    let child: ChildProcess
    do throws(Errno) {
      let file = FileDescriptor(owning: try check { clinux_memory_file() })
      try file.write(input.span)
      let number = file.number
      _ = try check { lseek(number, 0, SEEK_SET) }
      child = try spawn(
        path, arguments, environment, (number, -1, -1), directory: nil, newSession: true)
    } catch {
      throw .system(error)
    }
    let end = try ShellCommand.end(of: child, within: timeoutSeconds)
    guard end == .exited(0) else { throw .ended(end) }
  }
}
