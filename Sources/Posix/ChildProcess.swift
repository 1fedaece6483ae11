internal import CLinux
internal import Glibc

/// A program started by this one.
@safe public struct ChildProcess: Sendable {
  /// Its process id.
  public let id: Int32

  /// How it ended.
  public enum End: Equatable, Sendable {
    /// It exited with this status, 0 to 255.
    case exited(Int32)
    /// This signal ended it.
    case signalled(Int32)
  }

  /// Starts a program that is on its own: own session, directory `/`, no descriptor of ours.
  ///
  /// Nobody waits for it. The corresponding C function is `posix_spawn(3)`.
  public static func startDetached(
    _ path: String, _ arguments: [String], environment: ProcessEnvironment
  ) throws(Errno) {
    _ = try spawn(
      path, arguments, environment, (-1, -1, -1), directory: "/", newSession: true)
  }

  /// Starts a program on this process's terminal, as an editor.
  ///
  /// Where standard input is not the terminal, the program gets `/dev/tty` for it.
  public static func startAttached(
    _ path: String, _ arguments: [String], environment: ProcessEnvironment
  ) throws(Errno) -> ChildProcess {
    guard !StandardStream.input.isTerminal,
      let terminal = try? FileDescriptor("/dev/tty", .readWrite)
    else {
      return try spawn(path, arguments, environment, (0, 1, 2), directory: nil, newSession: false)
    }
    return try spawn(
      path, arguments, environment, (terminal.number, 1, 2), directory: nil, newSession: false)
  }

  /// Becomes another program.
  ///
  /// The corresponding C function is `execve(2)`.
  ///
  /// - Throws: Why it cannot; otherwise it does not return.
  public static func replace(
    with path: String, _ arguments: [String], environment: ProcessEnvironment
  ) throws(Errno) {
    var argumentVector = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    var environmentVector = unsafe environment.entries.map { unsafe strdup($0) } + [nil]
    unsafe execve(path, &argumentVector, &environmentVector)
    let error = Errno.last
    unsafe (argumentVector + environmentVector).forEach { unsafe free($0) }
    throw error
  }

  /// Waits for its end.
  ///
  /// The corresponding C function is `waitpid(2)`.
  public func wait() throws(Errno) -> End {
    var status: Int32 = 0
    _ = try check { unsafe waitpid(id, &status, 0) }
    let signal = status & 0x7f
    return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
  }

  static func spawn(
    _ path: String, _ arguments: [String], _ environment: ProcessEnvironment,
    _ streams: (input: Int32, output: Int32, messages: Int32), directory: String?,
    newSession: Bool
  ) throws(Errno) -> ChildProcess {
    var argumentVector = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    var environmentVector = unsafe environment.entries.map { unsafe strdup($0) } + [nil]
    defer { unsafe (argumentVector + environmentVector).forEach { unsafe free($0) } }
    let process = unsafe clinux_spawn(
      path, &argumentVector, &environmentVector, streams.input, streams.output,
      streams.messages, directory, newSession ? 1 : 0)
    guard process > 0 else { throw .last }
    return ChildProcess(id: process)
  }
}
