import Foundation
import TestSupport
import Testing

/// `memo cancel`: whoever is told that a note is cancelled can rely on it.
@Suite struct CancelTests {
  @Test func aWaitingNoteIsGone() throws {
    let sandbox = try Sandbox.quiet()
    for note in ["one", "two", "three"] { try sandbox.memo(note) }
    let result = try sandbox.memo("cancel", "@1", "@3", "@1")
    #expect(result.status == 0 && result.output + result.errors == "")
    #expect(try sandbox.waiting().map(\.note) == ["two"])
    let again = try sandbox.memo("cancel", "@1", "ffff")
    #expect(again.status == 66)
    expectOneLine(again.errors, "no note has the id ffff")
    #expect(try sandbox.counts() == [0, 0, 0])
    #expect(try sandbox.memo("cancel").status == 64)
    #expect(try sandbox.memo("cancel", "the meeting").status == 64)
    #expect(try sandbox.counts() == [0, 0, 0])
  }

  @Test func itSaysWhenItIsTooLate() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    for (note, plan) in [("sent", ""), ("failed", "dot=550"), ("unanswered", "dot=drop")] {
      try sandbox.memo(note)
      try server.plan(plan)
      try sandbox.memo("flush")
    }
    for (name, words) in [("@3", "it was sent"), ("@2", "it failed")] {
      let result = try sandbox.memo("cancel", name)
      #expect(result.status == 1)
      expectOneLine(result.errors, words)
    }
    #expect(try sandbox.counts() == [1, 1, 1])
    let result = try sandbox.memo("cancel", "@1")
    #expect(result.status == 0)
    expectOneLine(result.errors, "may have been delivered before")
    #expect(try sandbox.counts() == [0, 1, 1])
  }

  @Test func whileTheServersAnswerIsAwaitedTheNoteStays() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    try sandbox.memo("buy milk")
    try server.plan("dot=stall:60")
    let sender = try RunningProgram(Programs.memoSend, ["flush"], in: sandbox)
    try wait(for: "the message at the server") { try server.accepted().count == 1 }
    let result = try sandbox.memo("cancel", "@1")
    #expect(result.status == 75)
    expectOneLine(result.errors, "too late")
    #expect(try sandbox.counts() == [1, 0, 0])
    sender.signal(SIGKILL)
    _ = try sender.finish()
    #expect(try sandbox.memo("cancel", "@1").status == 0)
    #expect(try sandbox.counts() == [0, 0, 0])
  }

  /// Each time at another moment of the sending: never both cancelled and delivered, never neither.
  @Test func cancellingRacesWithSending() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    var random = SeededGenerator(seed: 21)
    var cancelled: Set<String> = []
    var all: Set<String> = []
    for _ in 0..<60 {
      let id = lines(try sandbox.memo("-v", "buy milk").output)[0]
      all.insert(id)
      let sender = try RunningProgram(Programs.memoSend, ["flush"], in: sandbox)
      Thread.sleep(forTimeInterval: Double.random(in: 0...0.15, using: &random))
      let result = try sandbox.memo("cancel", id)
      #expect([0, 1, 75].contains(result.status), "\(result.errors)")
      // Status 0 is a promise; with words it would be that it may have been delivered.
      if result.status == 0 {
        #expect(result.errors == "")
        cancelled.insert(id)
      }
      #expect(try sender.finish() == .exited(0))
    }
    let delivered = try server.accepted().compactMap { mail in
      lines(String(decoding: mail.bytes, as: UTF8.self).replacing("\r\n", with: "\n"))
        .first { $0.hasPrefix("Memo-ID: ") }?.dropFirst(9)
    }
    #expect(Set(delivered.map(String.init)).count == delivered.count)
    #expect(cancelled.isDisjoint(with: delivered.map(String.init)))
    #expect(cancelled.union(delivered.map(String.init)) == all)
    #expect(Set(try sandbox.files(in: .sent).map(\.identifier)) == all.subtracting(cancelled))
    #expect(try sandbox.files(in: .outbox).isEmpty)
    // Both happened, or nothing was shown.
    #expect(!cancelled.isEmpty && cancelled.count < all.count)
  }
}
