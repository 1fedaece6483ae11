import Foundation
import TestSupport
import Testing

/// The sender as a process: started by captures, one at a time, and dead without leaving a trace.
@Suite struct SenderTests {
  /// Settings with which a capture starts the sender.
  private func sending(_ server: FaultyServer) -> String {
    server.configuration().replacing("after-capture = no", with: "after-capture = yes")
  }

  @Test func aCaptureHasItsNoteSent() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(sending(server))
    defer { sandbox.endSenders() }
    let result = try sandbox.memo("buy milk")
    #expect(result.status == 0)
    #expect(result.output + result.errors == "")
    try wait(for: "the note in sent/") { try sandbox.counts() == [0, 1, 0] }
    #expect(try server.accepted().count == 1)
  }

  /// `$(memo -v x)` and `ssh host memo x` end when nobody holds the pipe any more.
  @Test(.enabled(if: isRoot, "needs root to look into a process that hides"))
  func aCaptureReturnsAtOnceWhileTheServerStalls() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(sending(server))
    defer { sandbox.endSenders() }
    try server.plan("dot=stall:60")
    // `run` reads both outputs to their ends.
    let piped = try run(
      "/bin/sh", ["-c", "x=$(memo -v buy milk); echo \"$x\" | cat"],
      environment: sandbox.environment,
      timeout: 20)
    #expect(lines(piped.output).count == 1)
    #expect(piped.errors == "")
    try wait(for: "the message at the server") { try server.accepted().count == 1 }
    let pids = try sandbox.senders()
    try #require(pids.count == 1)
    try expectDetached(pids[0], sandbox)
    // While it waits, the next capture starts no second one.
    let next = try sandbox.memo("another", timeout: 20)
    #expect(next.status == 0)
    #expect(try sandbox.senders() == pids)
    #expect(kill(pids[0], SIGKILL) == 0)
    try wait(for: "its end") { try sandbox.senders().isEmpty }
  }

  private func expectDetached(_ pid: Int32, _ sandbox: Sandbox) throws {
    let files = FileManager.default
    let open = try files.contentsOfDirectory(atPath: "/proc/\(pid)/fd").compactMap {
      try? files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)")
    }
    let standard = (0...2).map {
      try? files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)")
    }
    #expect(standard == ["/dev/null", "/dev/null", "/dev/null"])
    #expect(!open.contains { $0.hasPrefix("pipe:") }, "\(open)")
    #expect(try files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd") == "/")
    // Its own session: the end of the caller's terminal does not end it.
    let record = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    let columns = record.split(separator: ")").last?.split(separator: " ") ?? []
    #expect(columns[3] == "\(pid)")
  }

  @Test func aSecondSenderLeavesAtOnceAndAKilledOneLeavesNoLock() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    try sandbox.memo("buy milk")
    try server.plan("dot=stall:60")
    let first = try RunningProgram(Programs.memoSend, ["flush"], in: sandbox)
    try wait(for: "the message at the server") { try server.accepted().count == 1 }
    let second = try sandbox.memo("flush", timeout: 20)
    #expect(second.status == 0)
    #expect(second.output + second.errors == "")
    #expect(first.isRunning)
    #expect(try sandbox.memo("status", timeout: 20).output.contains("1 note waits"))
    first.signal(SIGKILL)
    #expect(try first.finish() == .signalled(SIGKILL))
    #expect(try sandbox.memo("flush", "--now").status == 0)
    #expect(try sandbox.counts() == [0, 1, 0])
  }

  @Test("C17: a lock file means nothing, only a lock does", arguments: ["4000000\n", "1\n", ""])
  func anOldLockFile(content: String) throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    try sandbox.memo("buy milk")
    try sandbox.write(Array(content.utf8), to: sandbox.data + "/mail/.lock")
    let flushed = try run(
      "/usr/bin/strace",
      [
        "-f", "-qq", "-o", sandbox.root + "/trace", "-e", "trace=openat", Programs.memoSend,
        "flush",
      ],
      environment: sandbox.environment)
    #expect(flushed.status == 0)
    #expect(try sandbox.counts() == [0, 1, 0])
    let trace = try String(contentsOfFile: sandbox.root + "/trace", encoding: .utf8)
    let opened = lines(trace).filter { $0.contains("\".lock\"") }
    #expect(!opened.isEmpty)
    #expect(opened.allSatisfy { $0.contains("O_RDWR") })
  }

  /// It lies beside memo; a copy of memo that has none beside it finds it by `$MEMO_SEND`.
  @Test func theSenderIsFoundBesideMemoElseByMEMO_SEND() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    try sandbox.memo("buy milk")
    let alone = sandbox.root + "/memo"
    #expect(try run("/usr/bin/install", [Programs.memo, alone]).status == 0)
    let missing = try run(alone, ["flush"], environment: sandbox.environment)
    #expect(missing.status == 69)
    expectOneLine(missing.errors, "cannot find memo-send")
    let found = try run(
      alone, ["flush"],
      environment: sandbox.environment.merging(["MEMO_SEND": Programs.memoSend]) { $1 })
    #expect(found.status == 0)
    #expect(try sandbox.counts() == [0, 1, 0])
    // One that is beside memo is not replaced by what the environment names.
    try sandbox.memo("flush", environment: ["MEMO_SEND": "/bin/false"])
    #expect(try sandbox.memo("flush", environment: ["MEMO_SEND": "/bin/false"]).status == 0)
  }

  /// Many captures at once, each starting the sender: all arrive once, by one connection at a time.
  @Test func manyCapturesAtOnceMakeNoStorm() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(sending(server))
    defer { sandbox.endSenders() }
    let count = 300
    let captured = try run(
      "/bin/sh", ["-c", "seq \(count) | xargs -P 32 -I{} memo note {}"],
      environment: sandbox.environment, timeout: 120)
    #expect(captured.status == 0)
    #expect(captured.output + captured.errors == "")
    try wait(for: "all notes in sent/", seconds: 60) { try sandbox.counts() == [0, count, 0] }
    try wait(for: "the connections' ends") {
      try server.connections().reduce(0) { $0 + $1.acked } == count
    }
    #expect(try server.connections().allSatisfy { $0.others == 0 })
    let accepted = try ParsedMail.parse(try server.accepted().map { unstuffed($0.bytes) })
    #expect(accepted.count == count)
    #expect(Set(accepted.map(\.messageID)).count == count)
    #expect(Set(accepted.map(\.note)) == Set((1...count).map { "note \($0)" }))
    try sandbox.expectPrivate()
  }

  /// What standard error would have said must not go into a socket or a lock that took its number.
  @Test func aSenderWithoutStandardDescriptorsSendsAndWritesNowhere() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    for (note, plan) in [("refused", "dot=550"), ("accepted", "")] {
      try sandbox.memo(note)
      try server.plan(plan)
      let result = try run(
        "/bin/bash", ["-c", "exec \(Programs.memoSend) flush -v <&- >&- 2>&-"],
        environment: sandbox.environment)
      #expect(result.status == 0)
    }
    #expect(try sandbox.counts() == [0, 1, 1])
    let lock = FileManager.default.contents(atPath: sandbox.data + "/mail/.lock")
    #expect(lock == Data())
    let accepted = try ParsedMail.parse(try server.accepted().map { unstuffed($0.bytes) })
    #expect(accepted.map(\.note) == ["accepted"])
    let known = ["EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "QUIT"]
    for command in try server.connections().flatMap(\.commands) {
      #expect(known.contains(String(command.prefix { $0 != " " })), "\(command)")
    }
  }

  // MARK: - On a terminal

  /// More than a few notes are counted down on one line, which is taken away in the end.
  @Test func aFlushOfManyNotesShowsItsProgressAndTakesItAway() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    for number in 1...8 { try sandbox.memo("note \(number)") }
    let session = try TerminalSession(
      Programs.memo, ["flush"], environment: sandbox.environment)
    for number in 1...8 { try session.wait(for: "\r\u{1B}[K\(number)/8") }
    #expect(try session.finish() == .exited(0))
    #expect(session.text.hasSuffix("\r\u{1B}[K"))
    #expect(!session.text.contains("\n"))
    #expect(try sandbox.counts() == [0, 8, 0])
  }

  /// A few notes are gone before a line could be read.
  @Test func aFlushOfAFewNotesShowsNothing() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    for number in 1...3 { try sandbox.memo("note \(number)") }
    let session = try TerminalSession(
      Programs.memo, ["flush"], environment: sandbox.environment)
    #expect(try session.finish() == .exited(0))
    #expect(session.text == "")
  }
}
