public import MessageFormat
public import Posix

// Design: gpg as a program, not a library: what only reads notes needs it once in a long while, and
// stays a single static file without it. gpg gives out plaintext before it has seen the whole
// message, so nothing of it is looked at before its end, its status and its own verdict are known.

/// Asks gpg(1) for the content of a note that lies in the history encrypted with OpenPGP.
public struct OpenPGPDecryption: Sendable {
  /// Why there is no content.
  public enum Failure: Error, Equatable, Sendable {
    /// There is no gpg in `PATH`.
    case notInstalled
    /// The secret key is not here.
    case noSecretKey
    /// The secret key is locked, and nobody is there to unlock it, or did not.
    case locked
    /// gpg took longer than this many seconds.
    case timedOut(seconds: Int)
    /// The message was changed after it was encrypted, is cut short or is not protected at all.
    case damaged
    /// gpg could not be run, or ended otherwise than it should.
    case failed
  }

  private let environment: ProcessEnvironment
  private let terminal: String?
  private let timeoutSeconds: Int
  private static let limit = 64 << 20

  /// - Parameters:
  ///   - environment: The variables that gpg gets.
  ///   - terminal: The path of the terminal on which a person may be asked for a passphrase; nil
  ///     where nobody is there.
  ///   - timeoutSeconds: How long gpg may take where nobody is there.
  public init(
    environment: ProcessEnvironment, terminal: String?, timeoutSeconds: Int = 30
  ) {
    self.environment = environment
    self.terminal = terminal
    self.timeoutSeconds = timeoutSeconds
  }

  /// The message in an ASCII armor.
  public func message(in armor: [UInt8]) throws(Failure) -> Message {
    guard let program = Executable.find("gpg", environment: environment) else {
      throw .notInstalled
    }
    let result = try run(program, armor)
    let status = GPGStatus(result.messages)
    guard result.end == .exited(0), status.isWhole else { throw status.failure }
    guard let message = try? Message(parsing: result.output) else { throw .damaged }
    return message
  }

  private func run(_ program: String, _ armor: [UInt8]) throws(Failure) -> Filter.Result {
    let seconds = terminal == nil ? timeoutSeconds : nil
    do throws(Filter.Failure) {
      return try Filter.run(
        program, arguments, environment: environment, input: armor, limit: Self.limit,
        timeoutSeconds: seconds)
    } catch {
      switch error {
      case .timedOut: throw .timedOut(seconds: seconds ?? 0)
      case .system, .tooLarge: throw .failed
      }
    }
  }

  /// gpg looks nothing up: no key for a signature inside, on no server.
  private var arguments: [String] {
    let asking = terminal.map { ["--ttyname", $0] } ?? ["--batch", "--pinentry-mode", "error"]
    return asking + [
      "--no-tty", "--status-fd", "2", "--no-auto-key-retrieve", "--no-auto-key-locate",
      "--disable-dirmngr", "--max-output", "\(Self.limit)", "--decrypt",
    ]
  }
}

/// What gpg says of a decryption, in the lines that are meant for programs.
///
/// doc/DETAILS of GnuPG, "Format of the --status-fd output".
struct GPGStatus {
  /// The keyword of each line, and the words behind it.
  private let lines: [(keyword: String, words: [String])]

  /// Reads what gpg wrote on its status descriptor, other lines passed over.
  init(_ messages: [UInt8]) {
    lines = messages.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard line.starts(with: "[GNUPG:] ".utf8) else { return nil }
      let words = line.dropFirst(9).split(separator: UInt8(ascii: " "))
        .map { String(decoding: $0, as: UTF8.self) }
      return words.first.map { ($0, Array(words.dropFirst())) }
    }
  }

  /// Whether the message was decrypted, one and whole, and was protected against change.
  var isWhole: Bool {
    let wanted = ["DECRYPTION_OKAY", "GOODMDC", "END_DECRYPTION"]
    let unwanted = ["DECRYPTION_FAILED", "BADMDC", "BADSIG", "NODATA", "ERROR"]
    return wanted.allSatisfy(has) && !unwanted.contains(where: has) && count("PLAINTEXT") == 1
  }

  /// Why it was not.
  var failure: OpenPGPDecryption.Failure {
    if codes.contains(where: Self.lockedCodes.contains) { return .locked }
    if has("NO_SECKEY"), !has("BEGIN_DECRYPTION") || !has("GOODMDC") { return .noSecretKey }
    // The agent ended before it answered: that says nothing of the message. GPG_ERR_EOF.
    if codes.contains(16383) { return .failed }
    if has("BADMDC") || has("DECRYPTION_FAILED") || has("NODATA") || has("BADSIG") {
      return .damaged
    }
    return has("DECRYPTION_OKAY") ? .damaged : .failed
  }

  // The low 16 bits of an error value are its code: gpg-error.h.
  private var codes: [Int] {
    lines.filter { $0.keyword == "ERROR" || $0.keyword == "FAILURE" }
      .compactMap { $0.words.count > 1 ? Int($0.words[1]).map { $0 & 0xFFFF } : nil }
  }

  /// GPG_ERR_BAD_PASSPHRASE, _NO_AGENT, _AGENT, _NO_PIN_ENTRY, _CANCELED, _PIN_BLOCKED,
  /// _NO_PASSPHRASE, _FULLY_CANCELED.
  private static let lockedCodes: Set<Int> = [11, 77, 78, 85, 99, 130, 177, 198]

  private func has(_ keyword: String) -> Bool { lines.contains { $0.keyword == keyword } }

  private func count(_ keyword: String) -> Int { lines.count { $0.keyword == keyword } }
}
