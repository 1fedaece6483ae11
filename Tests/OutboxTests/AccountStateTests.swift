import MessageFormat
import TestSupport
import Testing

@testable import Outbox

@Suite struct AccountStateTests {
  private let refused = Reason(
    .trouble(.loginRefused), reply: Reply(code: 535, lines: ["5.7.8 no"]))
  private let noTLS = Reason(.trouble(.noTLS), detail: "64")

  private func lengths(_ kind: AccountState.Hold.Kind, _ reason: Reason) -> [Int64] {
    var state = AccountState()
    return (1...9 as ClosedRange<Int64>).map { round in
      state.beginHold(kind, reason, now: round * 100_000)
      #expect(state.hold?.since == round * 100_000 && state.hold?.count == Int(round))
      return (state.hold?.until ?? 0) - round * 100_000
    }
  }

  // DESIGN §6.
  @Test func aHoldDoublesToItsLongest() {
    #expect(
      lengths(.paused, noTLS) == [300, 600, 1200, 2400, 4800, 9600, 10_800, 10_800, 10_800])
    #expect(
      lengths(.offline, Reason(.trouble(.connect)))
        == [30, 60, 120, 240, 480, 900, 900, 900, 900])
    #expect(lengths(.paused, refused) == Array(repeating: 10_800, count: 9))
  }

  @Test func troubleOfAnotherKindBeginsAnew() {
    var state = AccountState()
    for _ in 1...5 { state.beginHold(.offline, Reason(.trouble(.connect)), now: 1000) }
    state.beginHold(.paused, noTLS, now: 1000)
    #expect(state.hold?.until == 1300)
    state.beginHold(.offline, Reason(.trouble(.connect)), now: 1000)
    #expect(state.hold?.until == 1030)
  }

  @Test(
    arguments: [
      (1000, 0, true), (1299, 0, true), (1300, 0, false), (999, 0, false),
      // The settings changed: before the hold, at its beginning, in it.
      (1100, 999, true), (1100, 1000, false), (1100, 1050, false),
    ])
  func aHoldIsLifted(now: Int64, settings: Int64, holds: Bool) {
    var state = AccountState()
    state.beginHold(.paused, noTLS, now: 1000)
    for isAsked in [false, true] {
      let hold = state.currentHold(now: now, settingsModified: settings, isAsked: isAsked)
      #expect((hold != nil) == holds)
    }
  }

  @Test func whoHasJustWrittenANoteWaitsThirtySecondsForTheNetwork() {
    var state = AccountState()
    for _ in 1...6 { state.beginHold(.offline, Reason(.trouble(.connect)), now: 1000) }
    for (now, isAsked, holds) in [
      (1029, true, true), (1030, true, false), (1030, false, true), (1899, false, true),
      (1900, false, false),
    ] as [(Int64, Bool, Bool)] {
      let hold = state.currentHold(now: now, settingsModified: 0, isAsked: isAsked)
      #expect((hold != nil) == holds)
    }
  }

  @Test func aSuccessEndsTheHoldAndItsDoubling() {
    var state = AccountState()
    state.beginHold(.paused, noTLS, now: 1000)
    state.beginHold(.paused, noTLS, now: 2000)
    state.recordAccepted(now: 3000)
    #expect(state.hold == nil && state.lastAccepted == 3000)
    state.beginHold(.paused, noTLS, now: 4000)
    #expect(state.hold?.until == 4300)
  }

  @Test func aStateIsReadBack() {
    var state = AccountState()
    #expect(AccountState(Header(state.fields)) == state)
    state.lastAccepted = -5
    state.beginHold(.paused, refused, now: 1000)
    state.bucket = TokenBucket(thousandths: 1500, time: 1000)
    state.lastRefusal = AccountState.Refusal(
      stage: .rcpt, code: 550, note: NoteID(milliseconds: 1, random: Array(1...10)))
    #expect(AccountState(Header(state.fields)) == state)
  }

  @Test(
    arguments: [
      ("Hold", "paused 1000 2000"), ("Hold", "paused x y z"), ("Hold", "paused 1 2 3 4"),
      ("Hold", "asleep 1 2 3"), ("Last-Refusal", "rcpt"), ("Last-Refusal", "rcpt 550 x"),
      ("Last-Refusal", "quit 550 x"), ("Last-Accepted", "never"), ("Tokens", "1"),
    ])
  func aDamagedStateIsAnEmptyOne(name: String, value: String) {
    let header = Header([HeaderField(name, unstructured: value)] + noTLS.fields)
    #expect(AccountState(header) == AccountState())
  }

  @Test(arguments: ["9223372036854775807", "-9223372036854775808", "0"])
  func numbersBeyondMeasureAreNoTrap(number: String) {
    let header = Header(
      [
        HeaderField("Hold", unstructured: "paused \(number) \(number) \(number)"),
        HeaderField("Tokens", unstructured: "\(number) \(number)"),
        HeaderField("Last-Accepted", unstructured: number),
      ] + noTLS.fields)
    var state = AccountState(header)
    _ = state.currentHold(now: 1000, settingsModified: 0, isAsked: true)
    state.beginHold(.paused, noTLS, now: 1000)
    #expect((1...10_800).contains((state.hold?.until ?? 0) - 1000))
    let limit = SendingLimit(count: 20, seconds: 3600)
    _ = state.bucket?.take(limit, now: 1000)
    state.recordAccepted(now: 1000)
    #expect(state.bucket?.nextToken(limit) ?? 0 < 1 << 50)
  }
}

