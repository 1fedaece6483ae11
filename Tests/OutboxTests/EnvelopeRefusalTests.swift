import MessageFormat
import TestSupport
import Testing

@testable import Outbox

// DESIGN §6: all notes of an account share one envelope, so the same refusal twice is the account's.
@Suite struct EnvelopeRefusalTests {
  private let refused = Play.refusesRecipient(550, "5.1.1 no such user")

  @Test func theSecondRefusalPausesTheAccountAndBothNotesWait() throws {
    let scene = try Scene()
    let ids = try (1...3).map { try scene.capture("\($0)") }
    try scene.run(refused, refused)
    #expect(
      try scene.files() == [
        "outbox/cur/\(ids[0]).vm:2,", "outbox/new/\(ids[1]).vm", "outbox/new/\(ids[2]).vm",
      ])
    // No trace of a failure in the file that came back.
    #expect(try scene.reason(in: "outbox/cur/\(ids[0]).vm:2,") == nil)
    let reason = Reason(
      .trouble(.envelopeRefused), reply: Reply(code: 550, lines: ["5.1.1 no such user"]))
    for id in ids.prefix(2) { #expect(try scene.state().reason(for: id) == reason) }
    let hold = try #require(try scene.state().account(nil).hold)
    #expect(scene.events.contains(.held(hold)))
    #expect(hold.kind == .paused && hold.reason == reason && hold.until == scene.now + 300)

    try scene.run(.accepts(), .accepts(), .accepts())
    #expect(try scene.files().allSatisfy { $0.hasPrefix("sent/cur/") })
    #expect(try scene.state().account(nil).hold == nil)
  }

  @Test func refusalsInTwoRunsCountTogether() throws {
    let scene = try Scene()
    try scene.capture()
    try scene.run(refused)
    scene.now += 86_400
    try scene.capture()
    try scene.run(refused)
    #expect(try scene.files().allSatisfy { $0.hasPrefix("outbox/") })
  }

  @Test(
    arguments: [
      Play.accepts().outcome, Play.refusesMessage(554, "5.7.1 spam").outcome,
      Play.refusesRecipient(450, "4.2.1 later").outcome,
      Play.refusesRecipient(551, "5.1.6 moved").outcome,
      Outcome.rejected(Reply(code: 550, lines: ["5.1.8"]), at: .mail),
      Outcome.rejected(Reply(code: 552, lines: ["5.3.4 too big"]), at: .rcpt),
      Outcome.rejected(Reply(code: 550, lines: ["5.2.3 too big"]), at: .rcpt),
    ])
  func anotherVerdictBetweenThemEndsTheRow(between: Outcome) throws {
    let scene = try Scene()
    let ids = try (1...3).map { try scene.capture("\($0)") }
    let isAtDot = between == Play.accepts().outcome || between.isRefusedAtDot
    try scene.run(refused, Play(outcome: between, commits: isAtDot), refused)
    let failed = try scene.files().filter { $0.hasPrefix("failed/") }
    #expect(failed.contains("failed/cur/\(ids[0]).vm:2,F"))
    #expect(failed.contains("failed/cur/\(ids[2]).vm:2,F"))
    #expect(try scene.state().account(nil).hold == nil)
  }

  @Test func troubleOfTheNetworkBetweenThemDoesNot() throws {
    let scene = try Scene()
    for number in 1...3 { try scene.capture("\(number)") }
    try scene.run(refused, .breaksOff, refused)
    #expect(try scene.files().allSatisfy { $0.hasPrefix("outbox/") })
    #expect(try scene.state().account(nil).hold?.kind == .paused)
  }

  @Test func theSameNoteTwiceIsNotTwoNotes() throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.run(refused)
    // Its owner brings it back.
    try scene.move("failed/cur/\(id).vm:2,F", "outbox/cur/\(id).vm:2,")
    try scene.run(refused)
    #expect(try scene.files() == ["failed/cur/\(id).vm:2,F"])
    #expect(try scene.state().account(nil).hold == nil)
  }

  @Test func aFirstNoteThatIsGoneIsNoTrouble() throws {
    let scene = try Scene()
    let (first, second) = (try scene.capture(), try scene.capture())
    var play = refused
    play.before = { try scene.sandbox.remove("mail/failed/cur/\(first).vm:2,F") }
    try scene.run(refused, play)
    #expect(try scene.files() == ["outbox/new/\(second).vm"])
  }
}

extension Outcome {
  fileprivate var isRefusedAtDot: Bool {
    if case .rejected(_, at: .message) = self { true } else { false }
  }
}
