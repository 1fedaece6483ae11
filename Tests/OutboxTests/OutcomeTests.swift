import MessageFormat
import Posix
import TestSupport
import Testing

@testable import Outbox

// DESIGN §6: what follows from each outcome, and the file names of §4.
@Suite struct OutcomeTests {
  struct Row: CustomTestStringConvertible {
    let testDescription: String
    let outcome: Outcome
    let commits: Bool
    /// Where the note is then, `*` for its UUID.
    let file: String
    let reason: Reason.Kind?
    /// Whether the file's time is that of the attempt.
    var isCounted = true

    init(
      _ name: String, _ outcome: Outcome, commits: Bool = false, _ file: String,
      _ reason: Reason.Kind?, isCounted: Bool = true
    ) {
      testDescription = name
      (self.outcome, self.commits, self.file) = (outcome, commits, file)
      (self.reason, self.isCounted) = (reason, isCounted)
    }
  }

  static let rows = [
    Row(
      "accepted", .accepted(Reply(code: 250, lines: ["ok"])), commits: true, "sent/cur/*.vm:2,S",
      nil),
    Row(
      "451 to MAIL", .deferred(Reply(code: 451, lines: ["4.3.0"]), at: .mail),
      "outbox/new/*.vm,D=1", .deferred(.mail)),
    Row(
      "452 to the dot", .deferred(Reply(code: 452, lines: ["4.3.1"]), at: .message),
      commits: true, "outbox/new/*.vm,D=1", .deferred(.message)),
    Row(
      "421 to the dot", .deferred(Reply(code: 421, lines: ["4.4.2"]), at: .message),
      commits: true, "outbox/new/*.vm,D=1", .deferred(.message)),
    Row(
      "550 to RCPT", .rejected(Reply(code: 550, lines: ["5.1.1"]), at: .rcpt),
      "failed/cur/*.vm:2,F", .rejected(.rcpt)),
    Row(
      "554 to DATA", .rejected(Reply(code: 554, lines: ["5.7.1"]), at: .data),
      "failed/cur/*.vm:2,F", .rejected(.data)),
    Row(
      "554 to the dot", .rejected(Reply(code: 554, lines: ["5.7.1"]), at: .message),
      commits: true, "failed/cur/*.vm:2,F", .rejected(.message)),
    Row(
      "552 to MAIL", .rejected(Reply(code: 552, lines: ["5.3.4"]), at: .mail),
      "failed/cur/*.vm:2,F", .rejected(.mail)),
    Row(
      "no answer", .unknown(Trouble(.timeout)), commits: true, "outbox/new/*.vm,A=1",
      .unknown(.timeout)),
    Row(
      "connection lost", .interrupted(Trouble(.connectionLost)), "outbox/new/*.vm,D=1",
      .trouble(.connectionLost)),
    Row(
      "login refused", .account(Trouble(.loginRefused, reply: Reply(code: 535, lines: ["5.7.8"]))),
      "outbox/new/*.vm", .trouble(.loginRefused), isCounted: false),
    Row(
      "account refused at the dot",
      .account(Trouble(.accountRefused, reply: Reply(code: 550, lines: ["5.7.60"]))),
      commits: true, "outbox/new/*.vm", .trouble(.accountRefused)),
    Row(
      "offline", .offline(Trouble(.resolver)), "outbox/new/*.vm", .trouble(.resolver),
      isCounted: false),
    Row(
      "local", .local(Trouble(.keyLocked)), "outbox/new/*.vm", .trouble(.keyLocked),
      isCounted: false),
  ]

  @Test(arguments: rows) func aNoteIsThenWhereItBelongs(_ row: Row) throws {
    let scene = try Scene()
    let id = try scene.capture()
    let fresh = "outbox/new/\(id).vm"
    var seen: [String] = []
    try scene.run(
      Play(
        outcome: row.outcome, commits: row.commits, before: { seen += try scene.files() },
        after: { seen += try scene.files() }))

    // Until the verdict nothing but the commit changes the name.
    #expect(seen == [fresh, fresh + (row.commits ? ",A=1" : "")])
    let file = row.file.replacing("*", with: id.description)
    #expect(try scene.files() == [file])
    let modified = try scene.sandbox.modified("mail/" + file)
    #expect(modified == (row.isCounted ? scene.now : 1_699_999_000))
    try expectReason(row, id, scene, file)
    #expect(scene.events.prefix(2) == [.trying(id, left: 0), .tried(id, row.outcome)])
  }

