internal import Glibc
internal import Synchronization
public import Testing

/// Runs a program to its end, without a shell, and takes what it writes.
///
/// It waits for the end of both outputs, as `$(…)` does: a program that leaves something behind which
/// holds them open has not returned. A run that takes too long is killed, with its process group, and
/// recorded as a failure of the test.
///
/// - Parameters:
///   - program: The absolute path of the program.
///   - arguments: What follows its name.
///   - stdin: What it reads.
///   - environment: All of its environment: nothing of the test's own is passed on.
///   - timeout: Seconds after which it is killed.
///   - sourceLocation: The place a failure is shown at.
/// - Returns: How it ended and what it wrote.
/// - Throws: `SystemCallFailed` when it cannot be started.
public func run(
  _ program: String, _ arguments: [String] = [], stdin: [UInt8] = [],
  environment: [String: String] = ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"],
  timeout: Double = 60, sourceLocation: SourceLocation = #_sourceLocation
) throws -> ProgramResult {
  let clock = ContinuousClock()
  let start = clock.now
  let exchange = try Exchange(program, arguments, stdin: stdin, environment: environment)
  let intime = exchange.run(until: start + .seconds(timeout))
  if !intime { exchange.child.killGroup() }
  let termination = exchange.child.wait()
  if !intime {
    let name = program.split(separator: "/").last ?? ""
    Issue.record("\(name) took longer than \(timeout) s", sourceLocation: sourceLocation)
  }
  return ProgramResult(
    termination: termination, stdout: exchange.stdout, stderr: exchange.stderr,
    seconds: (clock.now - start) / .seconds(1), timedOut: !intime)
}

/// A child and the three pipes to it.
private final class Exchange {
  let child: Child
  private(set) var stdout: [UInt8] = []
  private(set) var stderr: [UInt8] = []
  private var pending: ArraySlice<UInt8>
  /// -1 once closed.
  private var input: Int32
  private var output: Int32
  private var errors: Int32

  init(
    _ program: String, _ arguments: [String], stdin: [UInt8], environment: [String: String]
  ) throws {
    // A child that does not read must not end the tests.
    _ = signal(SIGPIPE, SIG_IGN)
    let (child, input, output, errors) = try spawning.withLock { _ in
      let stdin = try makePipe()
      let stdout = try makePipe()
      let stderr = try makePipe()
      defer { for end in [stdin.read, stdout.write, stderr.write] { close(end) } }
      let child = try Child(
        program, arguments, environment: environment,
        streams: .init(input: stdin.read, output: stdout.write, errors: stderr.write))
      return (child, stdin.write, stdout.read, stderr.read)
    }
    self.child = child
    (self.input, self.output, self.errors) = (input, output, errors)
    pending = stdin[...]
    _ = fcntl(input, F_SETFL, O_NONBLOCK)
  }

  deinit {
    for end in [input, output, errors] where end >= 0 { close(end) }
  }

  /// Feeds and reads until both outputs have ended and the child too; false when time is over first.
  func run(until deadline: ContinuousClock.Instant) -> Bool {
    while true {
      if pending.isEmpty { closeInput() }
      if output < 0, errors < 0, child.poll() != nil { return true }
      let left = deadline - ContinuousClock.now
      guard left > .zero else { return false }
      step(atMost: left)
    }
  }

  /// Waits for one of the pipes, at most 2 ms when there is only the child's end left to wait for.
  private func step(atMost left: Duration) {
    let ends = output < 0 && errors < 0
    let milliseconds = min(ends ? 2 : 1000, Int32(clamping: Int(left / .milliseconds(1)) + 1))
    var polled = [
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
      pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
    ]
    guard unsafe poll(&polled, 3, milliseconds) > 0 else { return }
    if polled[0].revents != 0, !take(output, into: \.stdout) { end(\.output) }
    if polled[1].revents != 0, !take(errors, into: \.stderr) { end(\.errors) }
    if polled[2].revents != 0 { feed() }
  }

  /// Reads what is there; false at the end.
  private func take(
    _ descriptor: Int32, into bytes: ReferenceWritableKeyPath<Exchange, [UInt8]>
  ) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = unsafe read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return count < 0 && errno == EINTR }
    self[keyPath: bytes] += buffer[..<count]
    return true
  }

  private func feed() {
    let count = unsafe pending.withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
    if count > 0 {
      pending = pending.dropFirst(count)
    } else if errno != EAGAIN, errno != EINTR {
      pending = []  // it does not want to read more
    }
  }

  private func closeInput() {
    if input >= 0 { end(\.input) }
  }

  private func end(_ descriptor: ReferenceWritableKeyPath<Exchange, Int32>) {
    close(self[keyPath: descriptor])
    self[keyPath: descriptor] = -1
  }
}
