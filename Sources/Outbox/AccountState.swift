internal import MessageFormat

/// What is remembered of an account between runs.
public struct AccountState: Sendable, Equatable {
  /// A pause: the account as it is cannot send.
  public struct Pause: Sendable, Equatable {
    /// When the trouble was met, in seconds since 1970.
    public let since: Int64
    /// Until when nothing is tried.
    public let until: Int64
    /// How often in a row, 1 or more.
    public let count: Int
    /// The trouble.
    public let reason: Reason
  }

  /// A refusal at MAIL or RCPT: where, how, and of which note.
  public struct Refusal: Sendable, Equatable {
    let stage: Outcome.Stage
    let code: Int
    let note: NoteID

    /// Whether another refusal says the same of the envelope.
    func isSame(as other: Refusal) -> Bool { stage == other.stage && code == other.code }
  }

  /// The pause that was begun last and not ended by a success.
  public var pause: Pause?

  /// The account's last verdict, where it was a refusal of the envelope.
  public var lastRefusal: Refusal?

  /// When the server last took a message, in seconds since 1970.
  public var lastAccepted: Int64?

  /// The state of an account nothing is known of.
  public init() {}
}

extension AccountState {
  /// The pause that holds now, nil when notes may be tried.
  ///
  /// - Parameters:
  ///   - now: Seconds since 1970. A clock set back before the pause's beginning ends it.
  ///   - configurationModified: When the settings changed last: that may have mended it.
  /// - Returns: The pause, nil when there is none or it is over.
  public func currentPause(now: Int64, configurationModified: Int64) -> Pause? {
    guard let pause, now < pause.until, now >= pause.since,
      configurationModified < pause.since
    else { return nil }
    return pause
  }

  /// Begins a pause, longer each time: 5 min doubling to 3 h; a refused login waits 3 h at once,
  /// as servers lock out who keeps trying.
  public mutating func beginPause(_ reason: Reason, now: Int64) {
    let count = (pause?.count ?? 0) + 1
    let seconds: Int64 =
      reason.kind == .trouble(.loginRefused)
      ? 3 * 3600 : min(300 << Int64(min(count - 1, 10)), 3 * 3600)
    pause = Pause(since: now, until: now + seconds, count: count, reason: reason)
  }

  /// Notes a success: the account works.
  public mutating func recordAccepted(now: Int64) {
    pause = nil
    lastRefusal = nil
    lastAccepted = now
  }
}

// MARK: - As header fields

extension AccountState {
  // Paused        = since " " until " " count, and the reason's own fields
  // Last-Refusal  = stage " " code " " UUID
  // Last-Accepted = seconds since 1970
  var fields: [HeaderField] {
    var fields: [HeaderField] = []
    if let pause {
      fields.append(
        HeaderField("Paused", unstructured: "\(pause.since) \(pause.until) \(pause.count)"))
      fields += pause.reason.fields
    }
    if let refusal = lastRefusal {
      fields.append(
        HeaderField(
          "Last-Refusal",
          unstructured: "\(refusal.stage.rawValue) \(refusal.code) \(refusal.note)"))
    }
    if let lastAccepted {
      fields.append(HeaderField("Last-Accepted", unstructured: "\(lastAccepted)"))
    }
    return fields
  }

  init(_ header: Header) {
    let paused = Self.words("Paused", header).compactMap { Int64($0) }
    if paused.count == 3, let reason = Reason(header) {
      pause = Pause(
        since: paused[0], until: paused[1], count: Int(clamping: paused[2]), reason: reason)
    }
    let refusal = Self.words("Last-Refusal", header)
    if refusal.count == 3, let stage = Outcome.Stage(rawValue: refusal[0]),
      let code = Int(refusal[1]), let note = NoteID(refusal[2])
    {
      lastRefusal = Refusal(stage: stage, code: code, note: note)
    }
    lastAccepted = Self.words("Last-Accepted", header).first.flatMap { Int64($0) }
  }

  private static func words(_ name: String, _ header: Header) -> [String] {
    header.first(named: name)?.decodedText.split(separator: " ").map(String.init) ?? []
  }
}
