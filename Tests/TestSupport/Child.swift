internal import Glibc
internal import Synchronization

// Design: Foundation's Process needs a run loop to learn of a child's end and cannot put it on a
// terminal, so the tests spawn with posix_spawn(3) themselves. Pipes are made and passed on under one
// lock: Swift's Glibc has no pipe2(2), and between pipe(2) and FD_CLOEXEC a second test could spawn a
// child that keeps our pipe open, and we would wait for its end.

/// A system call that failed in the test's own machinery.
public struct SystemCallFailed: Error, CustomStringConvertible {
  /// The call and its argument.
  public let call: String
  /// What `errno` said.
  public let code: Int32

  /// As "open /x: No such file or directory".
  public var description: String {
    unsafe "\(call): \(String(cString: strerror(code)))"
  }
}

/// How a process ended.
public enum Termination: Sendable, Equatable {
  /// It ended itself with this status.
  case exited(Int32)
  /// This signal ended it.
  case signalled(Int32)

  /// From the status word of `waitpid(2)`.
  init(status: Int32) {
    let signal = status & 0x7f
    self = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
  }
}

/// A child process that nobody has waited for yet.
final class Child {
  /// Its process number, which is its process group's too.
  let pid: pid_t
  private var termination: Termination?

  /// The open descriptors a child gets as its 0, 1 and 2.
  struct Streams {
    var input: Int32
    var output: Int32
    var errors: Int32
  }

  /// Starts a program, without a shell, in a process group of its own.
  init(
    _ program: String, _ arguments: [String], environment: [String: String], streams: Streams
  ) throws {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, streams.input, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, streams.output, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, streams.errors, 2)
    pid = try unsafe Child.spawn(
      program, arguments, environment, &actions, flags: POSIX_SPAWN_SETPGROUP)
  }

  /// Starts a program in the background that reads nothing and writes to the file `log`.
  convenience init(
    _ program: String, _ arguments: [String], environment: [String: String], log: String
  ) throws {
    let null = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    let file = unsafe open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { for end in [null, file] { close(end) } }
    try self.init(
      program, arguments, environment: environment,
      streams: Streams(input: null, output: file, errors: file))
  }

  /// Starts a program as the leader of a session whose terminal is `terminal`.
  init(
    _ program: String, _ arguments: [String], environment: [String: String], terminal: String
  ) throws {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that a session's leader opens becomes its controlling one.
    unsafe posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
    let newSession: Int32 = 0x80  // POSIX_SPAWN_SETSID, hidden from Swift by a feature macro
    pid = try unsafe Child.spawn(program, arguments, environment, &actions, flags: newSession)
  }

  private static func spawn(
    _ program: String, _ arguments: [String], _ environment: [String: String],
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, flags: Int32
  ) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The tests' own runner may ignore signals; a program under test starts with the usual ones.
    var usual = sigset_t()
    unsafe sigfillset(&usual)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    let signals = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags | signals))

    let words = [program] + arguments
    let variables = environment.map { "\($0.key)=\($0.value)" }.sorted()
    var pid: pid_t = 0
    let code = unsafe withCStrings(words) { argv in
      unsafe withCStrings(variables) { envp in
        unsafe posix_spawn(&pid, program, actions, &attributes, argv, envp)
      }
    }
    guard code == 0 else { throw SystemCallFailed(call: "posix_spawn \(program)", code: code) }
    return pid
  }

  /// How it ended, or nil while it runs.
  func poll() -> Termination? {
    wait(options: WNOHANG)
  }

  /// Waits for its end.
  func wait() -> Termination {
    while true {
      if let termination = wait(options: 0) { return termination }
    }
  }

  private func wait(options: Int32) -> Termination? {
    if let termination { return termination }
    var status: Int32 = 0
    guard unsafe waitpid(pid, &status, options) == pid else { return nil }
    termination = Termination(status: status)
    return termination
  }

  /// Sends a signal to it alone; nothing happens once it was waited for.
  func signal(_ number: Int32) {
    if termination == nil { _ = kill(pid, number) }
  }

  /// Ends it and whatever it started in its process group.
  func killGroup() {
    if termination == nil { _ = kill(-pid, SIGKILL) }
  }
}

/// Held while descriptors exist that no other child may inherit.
let spawning = Mutex(())

/// A pipe whose ends close on exec; made while `spawning` is held.
func makePipe() throws -> (read: Int32, write: Int32) {
  var ends: [Int32] = [0, 0]
  guard unsafe pipe(&ends) == 0 else { throw SystemCallFailed(call: "pipe", code: errno) }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (ends[0], ends[1])
}

/// Calls `body` with a null-terminated array of C strings.
private func withCStrings<R>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
  var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) } + [nil]
  defer { unsafe pointers.forEach { unsafe free($0) } }
  return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
    // Never empty: the null pointer is in it.
    guard let base = buffer.baseAddress else { preconditionFailure("an empty argument array") }
    return unsafe body(base)
  }
}