// `limit`: a token bucket.
@Suite struct TokenBucketTests {
  private let limit = SendingLimit(count: 2, seconds: 100)

  @Test func itHoldsItsCountAndFillsEvenly() {
    var bucket = TokenBucket(full: limit, now: 1000)
    var taken: [Int64] = []
    for now: Int64 in 1000...1200 where bucket.take(limit, now: now) { taken.append(now) }
    #expect(taken == [1000, 1001, 1050, 1100, 1150, 1200])
    #expect(bucket.nextToken(limit) == 1250)
  }

  @Test func itNeverHoldsMoreThanItsCount() {
    var bucket = TokenBucket(full: limit, now: 1000)
    let taken = (1...5).filter { _ in bucket.take(limit, now: 1_000_000) }
    #expect(taken.count == 2)
  }

  @Test func aClockSetBackNeitherGainsNorWaitsForYears() {
    var bucket = TokenBucket(full: limit, now: 1_000_000)
    let taken = [1_000_000, 1_000_000, 1000].map { bucket.take(limit, now: $0) }
    #expect(taken == [true, true, false])
    #expect(bucket.nextToken(limit) == 1050)
  }
}

@Suite final class StateFolderTests {
  let sandbox: Sandbox
  let folder: StateFolder

  init() throws {
    sandbox = try Sandbox()
    folder = try StateFolder(sandbox.root + "/state")
  }

  @Test func aReasonIsKeptAndForgotten() throws {
    let id = NoteID(milliseconds: 1, random: Array(1...10))
    let reason = Reason(.deferred(.rcpt), reply: Reply(code: 450, lines: ["4.2.1 später"]))
    #expect(folder.reason(for: id) == nil)
    folder.setReason(reason, for: id)
    #expect(folder.reason(for: id) == reason)
    #expect(folder.notesWithReason() == [id])
    #expect(try sandbox.files(below: "state") == ["replies/\(id)"])
    #expect(try sandbox.mode("state/replies/\(id)") == 0o600)
    folder.setReason(nil, for: id)
    folder.setReason(nil, for: id)
    #expect(folder.reason(for: id) == nil)
    #expect(try sandbox.files(below: "state") == [])
  }

  @Test func accountsDoNotShareAFile() throws {
    let names = [nil, "work", "a/b", "..", "told", "last-run", "ü", "a%2Fb", "a.b", "account"]
    for (index, name) in names.enumerated() {
      var state = AccountState()
      state.recordAccepted(now: Int64(1000 + index))
      folder.setAccount(name, state)
    }
    for (index, name) in names.enumerated() {
      #expect(folder.account(name).lastAccepted == Int64(1000 + index))
    }
    #expect(try sandbox.files(below: "state").count == names.count)
    #expect(folder.account("unknown") == AccountState())
  }

  @Test func whatACrashLeftIsNotInTheWay() throws {
    let id = NoteID(milliseconds: 1, random: Array(1...10))
    try sandbox.write(octets("half"), to: sandbox.root + "/state/replies/.\(id)")
    folder.setReason(Reason(.damaged), for: id)
    #expect(folder.reason(for: id) == Reason(.damaged))
    #expect(folder.notesWithReason() == [id])
  }

  @Test(arguments: ["", "garbage", "\n\n", "Memo-Status: new kind\n\n"])
  func aDamagedFileIsNoReason(content: String) throws {
    let id = NoteID(milliseconds: 1, random: Array(1...10))
    try sandbox.write(octets(content), to: sandbox.root + "/state/replies/\(id)")
    try sandbox.write(octets(content), to: sandbox.root + "/state/accounts/account")
    #expect(folder.reason(for: id) == nil)
    #expect(folder.account(nil) == AccountState())
  }

  private func tells(_ matter: String, day: Int64) -> Bool {
    folder.shouldTell(matter, day: day)
  }

  @Test func theSameMatterIsToldOnceADay() {
    #expect(tells("no 'server'", day: 1))
    #expect(!tells("no 'server'", day: 1))
    #expect(tells("no 'user'", day: 1))
    #expect(!tells("no 'user'", day: 1))
    #expect(!tells("no 'server'", day: 1))
    #expect(tells("no 'user'", day: 2))
    let long = String(repeating: "wörd \u{1B}\n", count: 500)
    #expect(tells(long, day: 2))
    #expect(!tells(long, day: 2))
  }

  @Test func theLastUnattendedRunIsKept() {
    #expect(folder.lastUnattendedRun() == nil)
    folder.setLastUnattendedRun(1_700_000_000)
    #expect(folder.lastUnattendedRun() == 1_700_000_000)
  }

  @Test func aFolderThatCannotBeWrittenStopsNothing() throws {
    let id = NoteID(milliseconds: 1, random: Array(1...10))
    try sandbox.remove("state/replies")
    try sandbox.remove("state/accounts")
    folder.setReason(Reason(.damaged), for: id)
    folder.setAccount(nil, AccountState())
    #expect(folder.reason(for: id) == nil)
    #expect(tells("x", day: 1))
  }
}
