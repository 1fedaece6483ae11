/// A day of the Gregorian calendar, years 0 to 9999.
///
/// Own arithmetic, so that neither locale nor time zone files nor a week-based year (case C23)
/// has a say.
struct CivilDate: Equatable {
  let year: Int
  let month: Int
  let day: Int

  /// Days from the first day of the year 0 to the first day of 1970.
  private static let epoch = daysBefore(year: 1970)

  /// The days since 1970-01-01 of the first and of the last day that can be written.
  static let range = -epoch...(daysBefore(year: 10_000) - 1 - epoch)

  /// A day that exists; nil for the 30th of February and its kind.
  init?(year: Int, month: Int, day: Int) {
    guard (0...9999).contains(year), (1...12).contains(month),
      (1...Self.days(in: month, of: year)).contains(day)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day so many days after 1970-01-01, which must be in `range`.
  init(daysSinceEpoch: Int) {
    let days = min(max(daysSinceEpoch, Self.range.lowerBound), Self.range.upperBound) + Self.epoch
    var year = days * 400 / 146_097
    while Self.daysBefore(year: year + 1) <= days { year += 1 }
    while Self.daysBefore(year: year) > days { year -= 1 }
    var rest = days - Self.daysBefore(year: year)
    var month = 1
    while rest >= Self.days(in: month, of: year) {
      rest -= Self.days(in: month, of: year)
      month += 1
    }
    self.year = year
    self.month = month
    self.day = rest + 1
  }

  /// Days since 1970-01-01, negative before it.
  var daysSinceEpoch: Int {
    let months = (1..<month).reduce(0) { $0 + Self.days(in: $1, of: year) }
    return Self.daysBefore(year: year) + months + day - 1 - Self.epoch
  }

  /// The day of the week, 0 for Sunday.
  var weekday: Int {
    // 1970-01-01 was a Thursday.
    ((daysSinceEpoch + 4) % 7 + 7) % 7
  }

  // MARK: - The calendar

  static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from the first day of the year 0, a leap year, to the first day of `year`.
  private static func daysBefore(year: Int) -> Int {
    365 * year + (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400
  }
}
