/// How many notes an account may send in a time.
public struct SendingLimit: Sendable, Equatable {
  /// The most notes at once, and in each `seconds`.
  let count: Int64
  /// The time in which as many may go again.
  let seconds: Int64

  /// A limit of `count` notes in `seconds`, both at least 1.
  public init(count: Int, seconds: Int64) {
    self.count = Int64(max(count, 1))
    self.seconds = max(seconds, 1)
  }
}

/// A token bucket: it fills evenly, and each note takes a token.
struct TokenBucket: Sendable, Equatable {
  /// Thousandths of a token that were in it at `time`.
  private(set) var thousandths: Int64
  /// Seconds since 1970.
  private(set) var time: Int64

  init(thousandths: Int64, time: Int64) {
    self.thousandths = thousandths
    self.time = time
  }

  /// A full bucket.
  init(full limit: SendingLimit, now: Int64) {
    self.init(thousandths: limit.count * 1000, time: now)
  }

  /// Takes a token, if there is one.
  mutating func take(_ limit: SendingLimit, now: Int64) -> Bool {
    fill(limit, now: now)
    guard hasToken else { return false }
    thousandths -= 1000
    return true
  }

  /// Whether there is a token, as it was filled last.
  var hasToken: Bool { thousandths >= 1000 }

  /// When there is a token, in seconds since 1970.
  func nextToken(_ limit: SendingLimit) -> Int64 {
    guard thousandths < 1000 else { return time }
    let missing = 1000 - thousandths
    return time + (missing * limit.seconds + limit.count * 1000 - 1) / (limit.count * 1000)
  }

  /// A clock set back begins anew from there: nothing is gained, and nothing waits for years.
  mutating func fill(_ limit: SendingLimit, now: Int64) {
    let full = limit.count * 1000
    let passed = min(max(now - time, 0), limit.seconds)
    thousandths = min(thousandths + passed * full / limit.seconds, full)
    time = now
  }
}
