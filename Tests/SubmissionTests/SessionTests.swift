import Foundation
import Outbox
import Testing

@testable import Submission

/// Whole sessions with a server on loopback.
@Suite struct SessionTests {
  // MARK: - The message

  /// C01 and C02: dots are doubled once, by libcurl; nothing else is touched.
  @Test(arguments: [
    ".first\r\nhello\r\n.\r\n..\r\n.hidden\r\nworld\r\n.\r\n", "one\r\ntwo\r\n.\r\nthree\r\n",
    "Subject: x\r\n\r\n\r\n\r\n", "\r\n",
  ])
  func aMessageArrivesExactly(_ text: String) throws {
    let server = try PlannedServer("")
    #expect(deliver(wire(text), try server.settings()).summary == "accepted 250")
    let record = try #require(try server.records().last)
    #expect(record.commands.suffix(4).map { $0.prefix(4) } == ["MAIL", "RCPT", "DATA", "QUIT"])
    let accepted = try server.accepted()
    #expect(accepted.count == 1)
    #expect(accepted.first?.octets == stuffed(wire(text)))
    #expect(accepted.first?.from == "FROM:<\(testUser)> SIZE=\(wire(text).count)")
    #expect(accepted.first?.recipients == ["TO:<\(testUser)>"])
  }

  @Test func aLargeMessageArrivesExactly() throws {
    let server = try PlannedServer("")
    let message = note(lines: 60_000) + wire(".\r\n")
    #expect(deliver(message, try server.settings(0, .implicitTLS)).summary == "accepted 250")
    #expect(try server.accepted().first?.octets == stuffed(message))
  }

  @Test func aMessageNotInWireFormIsNotSent() throws {
    let server = try PlannedServer("")
    var agent = makeAgent(try server.settings())
    let outcome = agent.deliver(wire("a\r\n.\nMAIL FROM:<x@y>\r\n")) { true }
    #expect(outcome.summary == "local aborted")
  }

  private func stuffed(_ message: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var isLineStart = true
    for octet in message {
      if isLineStart, octet == UInt8(ascii: ".") { result.append(octet) }
      result.append(octet)
      isLineStart = octet == UInt8(ascii: "\n")
    }
    return result
  }

  // MARK: - The commit point

  @Test func aRefusedCommitSendsNothingMore() throws {
    let server = try PlannedServer("")
    let outcome = deliver(try server.settings()) { false }
    #expect(outcome.summary == "local aborted")
    #expect(try server.records().last?.stored == 0)
    #expect(try server.accepted().isEmpty)
  }

  @Test func theCommitComesOnceAndOnlyWhenTheServerWantsTheMessage() throws {
    let server = try PlannedServer("", "data=451")
    for (plan, expected) in [(0, 1), (1, 0)] {
      var commits = 0
      _ = deliver(note(lines: 3000), try server.settings(plan)) {
        commits += 1
        return true
      }
      #expect(commits == expected)
    }
  }

  /// Larger than all buffers on the way, so that the server's silence is felt before the commit.
  @Test func aStalledBodyIsInterruptedInTime() throws {
    let server = try PlannedServer("body=stall:20000")
    var agent = makeAgent(try server.settings())
    let message = note(lines: 70_000)
    var commits = 0
    let start = SuspendingClock.now
    let outcome = agent.deliver(message) {
      commits += 1
      return true
    }
    #expect(outcome.summary == "interrupted timeout")
    #expect(commits == 0)
    #expect(SuspendingClock.now - start < .seconds(6))
  }

  @Test func aStopBeforeTheCommitAbortsAtOnce() throws {
    let server = try PlannedServer("mail=stall:60")
    var settings = try server.settings()
    settings.timeouts.reply = .seconds(60)
    let start = SuspendingClock.now
    var agent = makeAgent(settings) { SuspendingClock.now > start + .milliseconds(500) }
    let outcome = agent.deliver(note(lines: 3)) { true }
    #expect(outcome.summary == "local aborted")
    #expect(SuspendingClock.now - start < .seconds(3))
  }

  @Test func aStopAfterTheCommitWaitsForTheReplyButNotLong() throws {
    let server = try PlannedServer("dot=slow:1", "dot=stall:60")
    for (plan, expected) in [(0, "accepted 250"), (1, "unknown timeout")] {
      var settings = try server.settings(plan)
      settings.timeouts.finalReply = .seconds(60)
      settings.timeouts.stop = .seconds(3)
      var isCommitted = false
      let committed = SuspendingClock.now
      var agent = makeAgent(settings) { SuspendingClock.now > committed + .milliseconds(500) }
      let outcome = agent.deliver(note(lines: 3)) {
        isCommitted = true
        return true
      }
      #expect(isCommitted)
      #expect(outcome.summary == expected)
      #expect(SuspendingClock.now - committed < .seconds(6))
    }
  }

  // MARK: - Connections

  @Test func twentyFiveMessagesNeedTwoLogins() throws {
    let server = try PlannedServer("")
    var agent = makeAgent(try server.settings())
    for number in 0..<25 {
      #expect(agent.deliver(note(lines: number)) { true }.summary == "accepted 250")
    }
    agent.finish()
    let records = try server.records(count: 2)
    #expect(records.map(\.stored) == [20, 5])
    #expect(records.map(\.logins.count) == [1, 1])
    #expect(records.allSatisfy { $0.commands.last == "QUIT" })
    #expect(try server.accepted().count == 25)
  }

