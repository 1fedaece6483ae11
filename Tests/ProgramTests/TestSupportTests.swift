import TestSupport
import Testing

/// The tests' own tools, on programs that every Debian has.
@Suite struct TestSupportTests {
  @Test func aRunGivesStatusAndBothOutputs() throws {
    let result = try run("/bin/sh", ["-c", "cat; echo wrong >&2; exit 7"], stdin: Array("in".utf8))
    #expect(result.termination == .exited(7))
    #expect(result.output == "in")
    #expect(result.errors == "wrong\n")
    #expect(!result.timedOut)
  }

  @Test func aMegabyteGoesThroughBothWays() throws {
    var random = SeededGenerator(seed: 1)
    let bytes = random.bytes(1_000_000)
    let result = try run("/bin/cat", stdin: bytes)
    #expect(result.stdout == bytes)
  }

  @Test func aProgramThatDoesNotReadIsNoError() throws {
    let result = try run("/bin/true", stdin: Array(repeating: 65, count: 1_000_000))
    #expect(result.status == 0)
  }

  @Test func aSignalIsTold() throws {
    let result = try run("/bin/sh", ["-c", "kill -TERM $$"])
    #expect(result.termination == .signalled(15))
    #expect(result.status == 143)
  }

  @Test func aRunThatTakesTooLongIsKilledAndRecorded() throws {
    try withKnownIssue {
      let result = try run("/bin/sh", ["-c", "sleep 60 & sleep 60"], timeout: 0.1)
      #expect(result.termination == .signalled(9))
      #expect(result.seconds < 30)
    } matching: { issue in
      issue.comments.contains { $0.rawValue == "sh took longer than 0.1 s" }
    }
  }

  @Test func nothingOfTheEnvironmentIsPassedOn() throws {
    let sandbox = try Sandbox()
    let result = try run("/usr/bin/env", environment: sandbox.environment)
    let names = result.output.split(separator: "\n").map { $0.prefix { $0 != "=" } }
    #expect(Set(names) == ["HOME", "PATH", "TMPDIR"])
  }

  @Test func aSandboxIsPrivateAndGoesAway() throws {
    var sandbox: Sandbox? = try Sandbox()
    let root = try #require(sandbox?.root)
    try sandbox?.configure("[account]\n")
    let home = try #require(sandbox?.home)
    let modes = try run("/usr/bin/stat", ["-c", "%a", root, home, home + "/.config/memo/config"])
    #expect(modes.output == "700\n700\n600\n")
    sandbox = nil
    #expect(try run("/usr/bin/stat", [root]).status == 1)
  }

  @Test func theNotesOfAFolderAreListedByName() throws {
    let sandbox = try Sandbox()
    #expect(try sandbox.files(in: .outbox).isEmpty)
    let outbox = sandbox.path(of: .outbox)
    try sandbox.write([1], to: outbox + "/cur/a:2,S")
    try sandbox.write([2], to: outbox + "/new/b")
    try sandbox.write([3], to: outbox + "/tmp/c")
    #expect(try sandbox.files(in: .outbox).map(\.name) == ["a:2,S", "b"])
    #expect(try sandbox.temporaryFiles(in: .outbox).map(\.name) == ["c"])
    #expect(try sandbox.files(in: .outbox)[1].bytes() == [2])
  }

  @Test func aTerminalIsControllingAndHasItsSize() throws {
    let sandbox = try Sandbox()
    let session = try TerminalSession(
      "/bin/sh", ["-c", "stty size </dev/tty; read -r word; echo \"<$word>\"; exit 3"],
      environment: sandbox.environment, columns: 91, rows: 17)
    try session.wait(for: "17 91")
    session.type("buy milk\r")
    try session.wait(for: "<buy milk>")
    #expect(try session.finish() == .exited(3))
  }

  @Test func seededNumbersAreThePublishedOnes() {
    // The first numbers of SplitMix64 for the seed 1234567.
    var random = SeededGenerator(seed: 1_234_567)
    let numbers = (0..<3).map { _ in random.next() }
    #expect(
      numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
  }

  @Test func theFaultyServerFollowsItsPlan() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try server.plan("dot=450", "dot=drop", "")
    for _ in 0..<3 {
      _ = try run(
        "/usr/bin/curl",
        [
          "-sS", "--ssl-reqd", "--cacert", server.authority, "--url", server.address(.starttls),
          "-u", "\(FaultyServer.user):\(FaultyServer.password)",
          "--mail-from", "me@test.example", "--mail-rcpt", "me@test.example", "-T", "-",
        ], stdin: Array("Subject: x\r\n\r\nhello\r\n".utf8))
    }
    try wait(for: "the end of three connections") { try server.connections().count == 3 }
    #expect(try server.connections().map(\.plan) == ["dot=450", "dot=drop", ""])
    #expect(try server.connections().map(\.stored) == [0, 1, 1])
    #expect(try server.connections().map(\.acked) == [0, 0, 1])
    let accepted = try server.accepted()
    #expect(
      accepted.map(\.bytes) == Array(repeating: Array("Subject: x\r\n\r\nhello\r\n".utf8), count: 2)
    )
    #expect(accepted.allSatisfy { $0.envelope.tls && $0.envelope.rcpt == ["TO:<me@test.example>"] })
  }

  @Test(.enabled(if: MailServer.unavailable == nil, "needs root and namespaces"))
  func theMailServerDeliversWhatCurlSends() throws {
    let sandbox = try Sandbox()
    let server = try MailServer(in: sandbox)
    for security in [FaultyServer.Security.starttls, .implicit] {
      let sent = try run(
        "/usr/bin/curl",
        [
          "-sS", "--ssl-reqd", "--cacert", server.authority, "--url", server.address(security),
          "-u", "me@test.example:s3cret-pass", "--mail-from", "me@test.example",
          "--mail-rcpt", "me@test.example", "-T", "-",
        ], stdin: Array("Subject: \(security)\r\n\r\nhello\r\n".utf8))
      #expect(sent.status == 0, "\(sent.errors)")
    }
    let mails = try server.waitForDelivery(of: 2).map { String(decoding: $0, as: UTF8.self) }
    #expect(mails.contains { $0.contains("Subject: starttls\n") })
    #expect(mails.contains { $0.contains("Subject: implicit\n") })
    #expect(try server.imap("SEARCH ALL") == "* SEARCH 1 2\r\n")
  }
}
