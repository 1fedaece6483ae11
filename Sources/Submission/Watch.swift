/// Tells when a session has waited too long.
///
/// A wait begins with what was sent, not with what was received: a server that drips line after
/// line of one reply does not prolong it.
struct Watch {
  /// What is waited for.
  enum Wait: Equatable {
    /// The answer that ends a step.
    case step(Step)
    /// The answer to QUIT.
    case quit
  }

  private let timeouts: SubmissionTimeouts
  private var wait = Wait.step(.connect)
  private var began: SuspendingClock.Instant
  private var stopDeadline: SuspendingClock.Instant?

  /// A watch that begins with the connection.
  init(_ timeouts: SubmissionTimeouts, at now: SuspendingClock.Instant) {
    self.timeouts = timeouts
    began = now
  }

  /// A new wait begins, or octets of the message went out.
  mutating func begin(_ wait: Wait, at now: SuspendingClock.Instant) {
    self.wait = wait
    began = now
  }

  /// The program was told to stop: what is still waited for is bounded anew.
  mutating func stop(at now: SuspendingClock.Instant) {
    stopDeadline = stopDeadline ?? now + timeouts.stop
  }

  /// Whether the wait has lasted too long.
  func isOverdue(at now: SuspendingClock.Instant) -> Bool {
    if let stopDeadline, now >= stopDeadline { return true }
    return now - began >= limit
  }

  private var limit: Duration {
    switch wait {
    case .quit: timeouts.quit
    case .step(.connect), .step(.handshake): timeouts.connect
    case .step(.body): timeouts.stall
    case .step(.message): timeouts.finalReply
    case .step: timeouts.reply
    }
  }
}