  /// In failed/ the reason lies in the file alone, in the outbox beside it.
  private func expectReason(_ row: Row, _ id: NoteID, _ scene: Scene, _ file: String) throws {
    let kept = try scene.state().reason(for: id)
    if file.hasPrefix("failed/") {
      #expect(kept == nil)
      #expect(try scene.reason(in: file) == Reason(row.outcome))
    } else {
      #expect(kept == Reason(row.outcome))
      #expect(try scene.reason(in: file) == nil)
    }
    #expect(Reason(row.outcome)?.kind == row.reason)
  }

  @Test(arguments: rows) func onlyTroubleThatIsNoNotesFaultHoldsTheAccount(_ row: Row) throws {
    let scene = try Scene()
    try scene.capture()
    try scene.run(Play(outcome: row.outcome, commits: row.commits))
    let hold = try scene.state().account(nil).hold
    switch row.outcome {
    case .account: #expect(hold?.kind == .paused && hold?.reason.kind == row.reason)
    case .offline: #expect(hold?.kind == .offline && hold?.reason.kind == row.reason)
    default: #expect(hold == nil)
    }
    if let hold { #expect(scene.events.contains(.held(hold))) }
  }

  // A hold ends where the server spoke about a note: it was reached, and the login works.
  @Test(arguments: rows) func anAnswerAboutANoteEndsAHold(_ row: Row) throws {
    let scene = try Scene()
    try scene.capture()
    try scene.run(Play(outcome: .offline(Trouble(.connect))))
    try scene.run(Play(outcome: row.outcome, commits: row.commits))
    let hold = try scene.state().account(nil).hold
    switch row.outcome {
    case .accepted, .deferred, .rejected: #expect(hold == nil)
    default: #expect(hold != nil)
    }
  }

  @Test(arguments: rows) func theNextNoteIsTriedUnlessItWouldMeetTheSame(_ row: Row) throws {
    let scene = try Scene()
    try scene.capture("first")
    let second = try scene.capture("second")
    let first = Play(outcome: row.outcome, commits: row.commits)
    switch row.outcome {
    case .account, .offline, .local:
      try scene.run(first)
      #expect(try scene.files().contains("outbox/new/\(second).vm"))
    case .accepted, .deferred, .rejected, .unknown, .interrupted:
      try scene.run(first, .accepts())
      #expect(try scene.files().contains("sent/cur/\(second).vm:2,S"))
    }
  }

  @Test func theSecondInterruptionInARowEndsTheRun() throws {
    let scene = try Scene()
    let ids = try (1...3).map { try scene.capture("\($0)") }
    try scene.run(.breaksOff, .breaksOff)
    #expect(
      try scene.files() == [
        "outbox/new/\(ids[0]).vm,D=1", "outbox/new/\(ids[1]).vm,D=1", "outbox/new/\(ids[2]).vm",
      ])
  }

  @Test func interruptionsThatDoNotFollowOneAnotherDoNotEndIt() throws {
    let scene = try Scene()
    for number in 1...5 { try scene.capture("\(number)") }
    try scene.run(
      .breaksOff, .accepts(), .breaksOff, .refusesRecipient(450, "4.2.1 later"), .breaksOff)
    #expect(try scene.files().count { $0.hasPrefix("sent/") } == 1)
  }

