import MessageFormat
import TestSupport
import Testing

@testable import Outbox

@Suite struct AccountStateTests {
  private let refused = Reason(
    .trouble(.loginRefused), reply: Reply(code: 535, lines: ["5.7.8 no"]))
  private let noTLS = Reason(.trouble(.noTLS), detail: "64")

  @Test func aPauseDoublesFromFiveMinutesToThreeHours() {
    var state = AccountState()
    var lengths: [Int64] = []
    for now: Int64 in stride(from: 1000, through: 1_000_000, by: 100_000) {
      state.beginPause(noTLS, now: now)
      #expect(state.pause?.since == now)
      lengths.append((state.pause?.until ?? 0) - now)
    }
    #expect(
      lengths == [300, 600, 1200, 2400, 4800, 9600, 10_800, 10_800, 10_800, 10_800])
    #expect(state.pause?.count == 10)
  }

  @Test func aRefusedLoginWaitsThreeHoursAtOnce() {
    var state = AccountState()
    state.beginPause(refused, now: 1000)
    #expect(state.pause?.until == 11_800)
  }

  @Test(
    arguments: [
      (1000, 0, true), (1299, 0, true), (1300, 0, false), (999, 0, false),
      // The settings changed: before the pause, at its beginning, in it.
      (1100, 999, true), (1100, 1000, false), (1100, 1050, false),
    ])
  func aPauseIsLifted(now: Int64, configuration: Int64, holds: Bool) {
    var state = AccountState()
    state.beginPause(noTLS, now: 1000)
    let pause = state.currentPause(now: now, configurationModified: configuration)
    #expect((pause != nil) == holds)
  }

  @Test func aSuccessEndsThePauseAndItsDoubling() {
    var state = AccountState()
    state.beginPause(noTLS, now: 1000)
    state.beginPause(noTLS, now: 2000)
    state.recordAccepted(now: 3000)
    #expect(state.pause == nil && state.lastAccepted == 3000)
    state.beginPause(noTLS, now: 4000)
    #expect(state.pause?.until == 4300)
  }

  @Test func aStateIsReadBack() {
    var state = AccountState()
    #expect(AccountState(Header(state.fields)) == state)
    state.lastAccepted = -5
    state.beginPause(refused, now: 1000)
    state.lastRefusal = AccountState.Refusal(
      stage: .rcpt, code: 550, note: NoteID(milliseconds: 1, random: Array(1...10)))
    #expect(AccountState(Header(state.fields)) == state)
  }

  @Test(
    arguments: [
      ("Paused", "1000 2000"), ("Paused", "x y z"), ("Paused", "1 2 3 4"), ("Last-Refusal", "rcpt"),
      ("Last-Refusal", "rcpt 550 x"), ("Last-Refusal", "quit 550 x"), ("Last-Accepted", "never"),
    ])
  func aDamagedStateIsAnEmptyOne(name: String, value: String) {
    let header = Header([HeaderField(name, unstructured: value)] + noTLS.fields)
    #expect(AccountState(header) == AccountState())
  }

  @Test(arguments: ["9223372036854775807", "-9223372036854775808", "0"])
  func aCountBeyondMeasureIsNoTrap(count: String) {
    let header = Header([HeaderField("Paused", unstructured: "1 2 \(count)")] + noTLS.fields)
    var state = AccountState(header)
    state.beginPause(noTLS, now: 1000)
    #expect((300...10_800).contains((state.pause?.until ?? 0) - 1000))
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
    let names = [nil, "work", "Work", "a/b", "..", "told", "ü", "a%2Fb", "a.b", "account"]
    for (index, name) in names.enumerated() {
      var state = AccountState()
      state.recordAccepted(now: Int64(index))
      folder.setAccount(name, state)
    }
    for (index, name) in names.enumerated() {
      #expect(folder.account(name).lastAccepted == Int64(index))
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
    #expect(tells("no 'user'", day: 2))
    let long = String(repeating: "wörd \u{1B}\n", count: 500)
    #expect(tells(long, day: 2))
    #expect(!tells(long, day: 2))
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
