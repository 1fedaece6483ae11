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
}
