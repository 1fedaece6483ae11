import Foundation
import TestSupport
import Testing

@testable import Wording

@Suite struct TimesTests {
  private let english = English()

  private func when(_ time: Int64, now: Int64, zone: Int = 0, zoneThen: Int? = nil) -> String {
    english.when(
      LocalTime(secondsSinceEpoch: time, zoneOffset: zoneThen ?? zone),
      now: LocalTime(secondsSinceEpoch: now, zoneOffset: zone))
  }

  /// 2024-01-01 00:00:00 UTC, a Monday.
  private static let newYear: Int64 = 1_704_067_200
  private static let hour: Int64 = 3600
  private static let day: Int64 = 86_400

  @Test(
    arguments: [
      // The same day, the one before and the one after, to the second.
      (newYear, newYear, "00:00"), (newYear + day - 1, newYear, "23:59"),
      (newYear, newYear + day - 1, "00:00"), (newYear + 9 * hour + 61, newYear, "09:01"),
      (newYear - 1, newYear, "yesterday"), (newYear - day, newYear, "yesterday"),
      (newYear - day, newYear + day - 1, "yesterday"),
      (newYear + day, newYear, "tomorrow 00:00"),
      (newYear + 2 * day - 1, newYear, "tomorrow 23:59"),
      // Further away: with the year where it is another one.
      (newYear - day - 1, newYear, "30 Dec 2023"), (newYear - 2 * day, newYear, "30 Dec 2023"),
      (newYear + 2 * day, newYear, "3 Jan"), (newYear, newYear + 2 * day, "1 Jan"),
      (newYear, newYear + 365 * day, "1 Jan"), (newYear, newYear + 366 * day, "1 Jan 2024"),
      (newYear + 59 * day, newYear, "29 Feb"), (newYear + 60 * day, newYear, "1 Mar"),
      (0, newYear, "1 Jan 1970"), (-1, newYear, "31 Dec 1969"),
      (-2_208_988_800, newYear, "1 Jan 1900"), (253_402_300_799, newYear, "31 Dec 9999"),
    ])
  func aTimeIsShortAndClear(time: Int64, now: Int64, text: String) {
    #expect(when(time, now: now) == text)
  }

  // C23: the zones in which hand-made arithmetic breaks.
  @Test(
    arguments: [
      (3600, "00:50"), (-12_600, "20:20"), (20_700, "05:35"), (0, "23:50"), (50_400, "13:50"),
      (-43_200, "11:50"),
    ])
  func theClockIsThatOfTheZone(zone: Int, text: String) {
    // 2023-12-31T23:50:48Z.
    let time: Int64 = 1_704_066_648
    #expect(when(time, now: time, zone: zone) == text)
  }

  @Test func theDayIsThatOfTheZone() {
    // Two minutes apart, over midnight in Berlin and not in London.
    let midnight = Self.newYear - Self.hour
    #expect(when(midnight - 60, now: midnight + 60, zone: 3600) == "yesterday")
    #expect(when(midnight - 60, now: midnight + 60, zone: 0) == "22:59")
    // Each time has the offset that held then: summer time has ended meanwhile.
    #expect(when(midnight - 60, now: midnight + 60, zone: 3600, zoneThen: 7200) == "00:59")
  }

  // RFC 3339 §5.8, and the ends of what can be written.
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (482_196_050, "1985-04-12T23:20:50Z"),
      (851_042_397, "1996-12-20T00:39:57Z"), (1_704_066_648, "2023-12-31T23:50:48Z"),
      (951_782_399, "2000-02-28T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (1_709_251_199, "2024-02-29T23:59:59Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
      (-1, "1969-12-31T23:59:59Z"), (-62_135_596_800, "0001-01-01T00:00:00Z"),
      (253_402_300_799, "9999-12-31T23:59:59Z"), (2_147_483_648, "2038-01-19T03:14:08Z"),
    ])
  func aTimeForProgramsIsThatOfRFC3339(seconds: Int64, text: String) {
    #expect(LocalTime.rfc3339(seconds) == text)
  }

  @Test func itAgreesWithAnotherCalendar() throws {
    let formatter = ISO8601DateFormatter()
    var random = SeededGenerator(seed: 23)
    for _ in 0..<500 {
      let seconds = Int64.random(in: -2_000_000_000...8_000_000_000, using: &random)
      let date = Date(timeIntervalSince1970: Double(seconds))
      #expect(LocalTime.rfc3339(seconds) == formatter.string(from: date))
    }
  }
}
