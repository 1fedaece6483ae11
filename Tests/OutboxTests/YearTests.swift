import Foundation
import Testing

/// The promises of DESIGN §1, kept for a year.
@Suite struct YearTests {
  /// How many notes `$MEMO_YEAR_NOTES` asks for.
  private static let asked =
    ProcessInfo.processInfo.environment["MEMO_YEAR_NOTES"].flatMap { Int($0) }
  private static let notes = asked ?? 2000

  /// A random server for each of two accounts, senders that are killed, an owner who cancels, mail
  /// clients that rename, and a clock that is set 10 years ahead and back (rows 2, 10 and 22).
  @Test func aYearOfCronKeepsThePromises() throws {
    let clock = ContinuousClock()
    let start = clock.now
    let year = try Year(notes: Self.notes, seed: 2024)
    try year.pass()
    #expect(year.ledger.violations == [])
    expectAllHappened(in: year)
    if Self.asked != nil { print(figures(year, (clock.now - start) / .seconds(1))) }
  }

  /// What the year was to try did occur.
  private func expectAllHappened(in year: Year) {
    let lives = year.ledger.lives.values
    #expect(lives.count == Self.notes)
    #expect(year.ledger.count(.sent) > Self.notes / 2)
    #expect(year.ledger.count(.failed) > 0)
    #expect(year.ledger.count(.cancelled) > 0)
    #expect(lives.contains { $0.copies == 3 })
    #expect(lives.contains { $0.failures > 10 })
    #expect(year.kills > Self.notes / 50)
    #expect(year.time.jumps > 10)
    #expect(year.ledger.early > 0)
  }

  private func figures(_ year: Year, _ seconds: Double) -> String {
    let lives = year.ledger.lives.values
    let attempts = lives.reduce(0) { $0 + $1.attempts }
    let again = lives.reduce(0) { $0 + max($1.copies - 1, 0) }
    return """
      a year: \(lives.count) notes, \(year.ledger.count(.sent)) sent, \
      \(year.ledger.count(.failed)) failed, \(year.ledger.count(.cancelled)) cancelled; \
      \(attempts) attempts (at most \(lives.map(\.attempts).max() ?? 0) of one note) in \
      \(year.runs) runs, \(again) second copies, \(year.kills) kills, \
      \(year.time.jumps) clock jumps; \(Int(seconds)) s
      """
  }
}
