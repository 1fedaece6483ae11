public import MessageFormat

// Design: one form for every place that keeps a reason, header fields: replies/UUID while a note
// waits, the outer header of its file in failed/, an account's state while it is paused.

/// Why a note waits or was given up, as it is kept on disk.
public struct Reason: Sendable, Equatable {
  /// What kind of reason, and at which command of the transaction.
  public enum Kind: Sendable, Equatable {
    /// The server refused it for now.
    case deferred(Outcome.Stage)
    /// The server refused it for good.
    case rejected(Outcome.Stage)
    /// Trouble that settles nothing.
    case trouble(Trouble.Cause)
    /// All data was given, and no reply came.
    case unknown(Trouble.Cause)
    /// It was deferred for longer than the owner grants.
    case tooOld
    /// It was given whole to the server as often as is sensible.
    case unanswered
    /// Its file does not open, though it names our key, or is not a message at all.
    case damaged
  }

  /// The kind of reason.
  public let kind: Kind

  /// The server's reply, where one told it.
  public let reply: Reply?

  /// A library's or the system's word about it, empty where there is none.
  public let detail: String

  /// A reason of a kind.
  public init(_ kind: Kind, reply: Reply? = nil, detail: String = "") {
    self.kind = kind
    self.reply = reply
    self.detail = detail
  }

  /// The reason that an outcome gives; nil for an accepted message.
  public init?(_ outcome: Outcome) {
    switch outcome {
    case .accepted: return nil
    case .deferred(let reply, let stage): self.init(.deferred(stage), reply: reply)
    case .rejected(let reply, let stage): self.init(.rejected(stage), reply: reply)
    case .unknown(let trouble):
      self.init(.unknown(trouble.cause), reply: trouble.reply, detail: trouble.detail)
    case .interrupted(let trouble), .account(let trouble), .offline(let trouble),
      .local(let trouble):
      self.init(.trouble(trouble.cause), reply: trouble.reply, detail: trouble.detail)
    }
  }
}

extension Reason {
  /// Whether it is about gpg or the OpenPGP key, which a person has to see to.
  public var isAboutOpenPGP: Bool {
    guard case .trouble(let cause) = kind else { return false }
    switch cause {
    case .openPGPMissing, .openPGPKeyMissing, .openPGPKeyExpired, .openPGPKeyRevoked,
      .openPGPKeyNotYetValid, .openPGPKeyDisabled, .openPGPKeyCannotEncrypt, .openPGPCannotSign,
      .openPGPLocked, .openPGPTimeout, .openPGPNotDecrypted, .openPGPFailed:
      return true
    default: return false
    }
  }
}

// MARK: - As header fields

extension Reason {
  private static let statusField = "Memo-Status"
  private static let replyField = "Memo-Reply"
  private static let detailField = "Memo-Detail"

  // Memo-Status = kind [ " " stage-or-cause ] [ " " code [ " " enhanced-status-code ] ]
  // Memo-Reply  = text of one reply line, a field for each
  /// The header fields that tell it.
  public var fields: [HeaderField] {
    var status = words.joined(separator: " ")
    if let reply {
      status += " \(reply.code)"
      if let enhanced = reply.enhancedStatusCode { status += " \(enhanced)" }
    }
    var fields = [HeaderField(Self.statusField, unstructured: status)]
    for line in reply?.lines ?? [] {
      fields.append(HeaderField(Self.replyField, unstructured: line))
    }
    if !detail.isEmpty {
      fields.append(HeaderField(Self.detailField, unstructured: detail))
    }
    return fields
  }

  /// The reason told by a header, nil when it tells none that is known.
  public init?(_ header: Header) {
    guard let status = header.first(named: Self.statusField)?.decodedText else { return nil }
    let words = status.split(separator: " ").map(String.init)
    guard let kind = Kind(words) else { return nil }
    let lines = header.all(named: Self.replyField).map(\.decodedText)
    let code = words.compactMap { $0.utf8.count == 3 ? Int($0) : nil }.first
    self.init(
      kind, reply: code.map { Reply(code: $0, lines: lines) },
      detail: header.first(named: Self.detailField)?.decodedText ?? "")
  }

  /// A header without any reason.
  public static func removed(from header: Header) -> Header {
    var header = header
    for name in [statusField, replyField, detailField] { header.remove(named: name) }
    return header
  }

  private var words: [String] {
    switch kind {
    case .deferred(let stage): ["deferred", stage.rawValue]
    case .rejected(let stage): ["rejected", stage.rawValue]
    case .trouble(let cause): ["trouble", cause.rawValue]
    case .unknown(let cause): ["unknown", cause.rawValue]
    case .tooOld: ["too-old"]
    case .unanswered: ["unanswered"]
    case .damaged: ["damaged"]
    }
  }
}

extension Reason.Kind {
  fileprivate init?(_ words: [String]) {
    let second = words.count > 1 ? words[1] : ""
    switch words.first {
    case "deferred": self = .deferred(Outcome.Stage(rawValue: second) ?? .message)
    case "rejected": self = .rejected(Outcome.Stage(rawValue: second) ?? .message)
    case "trouble": self = .trouble(Trouble.Cause(rawValue: second) ?? .aborted)
    case "unknown": self = .unknown(Trouble.Cause(rawValue: second) ?? .connectionLost)
    case "too-old": self = .tooOld
    case "unanswered": self = .unanswered
    case "damaged": self = .damaged
    default: return nil
    }
  }
}
