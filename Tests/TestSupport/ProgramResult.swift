/// What came of a program's run.
public struct ProgramResult: Sendable {
  /// How it ended.
  public let termination: Termination
  /// What it wrote to its standard output.
  public let stdout: [UInt8]
  /// What it wrote to its standard error.
  public let stderr: [UInt8]
  /// How long it took, until it had ended and nobody held its output open.
  public let seconds: Double
  /// Whether it had to be killed because its time was over.
  public let timedOut: Bool

  /// The exit status, or, as a shell has it, 128 and the number of the signal that ended it.
  public var status: Int32 {
    switch termination {
    case .exited(let status): status
    case .signalled(let signal): 128 + signal
    }
  }

  /// The standard output as text.
  public var output: String { String(decoding: stdout, as: UTF8.self) }

  /// The standard error as text.
  public var errors: String { String(decoding: stderr, as: UTF8.self) }
}
