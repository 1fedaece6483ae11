internal import CLinux
internal import Glibc

/// A command of the user's, run by the shell for the first line it prints.
public enum ShellCommand {
  /// Why a command gave nothing.
  public enum Failure: Error, Equatable, Sendable {
    /// It could not be started, or its output not read.
    case system(Errno)
    /// It ended otherwise than with status 0.
    case ended(ChildProcess.End)
    /// It was still running at its time limit, and was killed.
    case timedOut
    /// It printed nothing.
    case empty
  }

  /// Runs `/bin/sh -c command` and gives the first line of its standard output, without its end.
  ///
  /// The command has no terminal and no standard input; what it says on standard error is seen
  /// where ours is. What comes after 64 KiB of output is read and dropped.
  ///
  /// - Parameters:
  ///   - command: A line for `sh(1)`.
  ///   - environment: The variables it gets.
  ///   - timeoutSeconds: How long it may take; then its whole session is killed.
  /// - Returns: At least one octet.
  /// - Throws: Why there is none.
  public static func firstLine(
    of command: String, environment: ProcessEnvironment, timeoutSeconds: Int
  ) throws(Failure) -> SecretBytes {
    var line = SecretBytes(capacity: 1 << 16)
    try run(
      "/bin/sh", ["-c", command], environment, messages: 2, into: &line,
      timeoutSeconds: timeoutSeconds)
    line.keepFirstLine()
    guard line.count > 0 else { throw .empty }
    return line
  }

  /// Runs a program and gives what it writes on standard output, up to 1 MiB.
  ///
  /// It has no terminal and no standard input, and what it says on standard error is dropped.
  ///
  /// - Parameters:
  ///   - path: The program.
  ///   - arguments: What follows its name.
  ///   - environment: The variables it gets.
  ///   - timeoutSeconds: How long it may take; then its whole session is killed.
  /// - Returns: What it wrote, perhaps nothing.
  /// - Throws: Why there is none.
  public static func output(
    of path: String, _ arguments: [String], environment: ProcessEnvironment, timeoutSeconds: Int
  ) throws(Failure) -> SecretBytes {
    var output = SecretBytes(capacity: 1 << 20)
    try run(
      path, arguments, environment, messages: -1, into: &output, timeoutSeconds: timeoutSeconds)
    return output
  }

  private static func run(
    _ path: String, _ arguments: [String], _ environment: ProcessEnvironment, messages: Int32,
    into output: inout SecretBytes, timeoutSeconds: Int
  ) throws(Failure) {
    let deadline = monotonicMilliseconds() + Int64(timeoutSeconds) * 1000
    let pipe = try makePipe()
    let child: ChildProcess
    do throws(Errno) {
      child = try ChildProcess.spawn(
        path, arguments, environment, (-1, pipe.input.number, messages), directory: nil,
        newSession: true)
    } catch {
      throw .system(error)
    }
    let end = try collect(pipe.closingInput(), into: &output, of: child, until: deadline)
    guard end == .exited(0) else { throw .ended(end) }
  }

  private static func makePipe() throws(Failure) -> Pipe {
    do throws(Errno) { return try Pipe() } catch { throw .system(error) }
  }

  private static func collect(
    _ output: consuming FileDescriptor, into line: inout SecretBytes, of child: ChildProcess,
    until deadline: Int64
  ) throws(Failure) -> ChildProcess.End {
    try killing(child) { () throws(Failure) in
      while try read(output, into: &line, until: deadline) > 0 {}
      // It may close its output and stay.
      return try self.end(of: child, until: deadline)
    }
  }

  /// Waits so long for the end of a program that has a session of its own, then kills that.
  static func end(
    of child: ChildProcess, within seconds: Int
  ) throws(Failure) -> ChildProcess.End {
    let deadline = monotonicMilliseconds() + Int64(seconds) * 1000
    return try killing(child) { () throws(Failure) in try end(of: child, until: deadline) }
  }

  /// Does something; where it fails, the whole session of the child is killed.
  private static func killing(
    _ child: ChildProcess, whenItFails body: () throws(Failure) -> ChildProcess.End
  ) throws(Failure) -> ChildProcess.End {
    do throws(Failure) {
      return try body()
    } catch {
      kill(-child.id, SIGKILL)
      _ = try? child.wait()
      throw error
    }
  }

  private static func read(
    _ output: borrowing FileDescriptor, into line: inout SecretBytes, until deadline: Int64
  ) throws(Failure) -> Int {
    try awaitInput(output, until: deadline)
    do throws(Errno) {
      let got = try line.read(from: output)
      // Nothing at the end, or when there is no room: a full pipe must not hold the command up.
      return got > 0 ? got : try output.read(upTo: 1 << 12).count
    } catch {
      throw .system(error)
    }
  }

  private static func end(
    of child: ChildProcess, until deadline: Int64
  ) throws(Failure) -> ChildProcess.End {
    let process: FileDescriptor
    do throws(Errno) {
      process = FileDescriptor(owning: try check { clinux_process_handle(child.id) })
    } catch {
      throw .system(error)
    }
    try awaitInput(process, until: deadline)
    do throws(Errno) { return try child.wait() } catch { throw .system(error) }
  }

  private static func awaitInput(
    _ file: borrowing FileDescriptor, until deadline: Int64
  ) throws(Failure) {
    let left = max(deadline - monotonicMilliseconds(), 0)
    var waiting = pollfd(fd: file.number, events: Int16(POLLIN), revents: 0)
    do throws(Errno) {
      if try check({ unsafe poll(&waiting, 1, Int32(clamping: left)) }) > 0 { return }
    } catch {
      throw .system(error)
    }
    throw .timedOut
  }

  static func monotonicMilliseconds() -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}
