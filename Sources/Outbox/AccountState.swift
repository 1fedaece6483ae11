internal import MessageFormat

/// What is remembered of an account between runs.
public struct AccountState: Sendable, Equatable {
  /// A time in which nothing is tried, begun by trouble that is no note's fault.
  public struct Hold: Sendable, Equatable {
    /// Whose trouble it is.
    public enum Kind: String, Sendable {
      /// The account's: a person has to mend it.
      case paused
      /// The network's or the server's: it passes.
      case offline
    }

    /// Whose trouble it is.
    public let kind: Kind
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

  /// The hold that was begun last and not ended by a success.
  public internal(set) var hold: Hold?

  /// The account's last verdict, where it was a refusal of the envelope.
  var lastRefusal: Refusal?

  /// When the server last took a message, in seconds since 1970.
  public internal(set) var lastAccepted: Int64?

  /// What is left of the notes that `limit` allows, nil before it was first counted.
  var bucket: TokenBucket?

  /// The state of an account nothing is known of.
  public init() {}
}

extension AccountState {
  /// The hold that is on now, nil when notes may be tried.
  ///
  /// - Parameters:
  ///   - now: Seconds since 1970. A clock set back before the hold's beginning ends it.
  ///   - settingsModified: When the settings or the secret changed last: that may have mended it.
  ///   - isAsked: Whether a person is there: being offline is then looked at again after 30 s.
  /// - Returns: The hold, nil when there is none or it is over.
  public func currentHold(now: Int64, settingsModified: Int64, isAsked: Bool) -> Hold? {
    guard let hold, now < hold.until, now >= hold.since, settingsModified < hold.since,
      !(isAsked && hold.kind == .offline && now >= hold.since + Self.firstOffline)
    else { return nil }
    return hold
  }

  private static let firstOffline: Int64 = 30
  private static let longestOffline: Int64 = 15 * 60
  private static let firstPause: Int64 = 5 * 60
  private static let longestPause: Int64 = 3 * 3600

  /// Begins a hold, longer each time in a row.
  ///
  /// Offline 30 s doubling to 15 min, paused 5 min doubling to 3 h; a refused login waits 3 h at
  /// once, as servers lock out who keeps trying.
  mutating func beginHold(_ kind: Hold.Kind, _ reason: Reason, now: Int64) {
    let count = hold?.kind == kind ? (hold?.count ?? 0) + 1 : 1
    let seconds =
      switch (kind, reason.kind) {
      case (.paused, .trouble(.loginRefused)): Self.longestPause
      case (.paused, _): min(Self.firstPause << Int64(min(count - 1, 10)), Self.longestPause)
      case (.offline, _): min(Self.firstOffline << Int64(min(count - 1, 10)), Self.longestOffline)
      }
    hold = Hold(kind: kind, since: now, until: now + seconds, count: count, reason: reason)
    lastRefusal = nil
  }

  /// Notes a success: the account works.
  mutating func recordAccepted(now: Int64) {
    hold = nil
    lastRefusal = nil
    // By the minute is exact enough to be shown, and spares a write for each note of a backlog.
    if abs(now - (lastAccepted ?? 0)) >= 60 { lastAccepted = now }
  }
}

// MARK: - As header fields

extension AccountState {
  // Hold          = kind " " since " " until " " count, and the reason's own fields
  // Last-Refusal  = stage " " code " " UUID
  // Last-Accepted = seconds since 1970
  // Tokens        = thousandths " " seconds since 1970
  var fields: [HeaderField] {
    var fields: [HeaderField] = []
    func add(_ name: String, _ value: String) {
      fields.append(HeaderField(name, unstructured: value))
    }
    if let hold {
      add("Hold", "\(hold.kind.rawValue) \(hold.since) \(hold.until) \(hold.count)")
      fields += hold.reason.fields
    }
    if let refusal = lastRefusal {
      add("Last-Refusal", "\(refusal.stage.rawValue) \(refusal.code) \(refusal.note)")
    }
    if let lastAccepted { add("Last-Accepted", "\(lastAccepted)") }
    if let bucket { add("Tokens", "\(bucket.thousandths) \(bucket.time)") }
    return fields
  }

  init(_ header: Header) {
    let held = Self.words("Hold", header)
    let numbers = held.dropFirst().compactMap(Self.number)
    if held.count == 4, numbers.count == 3, let kind = Hold.Kind(rawValue: held[0]),
      let reason = Reason(header)
    {
      hold = Hold(
        kind: kind, since: numbers[0], until: numbers[1], count: max(Int(clamping: numbers[2]), 1),
        reason: reason)
    }
    let refusal = Self.words("Last-Refusal", header)
    if refusal.count == 3, let stage = Outcome.Stage(rawValue: refusal[0]),
      let code = Int(refusal[1]), let note = NoteID(refusal[2])
    {
      lastRefusal = Refusal(stage: stage, code: code, note: note)
    }
    lastAccepted = Self.words("Last-Accepted", header).first.flatMap(Self.number)
    let tokens = Self.words("Tokens", header).compactMap(Self.number)
    if tokens.count == 2 { bucket = TokenBucket(thousandths: tokens[0], time: tokens[1]) }
  }

  /// A number that can be reckoned with, whatever a damaged file says.
  private static func number(_ word: String) -> Int64? {
    Int64(word).map { min(max($0, -(1 << 40)), 1 << 40) }
  }

  private static func words(_ name: String, _ header: Header) -> [String] {
    header.first(named: name)?.decodedText.split(separator: " ").map(String.init) ?? []
  }
}
