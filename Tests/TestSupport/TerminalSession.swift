internal import Glibc
internal import Synchronization
public import Testing

/// A program on a terminal of its own: a pseudoterminal with the test in the place of the person.
///
/// The program is killed, if it still runs, when the session is let go.
public final class TerminalSession {
  private let child: Child
  private let master: Int32
  /// All that the program has written to the terminal so far.
  public private(set) var screen: [UInt8] = []

  /// What the program has written so far, as text; escape sequences are in it as they came.
  public var text: String { String(decoding: screen, as: UTF8.self) }

  /// Starts a program on a new terminal.
  ///
  /// - Parameters:
  ///   - program: The absolute path of the program.
  ///   - arguments: What follows its name.
  ///   - environment: All of its environment; `TERM` is xterm-256color unless it says otherwise.
  ///   - columns: The terminal's width.
  ///   - rows: The terminal's height.
  /// - Throws: `SystemCallFailed` when it cannot be started.
  public init(
    _ program: String, _ arguments: [String] = [], environment: [String: String],
    columns: Int = 80, rows: Int = 24
  ) throws {
    let environment = environment.merging(["TERM": "xterm-256color"]) { given, _ in given }
    (child, master) = try spawning.withLock { _ in
      let (master, path) = try TerminalSession.openTerminal()
      TerminalSession.resize(master, columns: columns, rows: rows)
      let child = try Child(program, arguments, environment: environment, terminal: path)
      return (child, master)
    }
  }

  deinit {
    child.killGroup()
    _ = child.wait()
    close(master)
  }

  /// What posix_openpt(3), unlockpt(3) and ptsname(3) do, which Swift's Glibc does not show.
  private static func openTerminal() throws -> (master: Int32, path: String) {
    let master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var locked: Int32 = 0
    var number: UInt32 = 0
    guard master >= 0, unsafe ioctl(master, UInt(0x4004_5431), &locked) == 0,  // TIOCSPTLCK
      unsafe ioctl(master, UInt(0x8004_5430), &number) == 0  // TIOCGPTN
    else { throw SystemCallFailed(call: "open /dev/ptmx", code: errno) }
    return (master, "/dev/pts/\(number)")
  }

  // MARK: - What the person does

  /// Types; `"\u{4}"` is Control-D.
  public func type(_ keys: String) {
    var left = Array(keys.utf8)[...]
    while !left.isEmpty {
      let count = unsafe left.withUnsafeBytes { unsafe write(master, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      left = left.dropFirst(count)
    }
  }

  /// Gives the terminal another size; the program gets SIGWINCH.
  public func resize(columns: Int, rows: Int) {
    TerminalSession.resize(master, columns: columns, rows: rows)
  }

  private static func resize(_ master: Int32, columns: Int, rows: Int) {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Sends the program a signal.
  public func signal(_ number: Int32) {
    child.signal(number)
  }

  // MARK: - What the person sees

  /// Reads what the program writes until `text` is in what came since the last call, and forgets it up to there.
  ///
  /// - Throws: `WaitedInVain`, after recording an issue, when it does not come in time.
  public func wait(
    for text: String, seconds: Double = 20, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let wanted = Array(text.utf8)
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      if let found = screen[seen...].firstRange(of: wanted) {
        seen = found.upperBound
        return
      }
      guard read(until: deadline) else { break }
    }
    let rest = String(decoding: screen[seen...], as: UTF8.self).debugDescription
    let words = "the terminal did not show \(text.debugDescription), but \(rest)"
    Issue.record("\(words)", sourceLocation: sourceLocation)
    throw WaitedInVain(description: words)
  }

  /// How far `wait(for:)` has come in `screen`.
  private var seen = 0

  /// Reads to the program's end and says how it ended.
  ///
  /// - Throws: `WaitedInVain`, after recording an issue, when it does not end in time.
  public func finish(
    seconds: Double = 20, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Termination {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while read(until: deadline) {}
    while ContinuousClock.now < deadline {
      if let termination = child.poll() { return termination }
      usleep(2000)
    }
    Issue.record("the program on the terminal did not end", sourceLocation: sourceLocation)
    throw WaitedInVain(description: "no end of the program on the terminal")
  }

  /// Takes what there is to read; false at the end (EIO: nobody has the terminal open) or when time is over.
  private func read(until deadline: ContinuousClock.Instant) -> Bool {
    let left = deadline - ContinuousClock.now
    guard left > .zero else { return false }
    var polled = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    let milliseconds = Int32(clamping: Int(left / .milliseconds(1)) + 1)
    guard unsafe poll(&polled, 1, milliseconds) > 0 else { return errno == EINTR }
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = unsafe Glibc.read(master, &buffer, buffer.count)
    guard count > 0 else { return count < 0 && errno == EINTR }
    screen += buffer[..<count]
    return true
  }
}
