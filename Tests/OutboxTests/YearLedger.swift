import MessageFormat
import Outbox

// Design: what should follow from an attempt is worked out here anew from DESIGN §6, and not asked
// of Schedule, so that a mistake there shows.

/// What a test knows of each note, beside what the store says.
struct YearLedger {
  /// A note's life so far.
  struct Life {
    var attempts = 0
    /// Copies that the server stored.
    var copies = 0
    /// What they all must be.
    var message: Int?
    var failures = 0
    /// Those of before it was brought back, too.
    var allFailures = 0
    var unanswered = 0
    /// Whether an answer is on record after which it must not be sent.
    var isAccepted = false
    var isRejected = false
    var isCancelled = false
    /// In true seconds, and as long as the clock is not set.
    var earliestNext: Int64 = 0
    var jumps = 0
    /// Where it was found at the end.
    var end: End?
  }

  static let mostViolations = 20

  enum End { case sent, failed, cancelled }

  /// An account that is not to be tried for a while.
  private struct Hold {
    var isPause: Bool
    var count: Int64
    var ends: Int64
    var jumps: Int
  }

  private(set) var lives: [NoteID: Life] = [:]
  private var holds: [Int: Hold] = [:]
  private(set) var violations: [String] = []
  /// How many attempts the clock's being set made possible before their time.
  private(set) var early = 0

  mutating func captured(_ id: NoteID) { lives[id] = Life() }

  mutating func change(_ id: NoteID, _ body: (inout Life) -> Void) {
    guard lives[id] != nil else { return violate("a note that nobody wrote", id) }
    body(&lives[id, default: Life()])
  }

  mutating func violate(_ what: String, _ id: NoteID? = nil) {
    guard violations.count < Self.mostViolations else { return }
    violations.append(id.map { "\(what): \($0)" } ?? what)
  }
}

// MARK: - Attempts

extension YearLedger {
  /// A note is being given to the server.
  mutating func attempted(
    _ id: NoteID, _ message: [UInt8], by account: Int, at now: Int64, jumps: Int
  ) {
    guard let life = lives[id] else { return violate("a note that nobody wrote", id) }
    if let hold = holds[account], hold.jumps == jumps, now < hold.ends {
      violate("sent \(hold.ends - now) s before its account may", id)
    }
    if life.isAccepted { violate("sent again after its acceptance", id) }
    if life.isCancelled { violate("sent after it was cancelled", id) }
    if life.unanswered >= 3 { violate("sent a fourth time without an answer", id) }
    if now < life.earliestNext {
      if jumps == life.jumps { violate("sent \(life.earliestNext - now) s too early", id) }
      early += 1
    }
    let hash = message.hashValue
    if let known = life.message, known != hash { violate("not the same message", id) }
    change(id) {
      $0.attempts += 1
      $0.message = hash
      $0.jumps = jumps
    }
  }

  /// What became of it.
  mutating func ended(_ id: NoteID, _ act: YearAct, by account: Int, at now: Int64) {
    hold(account, act, at: now, jumps: lives[id]?.jumps ?? 0)
    change(id) { life in
      switch act {
      case .accepts:
        life.copies += 1
        life.isAccepted = true
      case .fallsSilent(let stored), .isKilledAfter(let stored):
        life.copies += stored ? 1 : 0
        life.unanswered += 1
      case .defers, .breaksOff:
        life.failures += 1
        life.allFailures += 1
      case .rejects:
        life.isRejected = true
        // Should it be brought back, it begins anew.
        life.failures = 0
      case .isCancelled: life.isCancelled = true
      case .refusesAccount, .isAway, .isShortOfMemory, .isKilledBefore: break
      }
      life.earliestNext = now + Self.wait(life, act)
    }
    if lives[id].map({ $0.copies > 3 }) ?? false { violate("more than three copies", id) }
  }

  /// 30 s doubling to 15 min where nobody is reached, 5 min doubling to 3 h where a person is
  /// needed, 3 h at once after a refused login.
  private mutating func hold(_ account: Int, _ act: YearAct, at now: Int64, jumps: Int) {
    let isPause: Bool
    var seconds: (first: Int64, longest: Int64)
    switch act {
    case .accepts, .defers, .rejects:
      holds[account] = nil
      return
    case .isAway: (isPause, seconds) = (false, (30, 15 * 60))
    case .refusesAccount(let cause, _):
      (isPause, seconds) = (true, (5 * 60, 3 * 3600))
      if cause == .loginRefused { seconds.first = seconds.longest }
    default: return
    }
    let known = holds[account].flatMap { $0.isPause == isPause ? $0.count : nil } ?? 0
    let length = min(seconds.first << min(known, 10), seconds.longest)
    holds[account] = Hold(
      isPause: isPause, count: known + 1, ends: now + length - 1, jumps: jumps)
  }

  /// The least time until the note's next attempt, in seconds.
  private static func wait(_ life: Life, _ act: YearAct) -> Int64 {
    switch act {
    case .accepts, .rejects, .isCancelled, .isShortOfMemory, .isKilledBefore, .isAway,
      .refusesAccount:
      0
    case .fallsSilent, .isKilledAfter: (life.unanswered == 1 ? 15 * 60 : 60 * 60) - 1
    case .defers, .breaksOff: base(life.failures) - 1
    }
  }

  private static func base(_ failures: Int) -> Int64 {
    if failures <= 10 { return min(1 << Int64(failures), 300) }
    return min(300 << Int64(min(failures, 20) - 10), 3 * 3600)
  }
}

// MARK: - Ends

extension YearLedger {
  /// A note was found in sent/ or failed/, or taken away by its owner.
  mutating func found(_ id: NoteID, _ end: End, _ reason: Reason? = nil) {
    guard let life = lives[id] else { return violate("a note that nobody wrote", id) }
    if life.end != nil { violate("in two places", id) }
    switch end {
    case .sent: if !life.isAccepted || life.copies == 0 { violate("sent, never accepted", id) }
    case .failed: check(id, life, reason)
    case .cancelled: if !life.isCancelled { violate("gone", id) }
    }
    change(id) { $0.end = end }
  }

  private mutating func check(_ id: NoteID, _ life: Life, _ reason: Reason?) {
    if life.isAccepted { violate("accepted, and failed all the same", id) }
    switch reason?.kind {
    case .rejected: if !life.isRejected { violate("failed, never rejected", id) }
    case .unanswered: if life.unanswered < 3 { violate("given up unanswered too soon", id) }
    // 5 days of waits of at most 3 h and a half more.
    case .tooOld: if life.allFailures < 27 { violate("given up as too old too soon", id) }
    default: violate("failed without a reason: \(reason.map { "\($0.kind)" } ?? "none")", id)
    }
  }

  /// The notes of which nothing is known at the end.
  mutating func close() {
    for (id, life) in lives where life.end == nil {
      if life.isCancelled { change(id) { $0.end = .cancelled } } else { violate("lost", id) }
    }
  }

  func count(_ end: End) -> Int { lives.values.count { $0.end == end } }
}
