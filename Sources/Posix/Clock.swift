internal import Glibc

/// Where a program gets the time from: the machine's clock, or a test's.
public struct Clock: Sendable {
  /// The time of day, as milliseconds since 1970-01-01 UTC; negative before.
  public let milliseconds: @Sendable () -> Int64

  /// Seconds east of UTC that local time was, or will be, at seconds since 1970.
  public let zoneOffset: @Sendable (Int64) -> Int

  /// Waits for some milliseconds; returns early when a signal arrives.
  public let wait: @Sendable (Int64) -> Void

  /// A clock made of its parts.
  public init(
    milliseconds: @escaping @Sendable () -> Int64,
    zoneOffset: @escaping @Sendable (Int64) -> Int,
    wait: @escaping @Sendable (Int64) -> Void
  ) {
    self.milliseconds = milliseconds
    self.zoneOffset = zoneOffset
    self.wait = wait
  }

  /// The time of day in whole seconds since 1970.
  public var seconds: Int64 { Int64((Double(milliseconds()) / 1000).rounded(.down)) }

  /// The machine's clock, in the zone of `TZ` or `/etc/localtime`.
  ///
  /// The corresponding C functions are `clock_gettime(2)`, `localtime_r(3)` and `nanosleep(2)`.
  public static let system = Clock(
    milliseconds: {
      var now = timespec()
      unsafe clock_gettime(CLOCK_REALTIME, &now)
      return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    },
    zoneOffset: { seconds in
      var (time, local) = unsafe (time_t(seconds), tm())
      guard unsafe localtime_r(&time, &local) != nil else { return 0 }
      return unsafe local.tm_gmtoff
    },
    wait: { milliseconds in
      var time = timespec(
        tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
      unsafe nanosleep(&time, nil)
    })
}
