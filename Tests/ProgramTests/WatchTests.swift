import Foundation
import TestSupport
import Testing

/// `memo watch`: at once when there is something to do, and otherwise nothing at all.
@Suite struct WatchTests {
  private let sandbox: Sandbox
  private let server: FaultyServer

  init() throws {
    sandbox = try Sandbox()
    server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
  }

  private func accepted() throws -> Int { try server.accepted().count }

  // MARK: - What wakes it

  /// The best of three, since others use the machine too.
  @Test func aNoteIsSentWithinASecond() throws {
    let watch = try sandbox.startWatch()
    var times: [Duration] = []
    for number in 1...3 {
      try sandbox.memo("note \(number)")
      let start = ContinuousClock.now
      try wait(for: "note \(number)") { try accepted() == number }
      times.append(ContinuousClock.now - start)
    }
    #expect(try #require(times.min()) < .seconds(1))
    #expect(watch.output + watch.errors == "")
  }

  @Test func aDeferredNoteIsTriedAgainWhenItIsDue() throws {
    try server.plan("rcpt=450")
    let watch = try sandbox.startWatch()
    try sandbox.memo("buy milk")
    try wait(for: "the refusal") { try server.connections().count == 1 }
    let start = ContinuousClock.now
    try wait(for: "the note") { try accepted() == 1 }
    // The first wait is of 2 to 3 s.
    let waited = ContinuousClock.now - start
    #expect(waited > .seconds(1) && waited < .seconds(10), "\(waited)")
    #expect(watch.output + watch.errors == "")
  }

  /// What lies there before it begins needs no event.
  @Test func whatWaitsAlreadyIsSentAtTheBeginning() throws {
    try sandbox.memo("buy milk")
    let watch = try sandbox.startWatch()
    try wait(for: "the note") { try accepted() == 1 }
    #expect(watch.isRunning)
  }

  // MARK: - At rest

  @Test func atRestItDoesNothing() throws {
    let watch = try sandbox.startWatch()
    try sandbox.memo("buy milk")
    try wait(for: "the note in sent/") { try sandbox.files(in: .sent).count == 1 }
    let pid = watch.processIdentifier
    var before = try ProcessUse(pid)
    // It may still be leaving the server.
    try wait(for: "rest") {
      Thread.sleep(forTimeInterval: 0.3)
      let now = try ProcessUse(pid)
      defer { before = now }
      return now == before
    }
    Thread.sleep(forTimeInterval: 3)
    #expect(try ProcessUse(pid) == before)
  }

  // MARK: - Its end

  @Test func idleItEndsAtOnce() throws {
    let watch = try sandbox.startWatch()
    let start = ContinuousClock.now
    watch.signal(SIGTERM)
    #expect(try watch.finish() == .exited(0))
    #expect(ContinuousClock.now - start < .seconds(2))
    #expect(watch.output + watch.errors == "")
    #expect(try !sandbox.isLocked(".waiting"))
  }

  @Test(arguments: ["banner=stall:60", "rcpt=stall:60", "data=stall:60"])
  func beforeTheCommitPointItBreaksOff(plan: String) throws {
    try server.plan(plan)
    try sandbox.memo("buy milk")
    let names = try sandbox.waitingNames()
    let watch = try sandbox.startWatch()
    try wait(for: "connection") { try server.hasConnection() }
    let start = ContinuousClock.now
    watch.signal(SIGTERM)
    #expect(try watch.finish() == .exited(0))
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(watch.output + watch.errors == "")
    #expect(try sandbox.waitingNames() == names)
    #expect(try accepted() == 0)
  }

  @Test(arguments: [["watch"], ["flush"]])
  func afterTheCommitPointItAwaitsTheReply(verb: [String]) throws {
    try server.plan("dot=slow:2")
    try sandbox.memo("buy milk")
    let sender = try RunningProgram(Programs.memoSend, verb, in: sandbox)
    try wait(for: "commit") { try sandbox.waitingNames().first?.contains(",A=1") ?? false }
    sender.signal(SIGTERM)
    #expect(try sender.finish() == .exited(0))
    #expect(try sandbox.files(in: .sent).count == 1)
    #expect(try accepted() == 1)
  }

  // MARK: - Beside others

  @Test func aSecondOneEndsSilently() throws {
    let watch = try sandbox.startWatch()
    let second = try sandbox.memo("watch", timeout: 20)
    #expect(second.status == 0)
    #expect(second.output + second.errors == "")
    #expect(watch.isRunning)
  }

  /// Whether a capture starts the sender.
  private func startsSender() throws -> Bool {
    let trace = sandbox.root + "/trace"
    let arguments = ["-f", "-qq", "-o", trace, "-e", "trace=execve", Programs.memo, "buy milk"]
    let result = try run("/usr/bin/strace", arguments, environment: sandbox.environment)
    #expect(result.status == 0)
    return try String(contentsOfFile: trace, encoding: .utf8).contains("memo-send\"")
  }

  @Test func capturesStartNoSenderWhileItRuns() throws {
    try sandbox.configure(
      server.configuration().replacing("after-capture = no", with: "after-capture = yes"))
    let watch = try sandbox.startWatch()
    #expect(try !startsSender())
    try wait(for: "the note") { try accepted() == 1 }
    watch.signal(SIGTERM)
    _ = try watch.finish()
    #expect(try startsSender())
    try wait(for: "the second note") { try sandbox.files(in: .sent).count == 2 }
  }

  @Test func flushByHandWorksBesideIt() throws {
    try server.plan("dot=drop")
    let watch = try sandbox.startWatch()
    try sandbox.memo("buy milk")
    // Without an answer it is due in 15 min.
    try wait(for: "the drop") { try server.connections().count == 1 }
    try wait(for: "its run's end") { try !sandbox.isLocked(".lock") }
    let flush = try sandbox.memo("flush", "--now")
    #expect(flush.status == 0)
    #expect(flush.output + flush.errors == "")
    #expect(try sandbox.files(in: .sent).count == 1)
    #expect(watch.isRunning)
  }
}