  // C13.
  @Test func aRefusedNoteIsNeverTriedAgainAndTheOthersAreSent() throws {
    let scene = try Scene()
    let ids = try (1...3).map { try scene.capture("\($0)") }
    try scene.run(.refusesRecipient(550, "5.1.1 no such user"), .accepts(), .accepts())
    for _ in 1...2 {
      scene.now += 30 * 86_400
      try scene.run()
    }
    #expect(
      try scene.files() == [
        "failed/cur/\(ids[0]).vm:2,F", "sent/cur/\(ids[1]).vm:2,S", "sent/cur/\(ids[2]).vm:2,S",
      ])
  }

  // C11.
  @Test func allOfAReplyIsKept() throws {
    let scene = try Scene()
    let id = try scene.capture()
    let reply = Reply(
      code: 554,
      lines: ["5.7.1 [192.0.2.7] policy", "5.7.1 see https://example.org/why", "5.7.1 ref 42-abc"])
    try scene.run(Play(outcome: .rejected(reply, at: .message), commits: true))
    let kept = try scene.reason(in: "failed/cur/\(id).vm:2,F")
    #expect(kept?.reply == reply)
    #expect(kept?.reply?.enhancedStatusCode == EnhancedStatusCode(5, 7, 1))
  }

  // C15.
  @Test func whatWasSentIsNotTouchedAgain() throws {
    let scene = try Scene()
    for number in 1...5 { try scene.capture("\(number)") }
    try scene.run(.accepts(), .accepts(), .accepts(), .accepts(), .accepts())
    let files = try scene.files()
    #expect(files.count == 5 && files.allSatisfy { $0.hasPrefix("sent/cur/") })
    for _ in 1...2 {
      scene.now += 86_400
      try scene.run(options: scene.options { $0.now = true })
    }
    #expect(try scene.files() == files)
  }

  // MARK: - Deferred for too long

  @Test func aNoteDeferredForTooLongFailsWithTheLastReply() throws {
    let scene = try Scene()
    let id = try scene.capture()
    // 2 s, then 4 s are granted.
    let options = scene.options { $0.giveUpSeconds = 6 }
    let later = Play.refusesRecipient(450, "4.2.1 later")
    try scene.run(later, options: options)
    scene.now += 3
    try scene.run(later, options: options)
    #expect(try scene.files() == ["outbox/new/\(id).vm,D=2"])
    scene.now += 6
    try scene.run(.refusesRecipient(451, "4.2.2 the last"), options: options)
    let file = "failed/cur/\(id).vm:2,F"
    #expect(try scene.files() == [file])
    #expect(
      try scene.reason(in: file)
        == Reason(.tooOld, reply: Reply(code: 451, lines: ["4.2.2 the last"])))
  }

  @Test func aNoteIsLeftAloneUntilItIsDue() throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.run(.refusesRecipient(450, "4.2.1 later"))
    scene.now += 1
    try scene.run()
    // A clock set back does not keep it waiting for years.
    scene.now -= 10 * 365 * 86_400
    try scene.run(.refusesRecipient(450, "4.2.1 later"))
    #expect(try scene.files() == ["outbox/new/\(id).vm,D=2"])
    try scene.run(.accepts(), options: scene.options { $0.now = true })
    #expect(try scene.files() == ["sent/cur/\(id).vm:2,S"])
  }

  // MARK: - No answer (C14, RELIABILITY row 10)

  @Test func aNoteIsSentThreeTimesWithoutAnAnswerAndNoMore() throws {
    let scene = try Scene()
    let id = try scene.capture()
    var wire: [[UInt8]] = try scene.run(.answersNothing).map(\.message)
    for (wait, file) in [
      (15 * 60, "outbox/new/\(id).vm,A=2"), (60 * 60, "failed/cur/\(id).vm,A=3:2,F"),
    ] as [(Int64, String)] {
      scene.now += wait - 1
      try scene.run()
      scene.now += 1
      wire += try scene.run(.answersNothing).map(\.message)
      #expect(try scene.files() == [file])
    }
    #expect(Set(wire).count == 1 && wire.count == 3)
    #expect(
      try scene.reason(in: "failed/cur/\(id).vm,A=3:2,F")?.kind == .unanswered)
    scene.now += 30 * 86_400
    try scene.run()
  }

  @Test func aNoteFoundInTheMailboxIsNotSentAgain() throws {
    let scene = try Scene()
    let (found, other) = (try scene.capture(), try scene.capture())
    try scene.run(.answersNothing, .answersNothing)
    scene.now += 15 * 60
    let fresh = try scene.capture()
    // Not found proves nothing: that one is sent again, as is one that was never sent.
    var agent = ScriptedAgent([.accepts(), .accepts()], arrived: [found.description])
    var sender = try scene.sender()
    try sender.send(for: scene.account, with: &agent)
    #expect(agent.deliveries.count == 2)
    #expect(agent.lookedFor == [found, other].sorted().map(\.description))
    #expect(
      try scene.files() == [found, other, fresh].sorted().map { "sent/cur/\($0).vm:2,S" })
  }

  @Test(
    arguments: [
      (.accepted(Reply(code: 250, lines: ["ok"])), true, "sent/cur/*.vm:2,S"),
      (.deferred(Reply(code: 451, lines: [""]), at: .message), true, "outbox/new/*.vm,D=1,A=1"),
      (.rejected(Reply(code: 554, lines: [""]), at: .message), true, "failed/cur/*.vm,A=1:2,F"),
      (.rejected(Reply(code: 550, lines: ["5.1.1"]), at: .rcpt), false, "failed/cur/*.vm,A=1:2,F"),
      (.interrupted(Trouble(.timeout)), false, "outbox/new/*.vm,D=1,A=1"),
      (.offline(Trouble(.connect)), false, "outbox/new/*.vm,A=1"),
    ] as [(Outcome, Bool, String)])
  func aVerdictOnlyTakesBackItsOwnAttempt(second: Outcome, commits: Bool, file: String) throws {
    let scene = try Scene()
    let id = try scene.capture()
    try scene.run(.answersNothing)
    scene.now += 15 * 60
    try scene.run(Play(outcome: second, commits: commits))
    #expect(try scene.files() == [file.replacing("*", with: id.description)])
  }
}
