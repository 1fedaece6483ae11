internal import CLinux
internal import Glibc

/// A program that is given octets and gives octets back, as gpg(1) does.
public enum Filter {
  /// What it gave back.
  public struct Result: Sendable {
    /// How it ended.
    public let end: ChildProcess.End
    /// What it wrote on its standard output.
    public let output: [UInt8]
    /// What it wrote on its standard error.
    public let messages: [UInt8]
  }

  /// Why it gave nothing.
  public enum Failure: Error, Equatable, Sendable {
    /// It could not be started, or a pipe to it failed.
    case system(Errno)
    /// It was still running at its time limit, and was killed.
    case timedOut
    /// It wrote more than is taken, and was killed.
    case tooLarge
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - path: The program.
  ///   - arguments: What follows its name.
  ///   - environment: The variables it gets.
  ///   - input: What it reads; it need not read it all.
  ///   - limit: The most octets that are taken of each of its outputs.
  ///   - timeoutSeconds: How long it may take, in a session of its own; nil where a person is there
  ///     to end it, who may be asked something on the terminal.
  /// - Returns: What it wrote, and how it ended.
  /// - Throws: Why there is no result; how the program ended is not an error here.
  public static func run(
    _ path: String, _ arguments: [String], environment: ProcessEnvironment, input: [UInt8],
    limit: Int, timeoutSeconds: Int?
  ) throws(Failure) -> Result {
    let deadline = timeoutSeconds.map { ShellCommand.monotonicMilliseconds() + Int64($0) * 1000 }
    let exchange = FilterExchange(giving: input, limit: limit)
    let child: ChildProcess
    do throws(Errno) {
      child = try exchange.start(path, arguments, environment, newSession: timeoutSeconds != nil)
    } catch {
      throw .system(error)
    }
    do throws(Failure) {
      while try exchange.step(until: deadline) {}
    } catch {
      kill(timeoutSeconds == nil ? child.id : -child.id, SIGKILL)
      _ = try? child.wait()
      throw error
    }
    do throws(Errno) {
      return Result(
        end: try child.wait(), output: exchange.output, messages: exchange.messages)
    } catch {
      throw .system(error)
    }
  }
}

/// The pipes to a program, and what came through them.
private final class FilterExchange {
  /// One end of a pipe, closed when it is let go.
  private final class End {
    let file: FileDescriptor
    init(_ file: consuming FileDescriptor) { self.file = file }
  }

  private var inputEnd: End?
  private var outputEnd: End?
  private var messagesEnd: End?
  private var pending: ArraySlice<UInt8>
  private let limit: Int
  private(set) var output: [UInt8] = []
  private(set) var messages: [UInt8] = []

  init(giving octets: [UInt8], limit: Int) {
    pending = octets[...]
    self.limit = limit
  }

  /// Starts the program, and keeps only our ends of the pipes.
  func start(
    _ path: String, _ arguments: [String], _ environment: ProcessEnvironment, newSession: Bool
  ) throws(Errno) -> ChildProcess {
    let stdin = try Pipe()
    let stdout = try Pipe()
    let stderr = try Pipe()
    let child = try ChildProcess.spawn(
      path, arguments, environment,
      (stdin.output.number, stdout.input.number, stderr.input.number), directory: nil,
      newSession: newSession)
    inputEnd = End(stdin.closingOutput())
    outputEnd = End(stdout.closingInput())
    messagesEnd = End(stderr.closingInput())
    return child
  }

  /// Waits for a pipe and serves it; false once both outputs have ended.
  func step(until deadline: Int64?) throws(Filter.Failure) -> Bool {
    if pending.isEmpty { inputEnd = nil }
    let ends = [outputEnd, messagesEnd, inputEnd].map { $0?.file.number ?? -1 }
    guard ends[0] >= 0 || ends[1] >= 0 else { return false }
    let ready = try wait(for: ends, until: deadline)
    do throws(Errno) {
      if ready[0], try !Self.take(outputEnd, into: &output, limit) { outputEnd = nil }
      if ready[1], try !Self.take(messagesEnd, into: &messages, limit) { messagesEnd = nil }
      if ready[2] { give() }
      return true
    } catch .tooLarge {
      throw .tooLarge
    } catch {
      throw .system(error)
    }
  }

  private func wait(
    for ends: [Int32], until deadline: Int64?
  ) throws(Filter.Failure) -> [Bool] {
    var polled = ends.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    polled[2].events = Int16(POLLOUT)
    var left: Int32 = -1
    if let deadline {
      left = Int32(clamping: max(deadline - ShellCommand.monotonicMilliseconds(), 0))
    }
    let count: Int32
    do throws(Errno) {
      count = try check { unsafe poll(&polled, 3, left) }
    } catch {
      throw .system(error)
    }
    guard count > 0 else { throw .timedOut }
    return polled.map { $0.revents != 0 }
  }

  /// Reads what is there; false at the end.
  private static func take(
    _ end: End?, into octets: inout [UInt8], _ limit: Int
  ) throws(Errno) -> Bool {
    guard let piece = try end?.file.read(upTo: 1 << 16), !piece.isEmpty else { return false }
    octets += piece
    guard octets.count <= limit else { throw .tooLarge }
    return true
  }

  /// Writes so little that a pipe with any room takes it at once: PIPE_BUF, pipe(7).
  private func give() {
    let piece = Array(pending.prefix(4096))
    do throws(Errno) {
      try inputEnd?.file.write(piece.span)
      pending = pending.dropFirst(piece.count)
    } catch {
      // It does not want to read more.
      pending = []
    }
  }
}
