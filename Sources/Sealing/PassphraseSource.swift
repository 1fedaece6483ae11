public import Posix
internal import Synchronization

// Design: the source remembers what it gave, so that several readers of one run, each with an
// opener of its own, ask once.

/// Where the passphrase of a key comes from: a command of the user's, else a person.
public struct PassphraseSource: Sendable {
  /// Why there is no passphrase.
  public enum Failure: Error, Equatable, Sendable {
    /// The command gave none.
    case command(ShellCommand.Failure)
    /// The command gave another one.
    case commandWrong
    /// The person at the terminal gave none.
    case terminal(Errno)
  }

  /// The longest one, in octets: more is more than OpenSSL's programs read.
  public static let limit = 1000
  private static let timeoutSeconds = 30

  private let command: String?
  private let environment: ProcessEnvironment
  private let question: String?
  private let memory = Memory()

  /// What was given.
  private final class Memory: Sendable {
    let passphrase = Mutex<SecretBytes?>(nil)
  }

  /// A source.
  ///
  /// - Parameters:
  ///   - command: `passphrase-command`, where the settings have it; it goes before a person.
  ///   - environment: The variables the command gets.
  ///   - question: What a person is asked on the terminal, nil where nobody is asked.
  public init(command: String?, environment: ProcessEnvironment, question: String?) {
    self.command = command
    self.environment = environment
    self.question = question
  }

  /// No source at all.
  public static let none = PassphraseSource(
    command: nil, environment: ProcessEnvironment([:]), question: nil)

  /// Whether a wrong one is the command's.
  var isCommand: Bool { command != nil }

  /// The passphrase; nil where nobody is to be asked.
  ///
  /// - Throws: Why there is none; the next one who wants it asks again.
  public func passphrase() throws(Failure) -> SecretBytes? {
    var copy: SecretBytes?
    var failure: Failure?
    memory.passphrase.withLock { held in
      do throws(Failure) {
        if held == nil { held = try ask() }
        copy = Self.copy(held)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return copy
  }

  private static func copy(_ held: borrowing SecretBytes?) -> SecretBytes? {
    switch held {
    case .none: nil
    case .some(let passphrase): passphrase.withBytes { SecretBytes(copying: $0) }
    }
  }

  private func ask() throws(Failure) -> SecretBytes? {
    if let command {
      do throws(ShellCommand.Failure) {
        return try ShellCommand.firstLine(
          of: command, environment: environment, timeoutSeconds: Self.timeoutSeconds)
      } catch {
        throw .command(error)
      }
    }
    guard let question, HiddenQuestion.canAsk else { return nil }
    do throws(Errno) {
      return try HiddenQuestion.ask(question, limit: Self.limit)
    } catch {
      throw .terminal(error)
    }
  }
}