  @Test(arguments: ["idle=421", "idle=drop"])
  func anIdleConnectionThatWasClosedIsReplaced(_ plan: String) throws {
    let server = try PlannedServer("\(plan) | ")
    var agent = makeAgent(try server.settings())
    for _ in 0..<3 { #expect(agent.deliver(note(lines: 3)) { true }.summary == "accepted 250") }
    agent.finish()
    let records = try server.records(count: 2)
    #expect(records.map(\.stored) == [1, 2])
  }

  @Test func aRefusedMessageDoesNotStopTheNext() throws {
    let server = try PlannedServer("rcpt=550 | ", "dot=554 | ")
    for plan in 0..<2 {
      var agent = makeAgent(try server.settings(plan))
      let refused = agent.deliver(note(lines: 3)) { true }
      #expect(refused.summary.hasPrefix("rejected"))
      let next = agent.deliver(note(lines: 3)) { true }
      #expect(next.summary == (plan == 0 ? "accepted 250" : "rejected message 554"))
      agent.finish()
    }
  }

  /// C12: one connection for one attempt, and 421 is nobody's fault.
  @Test func aBusyServerIsAskedOnce() throws {
    let server = try PlannedServer("banner=421 | ")
    var agent = makeAgent(try server.settings())
    #expect(agent.deliver(note(lines: 3)) { true }.summary == "offline unavailable 421")
    #expect(agent.deliver(note(lines: 3)) { true }.summary == "accepted 250")
    agent.finish()
    #expect(try server.records(count: 2).count == 2)
  }

  @Test func anUnansweredQUITEndsInTime() throws {
    let server = try PlannedServer("quit=stall:60")
    var agent = makeAgent(try server.settings())
    #expect(agent.deliver(note(lines: 3)) { true }.summary == "accepted 250")
    let duration = SuspendingClock().measure { agent.finish() }
    #expect(duration < .seconds(3))
  }

  @Test func anAgentLetGoWithoutFinishEndsAtOnce() throws {
    let server = try PlannedServer("quit=stall:60")
    let settings = try server.settings()
    let duration = SuspendingClock().measure {
      var agent = makeAgent(settings)
      #expect(agent.deliver(note(lines: 3)) { true }.summary == "accepted 250")
    }
    #expect(duration < .seconds(1))
  }

  /// C10: both spellings of an IPv6 server.
  @Test(arguments: ["::1", "[::1]"])
  func anIPv6ServerIsReached(_ host: String) throws {
    let server = try PlannedServer("")
    guard let port = server.portOfIPv6 else { return }
    var settings = try server.settings(0, .implicitTLS)
    settings.host = host
    settings.port = port
    #expect(deliver(settings).summary == "accepted 250")
  }

  @Test func theEHLONameGoesOut() throws {
    let server = try PlannedServer("", "")
    var settings = try server.settings()
    settings.hostName = "vm"
    _ = deliver(settings)
    #expect(try server.records().last?.commands.first == "EHLO [127.0.0.1]")
    settings = try server.settings(1)
    settings.hostName = "vm.example.org"
    _ = deliver(settings)
    #expect(try server.records(of: server.port(1)).last?.commands.first == "EHLO vm.example.org")
  }

  @Test func aNameThatDoesNotExistAndAClosedPortAreOffline() throws {
    let server = try PlannedServer("")
    var settings = try server.settings()
    settings.host = "no-such-host.invalid"
    #expect(["offline resolver", "offline timeout"].contains(deliver(settings).summary))
    settings.host = "127.0.0.1"
    settings.port = 1
    #expect(deliver(settings).summary == "offline connect")
  }

  // MARK: - Size

  @Test func aMessageOverTheServersLimitIsRefusedBeforeItIsSent() throws {
    let server = try PlannedServer("ehlo2=size:2000")
    var agent = makeAgent(try server.settings())
    let small = note(lines: 10)
    let large = note(lines: 100)
    #expect(agent.deliver(small) { true }.summary == "accepted 250")
    let outcome = agent.deliver(large) { true }
    let text = "5.3.4 message size \(large.count) exceeds the server's limit of 2000"
    #expect(outcome == .rejected(Reply(code: 552, lines: [text]), at: .mail))
    #expect(agent.deliver(small) { true }.summary == "accepted 250")
    agent.finish()
    let records = try server.records()
    #expect(records.count == 1)
    #expect(records.first?.commands.filter { $0.hasPrefix("MAIL") }.count == 2)
  }

  // MARK: - Replies

  /// C11.
  @Test(arguments: [("dot", 554, "message"), ("rcpt", 550, "rcpt")])
  func everyLineOfARefusalIsTold(stage: String, code: Int, name: String) throws {
    let texts = [
      "5.7.1 [192.0.2.7] policy", "5.7.1 see https://example.org/why", "5.7.1 ref 42-abc",
    ]
    let lines = "\(code)-\(texts[0])\\n\(code)-\(texts[1])\\n\(code) \(texts[2])"
    let server = try PlannedServer("\(stage)=lines:\(lines)")
    let outcome = deliver(try server.settings())
    let at = try #require(Outcome.Stage(rawValue: name))
    #expect(outcome == .rejected(Reply(code: code, lines: texts), at: at))
  }
}

/// As ``deliver(_:_:password:commit:)`` with a short note.
private func deliver(
  _ settings: SubmissionSettings, commit: () -> Bool = { true }
) -> Outcome {
  deliver(note(lines: 3), settings, commit: commit)
}
