internal import Foundation
internal import Glibc
internal import Synchronization
public import Testing

/// A program that was started and runs on while the test looks at it.
///
/// What it reads stays open until ``closeInput()``; what it writes goes to two files. It is killed,
/// with whatever it started in its process group, when it is let go.
public final class RunningProgram {
  private let child: Child
  private let folder: String
  /// -1 once closed.
  private var input: Int32

  /// Its process number.
  public var processIdentifier: Int32 { child.pid }

  /// Starts a program, without a shell.
  ///
  /// - Parameters:
  ///   - program: The absolute path of the program.
  ///   - arguments: What follows its name.
  ///   - sandbox: The home it runs in.
  ///   - extra: Variables in addition to those of the sandbox.
  /// - Throws: `SystemCallFailed` when it cannot be started.
  public init(
    _ program: String, _ arguments: [String] = [], in sandbox: Sandbox,
    environment extra: [String: String] = [:]
  ) throws {
    var random = SystemRandomNumberGenerator()
    folder = sandbox.root + "/running-" + String(random.next(), radix: 36)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let environment = sandbox.environment.merging(extra) { _, given in given }
    let output = unsafe open(folder + "/output", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let errors = unsafe open(folder + "/errors", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { for stream in [output, errors] { close(stream) } }
    (child, input) = try spawning.withLock { _ in
      let pipe = try makePipe()
      defer { close(pipe.read) }
      let child = try Child(
        program, arguments, environment: environment,
        streams: .init(input: pipe.read, output: output, errors: errors))
      return (child, pipe.write)
    }
  }

  deinit {
    closeInput()
    child.killGroup()
    _ = child.wait()
  }

  // MARK: - What the test does

  /// Writes to its standard input.
  public func write(_ bytes: [UInt8]) {
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(input, $0.baseAddress, $0.count) }
  }

  /// Ends its standard input.
  public func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Sends it a signal.
  public func signal(_ number: Int32) { child.signal(number) }

  // MARK: - What came of it

  /// What it has written to its standard output so far.
  public var output: String { text(of: "output") }

  /// What it has written to its standard error so far.
  public var errors: String { text(of: "errors") }

  /// Whether it runs.
  public var isRunning: Bool { child.poll() == nil }

  private func text(of file: String) -> String {
    let bytes = FileManager.default.contents(atPath: folder + "/" + file) ?? Data()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Waits for its end and says how it ended.
  ///
  /// - Throws: `WaitedInVain`, after recording an issue, when it does not end in time.
  public func finish(
    seconds: Double = 20, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Termination {
    let child = child
    var termination: Termination?
    try TestSupport.wait(
      for: "end of the program", seconds: seconds, sourceLocation: sourceLocation
    ) {
      termination = child.poll()
      return termination != nil
    }
    return termination ?? child.wait()
  }
}
