/// The time and zone of a Date field.
///
/// Names are English whatever the locale, as the format requires. RFC 5322 §3.3.
public struct MessageDate: Sendable, Equatable {
  /// Seconds since 1970-01-01 00:00:00 UTC, leap seconds not counted.
  public let secondsSinceEpoch: Int64

  /// How far local time is ahead of UTC, in seconds; whole minutes.
  public let zoneOffsetSeconds: Int

  static let dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  static let monthNames = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// A point in time and the zone to show it in.
  ///
  /// - Parameters:
  ///   - secondsSinceEpoch: Clamped to local years 0 to 9999, which is what the format can hold.
  ///   - seconds: The zone's offset, cut to whole minutes and to less than 100 hours.
  public init(secondsSinceEpoch: Int64, zoneOffset seconds: Int) {
    let zone = min(max(seconds, -359_940), 359_940) / 60 * 60
    let first = Int64(CivilDate.range.lowerBound) * 86_400 - Int64(zone)
    let last = Int64(CivilDate.range.upperBound + 1) * 86_400 - 1 - Int64(zone)
    self.secondsSinceEpoch = min(max(secondsSinceEpoch, first), last)
    self.zoneOffsetSeconds = zone
  }
}

extension MessageDate: CustomStringConvertible {
  // date-time = [ day-of-week "," ] date time [CFWS]                             RFC 5322 §3.3
  // date = day month year    time = time-of-day zone
  /// The date as a Date field has it, such as `Mon, 01 Jan 2024 00:50:48 +0100`.
  public var description: String {
    let local = Int(secondsSinceEpoch) + zoneOffsetSeconds
    let second = ((local % 86_400) + 86_400) % 86_400
    let date = CivilDate(daysSinceEpoch: (local - second) / 86_400)
    let zone = abs(zoneOffsetSeconds) / 60
    return Self.dayNames[date.weekday] + ", " + digits(date.day, 2) + " "
      + Self.monthNames[date.month - 1] + " " + digits(date.year, 4) + " "
      + digits(second / 3600, 2) + ":" + digits(second / 60 % 60, 2) + ":" + digits(second % 60, 2)
      + (zoneOffsetSeconds < 0 ? " -" : " +") + digits(zone / 60, 2) + digits(zone % 60, 2)
  }

  private func digits(_ value: Int, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }
}
