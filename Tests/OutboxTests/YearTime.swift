import Posix
import Synchronization

/// Time in a test: it passes only when somebody waits, and the clock that shows it can be wrong.
final class YearTime: Sendable {
  private struct State {
    var elapsed: Int64 = 0
    var error: Int64 = 0
    var jumps = 0
  }

  private let state = Mutex(State())
  /// 2024-03-01 00:00:00 UTC, in milliseconds since 1970.
  private static let start: Int64 = 1_709_251_200_000

  /// The milliseconds that truly passed.
  var elapsed: Int64 { state.withLock { $0.elapsed } }

  /// The seconds that truly passed.
  var seconds: Int64 { elapsed / 1000 }

  /// How often the clock was set.
  var jumps: Int { state.withLock { $0.jumps } }

  /// Lets time pass.
  func pass(milliseconds: Int64) { state.withLock { $0.elapsed += max(milliseconds, 0) } }

  /// Lets time pass until so many seconds have passed in all.
  func pass(until seconds: Int64) { pass(milliseconds: seconds * 1000 - elapsed) }

  /// Sets the clock: so many years before or after the right time.
  func set(yearsWrong years: Int64) {
    state.withLock {
      $0.error = years * 365 * 86_400_000
      $0.jumps += 1
    }
  }

  /// The clock as the programs see it.
  var clock: Clock {
    Clock(
      milliseconds: { [self] in state.withLock { Self.start + $0.elapsed + $0.error } },
      zoneOffset: { _ in 3600 }, wait: { [self] in pass(milliseconds: $0) })
  }
}
