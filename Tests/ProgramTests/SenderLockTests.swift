import Foundation
import TestSupport
import Testing

/// One sender an outbox, and each host its own notes (DESIGN §7, row 23).
@Suite struct SenderLockTests {
  private let sandbox: Sandbox
  private let server: FaultyServer

  init() throws {
    sandbox = try Sandbox()
    server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    try sandbox.memo("buy milk")
  }

  @Test(arguments: ["ENOLCK", "ENOSYS"], [["flush"], ["watch"]])
  func withoutLocksNothingIsSent(error: String, verb: [String]) throws {
    let names = try sandbox.waitingNames()
    let result = try sandbox.memoSend(verb, failingToLockWith: error)
    #expect(result.status == 78)
    #expect(result.errors.contains("cannot be locked"))
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(try server.connections().isEmpty)
    #expect(try sandbox.waitingNames() == names)
  }

  /// While nothing was committed, the next one takes over at once, whatever the first was about.
  @Test(arguments: ["banner=stall:60", "auth=stall:60", "rcpt=stall:60", "data=stall:60"])
  func aKilledSenderIsSucceededAtOnce(plan: String) throws {
    try server.plan(plan)
    let first = try RunningProgram(Programs.memoSend, ["flush"], in: sandbox)
    try wait(for: "connection") { try server.hasConnection() }
    first.signal(SIGKILL)
    #expect(try first.finish() == .signalled(SIGKILL))
    #expect(try sandbox.memo("flush").status == 0)
    #expect(try server.accepted().count == 1)
    #expect(try sandbox.files(in: .sent).count == 1)
  }

  @Test func besideAStoppedSenderNobodyElseSends() throws {
    try server.plan("dot=slow:1")
    let first = try RunningProgram(Programs.memoSend, ["flush"], in: sandbox)
    try wait(for: "commit") { try sandbox.waitingNames().first?.contains(",A=1") ?? false }
    first.signal(SIGSTOP)
    for _ in 0..<10 {
      let second = try sandbox.memo("flush", "--now")
      #expect(second.status == 0)
      #expect(second.output + second.errors == "")
    }
    #expect(try server.accepted().count <= 1)
    first.signal(SIGCONT)
    #expect(try first.finish() == .exited(0))
    #expect(try server.accepted().count == 1)
    #expect(try sandbox.files(in: .sent).count == 1)
  }

  @Test func cronRunsThatOverlapSendEachNoteOnce() throws {
    for number in 2...6 { try sandbox.memo("note \(number)") }
    let senders = try (0..<10).map { _ in
      try RunningProgram(Programs.memoSend, ["flush"], in: sandbox)
    }
    for sender in senders {
      #expect(try sender.finish() == .exited(0))
      #expect(sender.output + sender.errors == "")
    }
    #expect(try sandbox.files(in: .sent).count == 6)
    #expect(try server.accepted().count == 6)
  }

  // MARK: - Hosts

  /// Gives the only note another machine's name.
  private func makeForeign() throws {
    let file = try #require(try sandbox.files(in: .outbox).first)
    try FileManager.default.moveItem(
      atPath: file.path,
      toPath: sandbox.path(of: .outbox) + "/new/" + file.identifier + ".otherbox")
  }

  @Test func anotherHostsNotesAreLeftAlone() throws {
    try makeForeign()
    for verb in [["flush"], ["flush", "--now"]] {
      let result = try run(Programs.memoSend, verb, environment: sandbox.environment)
      #expect(result.status == 0)
      #expect(result.output + result.errors == "")
    }
    #expect(try server.connections().isEmpty)
    #expect(try sandbox.waitingNames().map { $0.hasSuffix(".otherbox") } == [true])
  }

  @Test func aGatewaySendsThemAll() throws {
    try makeForeign()
    try sandbox.memo("from here")
    try sandbox.configure(server.configuration(delivery: "hosts = any"))
    #expect(try sandbox.memo("flush").status == 0)
    #expect(try sandbox.files(in: .sent).count == 2)
    try server.expectConnections(acked: [2])
  }
}
