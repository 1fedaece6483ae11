import Outbox

/// How far a session has come: what was last sent, and so what the next reply answers.
enum Step: String, Sendable, CaseIterable {
  /// Lookup and connection.
  case connect
  /// The TLS handshake.
  case handshake
  /// The wait for the greeting.
  case greeting
  /// EHLO, in clear or under TLS.
  case ehlo
  /// STARTTLS.
  case startTLS
  /// AUTH and the exchange that follows it.
  case login
  /// MAIL FROM.
  case mail
  /// RCPT TO.
  case rcpt
  /// DATA.
  case data
  /// Part of the message, the last piece still kept back.
  case body
  /// The last piece and the final dot.
  case message

  /// The command whose refusal decides about the message, if the step is one.
  var stage: Outcome.Stage? {
    switch self {
    case .mail: .mail
    case .rcpt: .rcpt
    case .data: .data
    case .message: .message
    default: nil
    }
  }
}

/// A command line that went out, by its verb.
///
/// The lines of a login are no command: of AUTH only the verb is looked at, and of what follows it
/// nothing.
enum Command: Equatable {
  case step(Step)
  case quit

  private static let verbs: [(StaticString, Command)] = [
    ("EHLO ", .step(.ehlo)), ("HELO ", .step(.ehlo)), ("STARTTLS\r\n", .step(.startTLS)),
    ("AUTH ", .step(.login)), ("MAIL FROM:", .step(.mail)), ("RCPT TO:", .step(.rcpt)),
    ("DATA\r\n", .step(.data)), ("QUIT\r\n", .quit),
  ]

  /// `nil` for a line that is no command known.
  init?(_ line: Span<UInt8>) {
    guard let known = Self.verbs.first(where: { Self.begins(line, with: $0.0) }) else { return nil }
    self = known.1
  }

  private static func begins(_ line: Span<UInt8>, with verb: StaticString) -> Bool {
    let verb = Array(verb.description.utf8)
    return line.count >= verb.count && verb.indices.allSatisfy { line[$0] == verb[$0] }
  }
}
