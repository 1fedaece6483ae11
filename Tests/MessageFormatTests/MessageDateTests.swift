import Foundation
import MessageFormat
import Testing

@Suite struct MessageDateTests {
  // Case C23: 2023-12-31T23:50:48Z around the New Year.
  @Test(arguments: [
    (3600, "Mon, 01 Jan 2024 00:50:48 +0100"), (-12_600, "Sun, 31 Dec 2023 20:20:48 -0330"),
    (20_700, "Mon, 01 Jan 2024 05:35:48 +0545"), (0, "Sun, 31 Dec 2023 23:50:48 +0000"),
  ])
  func caseC23(zone: Int, text: String) {
    let date = MessageDate(secondsSinceEpoch: 1_704_066_648, zoneOffset: zone)
    #expect(date.description == text)
    #expect(MessageDate(parsing: text) == date)
  }

  @Test func caseC23TheYearIsNotThatOfTheWeek() {
    let date = MessageDate(secondsSinceEpoch: 1_735_516_800, zoneOffset: 0)
    #expect(date.description == "Mon, 30 Dec 2024 00:00:00 +0000")
  }

  // RFC 5322 appendices A.1.1 to A.6.3, and §4.3.
  @Test(arguments: [
    ("Fri, 21 Nov 1997 09:55:06 -0600", 880_127_706, -21_600),
    (
      "Thu,\r\n      13\r\n        Feb\r\n          1969\r\n      23:32\r\n               -0330 (Newfoundland Time)",
      -27_723_480, -12_600
    ),
    ("21 Nov 97 09:55:06 GMT", 880_106_106, 0),
    ("Fri, 21 Nov 1997 09(comment):   55  :  06 -0600", 880_127_706, -21_600),
    ("Tue, 1 Jan 102 00:00 EST", 1_009_861_200, -18_000),
    ("01 jan 49 00:00:60 z", 2_493_072_060, 0),
    ("1 Jan 50 00:00 A", -631_152_000, 0),
    ("Wed, 31 Dec 1969 23:59:59 -0000", -1, 0),
    ("29 Feb 2000 12:00:00 +1400 (a (b \\) c) d)", 951_775_200, 50_400),
  ])
  func readsWhatTheStandardAllows(text: String, seconds: Int64, zone: Int) {
    let date = MessageDate(parsing: text)
    #expect(date?.secondsSinceEpoch == seconds)
    #expect(date?.zoneOffsetSeconds == zone)
  }

  @Test(arguments: [
    "", "now", "Fri, 21 Nov", "Abc, 21 Nov 1997 09:55:06 -0600", "29 Feb 1900 00:00 +0000",
    "32 Jan 2024 00:00 +0000", "1 Jan 2024 24:00 +0000", "1 Jan 2024 00:60 +0000", "1 Jan 2024",
    "1 Jan 20245 00:00 +0000", "1 Jan 2024 00:00 +01", "1 Jan 2024 00:00 +0160",
    "-1 Jan 2024 00:00 Z",
    "1 Jan 2024 00:00 +0000 x", "99999999999999999999 Jan 2024 00:00 +0000",
  ])
  func whatIsNoDateIsRefused(text: String) {
    #expect(MessageDate(parsing: text) == nil)
  }

  @Test func everyDateComesBackAndAgreesWithFoundation() {
    var random = SeededRandom(seed: 3)
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss xx"
    for _ in 0..<2_000 {
      // 1600 to 9999, in whole minutes of zone.
      let seconds = Int64.random(in: -11_676_000_000...253_402_000_000, using: &random)
      let zone = Int.random(in: -840...840, using: &random) * 60
      let date = MessageDate(secondsSinceEpoch: seconds, zoneOffset: zone)
      #expect(MessageDate(parsing: date.description) == date)
      formatter.timeZone = TimeZone(secondsFromGMT: zone)
      #expect(
        formatter.string(from: Date(timeIntervalSince1970: Double(seconds))) == date.description)
    }
  }

  @Test func aClockOutOfBoundsIsClamped() {
    let first = MessageDate(secondsSinceEpoch: .min, zoneOffset: .min)
    #expect(first.description == "Sat, 01 Jan 0000 00:00:00 -9959")
    let last = MessageDate(secondsSinceEpoch: .max, zoneOffset: .max)
    #expect(last.description == "Fri, 31 Dec 9999 23:59:59 +9959")
    #expect(MessageDate(secondsSinceEpoch: 0, zoneOffset: 3208).zoneOffsetSeconds == 3180)
  }
}
