public import MessageFormat
public import MessageStore

// Design: when a note is tried again is a pure function of its name, its file's time and its
// UUID, so that the sender, the status and the next run agree without a record of their own.

/// When a waiting note is due, and when it has waited too long.
public enum Schedule {
  /// The seconds to wait after the n-th attempt that failed for sure, n ≥ 1.
  ///
  /// base × (1 + u/2), where base doubles from 2 s to 300 s over the first ten attempts and then
  /// on to 3 h, and u in 0..<1 is an octet of the UUID's random half: notes that failed together
  /// do not come back together.
  public static func delay(afterFailure n: Int, of id: NoteID) -> Double {
    let base =
      n <= 10 ? min(exp2(n), 300) : min(300 * exp2(n - 10), Double(longestDelay))
    let octet = id.bytes[8 + n % 8]
    return base * (1 + Double(octet) / 256 / 2)
  }

  /// The seconds to wait after all data was given `count` times without an answer, count ≥ 1.
  public static func delay(afterUnanswered count: Int) -> Double {
    count == 1 ? 15 * 60 : 60 * 60
  }

  /// How often a message may be given whole to a server that does not answer.
  public static let mostUnanswered = 3

  /// The time from which a note may be tried, in seconds since 1970.
  ///
  /// - Parameters:
  ///   - name: The note's file name, with its counters.
  ///   - modified: The file's time of last modification: of the last attempt.
  ///   - now: The present time; a last attempt in the future, after a clock was set back, counts
  ///     as due.
  /// - Returns: `now` or earlier when it is due.
  public static func due(_ name: NoteFileName, modified: Int64, now: Int64) -> Int64 {
    guard name.failures > 0 || name.unanswered > 0, modified <= now else { return now }
    return modified + wait(of: name)
  }

  /// The seconds that a note waits after its last attempt, by its name.
  static func wait(of name: NoteFileName) -> Int64 {
    var wait = 0.0
    if name.failures > 0 { wait = delay(afterFailure: name.failures, of: name.id) }
    if name.unanswered > 0 { wait = max(wait, delay(afterUnanswered: name.unanswered)) }
    return Int64(wait.rounded(.up))
  }

  /// Whether the waits of all attempts so far exceed what the owner grants.
  ///
  /// Time truly waited, no clock: a laptop asleep for a week has not tried for a week. RFC 5321
  /// §4.5.4.1 asks for 4 to 5 days.
  public static func isTooOld(_ name: NoteFileName, giveUpAfter seconds: Int64) -> Bool {
    guard name.failures > 0 else { return false }
    var waited = 0.0
    for n in 1...min(name.failures, 10_000) {
      waited += delay(afterFailure: n, of: name.id)
      if waited > Double(seconds) { return true }
    }
    return false
  }

  private static let longestDelay = 3 * 3600

  private static func exp2(_ n: Int) -> Double { n < 40 ? Double(1 << n) : .infinity }
}
