/// A time as certificates write it.
///
/// RFC 5280 §4.1.2.5: UTCTime from 1950 to 2049, else GeneralizedTime; the years 0 to 9999.
package enum CertificateTime {
  /// The element for that many seconds since 1970.
  package static func element(_ secondsSince1970: Int64) -> [UInt8] {
    let seconds = min(max(secondsSince1970, -62_167_219_200), 253_402_300_799)
    let day = (seconds - modulo(seconds, 86_400)) / 86_400
    let second = modulo(seconds, 86_400)
    let (year, month, dayOfMonth) = date(daysSince1970: day)
    let isShort = (1950...2049).contains(year)
    let digits =
      (isShort ? decimal(modulo(year, 100), 2) : decimal(year, 4))
      + [month, dayOfMonth, second / 3600, second / 60 % 60, second % 60].flatMap { decimal($0, 2) }
    return DER.element(isShort ? .utcTime : .generalizedTime, digits + [0x5A])
  }

  /// The date in the Gregorian calendar.
  ///
  /// Counted from the 1st of March of the year 0, so that a leap day ends its year: then 400 years
  /// have 146,097 days, and five months from March on have 153.
  private static func date(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let days = daysSince1970 + 719_468
    let dayOfEra = modulo(days, 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + (days - dayOfEra) / 146_097 * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  private static func modulo(_ number: Int64, _ divisor: Int64) -> Int64 {
    let remainder = number % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }

  private static func decimal(_ number: Int64, _ width: Int) -> [UInt8] {
    let digits = Array(String(number).utf8)
    return [UInt8](repeating: 0x30, count: max(0, width - digits.count)) + digits
  }

  /// The seconds since 1970 that an element tells, nil when it is none of the two forms with `Z`.
  package static func seconds(_ element: [UInt8]) -> Int64? {
    let isShort = element.first == DER.Tag.utcTime.octet
    guard isShort || element.first == DER.Tag.generalizedTime.octet, element.last == 0x5A,
      element.count == (isShort ? 15 : 17)
    else { return nil }
    let digits = element.dropFirst(2).dropLast().map { Int64($0) - 0x30 }
    guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
    // Whatever the year has, month, day, hour, minute and second are the last ten digits.
    let rest = stride(from: digits.count - 10, to: digits.count, by: 2)
      .map { digits[$0] * 10 + digits[$0 + 1] }
    let year =
      isShort
      ? digits[0] * 10 + digits[1] + (digits[0] < 5 ? 2000 : 1900)
      : (digits[0] * 10 + digits[1]) * 100 + digits[2] * 10 + digits[3]
    return daysSince1970(year, rest[0], rest[1]) * 86_400 + rest[2] * 3600 + rest[3] * 60 + rest[4]
  }

  private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let yearOfEra = modulo(shifted, 400)
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return (shifted - yearOfEra) / 400 * 146_097 + dayOfEra - 719_468
  }
}
