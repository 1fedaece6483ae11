import Foundation
import TestSupport
import Testing

/// Runs that a timer starts, and what they say; several accounts; the plan.
@Suite struct UnattendedTests {
  private let sandbox: Sandbox
  private let server: FaultyServer

  init() throws {
    sandbox = try Sandbox()
    server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
  }

  private func expectSilence(
    _ result: ProgramResult, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(result.status == 0, sourceLocation: sourceLocation)
    #expect(result.output + result.errors == "", sourceLocation: sourceLocation)
  }

  // MARK: - cron

  @Test func withNothingToSayItIsSilent() throws {
    expectSilence(try sandbox.memo("flush"))
    try sandbox.memo("buy milk")
    expectSilence(try sandbox.memo("flush"))
    expectSilence(try sandbox.memo("flush"))
    #expect(try sandbox.files(in: .sent).count == 1)
  }

  @Test(arguments: ["rcpt=450", "dot=451", "dot=drop", "body=drop:0", "banner=421", "connect=drop"])
  func whatPassesByItselfIsNotTold(plan: String) throws {
    try server.plan(plan)
    try sandbox.memo("buy milk")
    expectSilence(try sandbox.memo("flush"))
    #expect(try sandbox.files(in: .outbox).count == 1)
  }

  @Test func aRefusedLoginIsToldOnceADay() throws {
    try server.plan("auth=535", "auth=535")
    // Settings that were changed after the refusal, or in its second, may have mended it.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: sandbox.configuration)
    try sandbox.memo("buy milk")
    let first = try sandbox.memo("flush")
    #expect(first.status == 77)
    let lines = first.errors.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.contains("535") ?? false)
    #expect(lines.last?.hasPrefix("memo: hint: ") ?? false)
    // The account is on hold, and cron starts a sender every minute.
    expectSilence(try sandbox.memo("flush"))
    try server.expectConnections(acked: [0])
    // Asked for, it is tried and refused again, and the words are known.
    let asked = try sandbox.memo("flush", "--now")
    #expect(asked.status == 77)
    #expect(asked.errors == "")
    try server.expectConnections(acked: [0, 0])
    #expect(try sandbox.memo("status").status == 1)
  }

  @Test func brokenSettingsAreToldOnceADay() throws {
    try sandbox.memo("buy milk")
    try sandbox.configure("[account]\nserver = smtp://localhost\nsever = x\n")
    let first = try sandbox.memo("flush")
    #expect(first.status == 78)
    #expect(first.errors.contains("sever"))
    let second = try sandbox.memo("flush")
    #expect(second.status == 78)
    #expect(second.errors == "")
    // Who asks for every word gets it.
    #expect(try sandbox.memo("flush", "-v").errors == first.errors)
  }

  @Test func statusTellsWhenNothingTriesAgain() throws {
    let sentence = "nothing tries again by itself"
    try server.plan("rcpt=450")
    try sandbox.memo("buy milk")
    #expect(try sandbox.memo("status").output.contains(sentence))
    let watch = try sandbox.startWatch()
    #expect(try !sandbox.memo("status").output.contains(sentence))
    watch.signal(SIGKILL)
    _ = try watch.finish()
    // A timer was there in the last day, it seems.
    expectSilence(try sandbox.memo("flush"))
    try sandbox.memo("another")
    #expect(try !sandbox.memo("status").output.contains(sentence))
  }

  // MARK: - The plan

  @Test func thePlanTellsWhatWouldHappenAndNothingDoes() throws {
    try server.plan("rcpt=450")
    try sandbox.memo("the first")
    try sandbox.memo("flush")
    try sandbox.memo("the second")
    let names = try sandbox.waitingNames()
    let plan = try sandbox.memo("flush", "-n")
    #expect(plan.status == 0)
    #expect(plan.errors == "")
    for file in try sandbox.files(in: .outbox) { #expect(plan.output.contains(file.identifier)) }
    #expect(plan.output.contains(server.address(.starttls)))
    #expect(plan.output.contains("MAIL FROM:<me@test.example>"))
    #expect(!plan.output.contains(FaultyServer.password))
    #expect(try sandbox.waitingNames() == names)
    try server.expectConnections(acked: [0])
  }

  // MARK: - Several accounts

  /// An account on hold holds no other's notes, and each goes over one connection.
  @Test func oneAccountsTroubleIsNotAnothers() throws {
    let other = try Sandbox()
    let second = try FaultyServer(in: other)
    let work = second.configuration().split(separator: "[delivery]")[0]
      .replacing("[account]", with: "[account work]")
    try sandbox.configure(server.configuration() + work)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: sandbox.configuration)
    try server.plan("auth=535")
    for number in 1...3 {
      try sandbox.memo("private \(number)")
      try sandbox.memo("-A", "work", "work \(number)")
    }
    #expect(try sandbox.memo("flush").status == 77)
    #expect(try second.accepted().count == 3)
    try second.expectConnections(acked: [3])
    try server.expectConnections(acked: [0])
    #expect(try sandbox.files(in: .outbox).count == 3)
    // On hold it does not hold the other's either.
    try sandbox.memo("-A", "work", "work 4")
    expectSilence(try sandbox.memo("flush"))
    #expect(try second.accepted().count == 4)
    #expect(try sandbox.memo("flush", "--now").status == 0)
    try server.expectConnections(acked: [0, 3])
    #expect(try sandbox.files(in: .outbox).isEmpty)
  }
}
