internal import CLinux
internal import Glibc

// Design: a mail client and this process share the terminal and its process group, as under a
// shell's `time`. What is typed is the client's affair, Ctrl-C too; a request to stop that
// comes from elsewhere is passed on, and then waited for, since the client's files go with us.

extension ChildProcess {
  /// Leaves the keys that stop a program, Ctrl-C and Ctrl-\, to the one in the foreground.
  ///
  /// The corresponding C function is `signal(2)`.
  public static func ignoreTerminalKeys() {
    _ = signal(SIGINT, SIG_IGN)
    _ = signal(SIGQUIT, SIG_IGN)
  }

  /// Starts a program with the streams and the directory of this process.
  ///
  /// The corresponding C function is `posix_spawn(3)`.
  public static func startInForeground(
    _ path: String, _ arguments: [String], environment: ProcessEnvironment
  ) throws(Errno) -> ChildProcess {
    try spawn(path, arguments, environment, (0, 1, 2), directory: nil, newSession: false)
  }

  /// Waits for its end; a request to stop is passed on as SIGTERM, and enforced if need be.
  ///
  /// - Parameters:
  ///   - stopping: From which a request to stop is heard.
  ///   - graceSeconds: How long it may take to stop before it is killed.
  /// - Returns: How it ended.
  /// - Throws: When the kernel cannot wait.
  public func wait(
    stopping: borrowing StopRequest, graceSeconds: Int64 = 5
  ) throws(Errno) -> End {
    let process = clinux_process_handle(id)
    guard process >= 0 else { return try wait() }
    let handle = FileDescriptor(owning: process)
    let timer = FileDescriptor(owning: try check { clinux_timer() })
    let numbers = [handle.number, stopping.descriptor, timer.number]
    var ready: [Int32] = [0, 0, 0]
    while ready[0] == 0 {
      if ready[1] != 0 {
        kill(id, SIGTERM)
        kill(id, SIGCONT)
        let end = Clock.system.seconds + graceSeconds
        _ = try check { clinux_timer_set(numbers[2], end) }
      }
      if ready[2] != 0 { kill(id, SIGKILL) }
      _ = try check { unsafe clinux_wait(numbers, &ready, 3) }
    }
    return try wait()
  }
}

extension ChildProcess.End {
  /// As Ctrl-C ends a program.
  public static let interrupted = ChildProcess.End.signalled(SIGINT)

  /// The exit status as a shell has it: 128 and the number of a signal that ended it.
  public var status: Int32 {
    switch self {
    case .exited(let status): status
    case .signalled(let signal): 128 + signal
    }
  }

  /// Ends this process with that status.
  public func exit() -> Never { Glibc.exit(status) }
}
