import Foundation
import TestSupport
import Testing

/// What a capture does when things around it are broken: sysexits(3), one clear line, no note lost.
@Suite struct ExitStatusTests {
  /// Settings with which a note is kept, and what is said of it.
  struct Unsendable: Sendable, CustomTestStringConvertible {
    let settings: String?
    let words: String
    var testDescription: String { words }
  }

  static let unsendable = [
    Unsendable(settings: nil, words: "no account is set up"),
    Unsendable(settings: "[delivery]\npace = off\n", words: "no account is set up"),
    Unsendable(settings: "[account]\nservr = x\n", words: "config:2: unknown key 'servr'"),
    Unsendable(settings: "server = x\n", words: "config:1: 'server' comes before"),
    Unsendable(settings: "[account]\nto = me@test.example\n", words: "no 'from'"),
    Unsendable(settings: "\u{0}\n", words: "config:1: "),
    Unsendable(settings: quietSettings + "[composer]\nstay = yes\n", words: "not built"),
    Unsendable(settings: quietSettings + "[gpg]\nsign = yes\n", words: "needs a 'key' in [gpg]"),
  ]

  @Test(arguments: unsendable)
  func aNoteThatCannotBeSentIsKeptAndThatIsSaidOnceADay(of: Unsendable) throws {
    let sandbox = try Sandbox()
    if let settings = of.settings { try sandbox.configure(settings) }
    let first = try sandbox.memo("-v", "one")
    #expect(first.status == 0)
    #expect(lines(first.output).count == 1)
    expectOneLine(first.errors, "memo: saved, but cannot be sent: ")
    #expect(first.errors.contains(of.words), "\(first.errors)")
    let second = try sandbox.memo("two")
    #expect(second.status == 0)
    #expect(second.errors == "")
    #expect(try sandbox.waiting().map(\.note) == ["one", "two"])
    try sandbox.expectPrivate()
  }

  @Test func anotherCauseIsSaidTheSameDay() throws {
    let sandbox = try Sandbox()
    try sandbox.memo("one")
    try sandbox.configure("[account]\nservr = x\n")
    #expect(try sandbox.memo("two").errors.contains("servr"))
  }

  @Test(arguments: ["-A", "-n"])
  func withBrokenSettingsTheOptionsStillWork(option: String) throws {
    let sandbox = try Sandbox()
    try sandbox.configure("[account]\nservr = x\n")
    let arguments = option == "-A" ? ["-A", "work", "x"] : ["-n", "x"]
    let result = try run(Programs.memo, arguments, environment: sandbox.environment)
    #expect(result.status == 0)
    #expect(try sandbox.counts() == [option == "-A" ? 1 : 0, 0, 0])
  }

  @Test func settingsThatOthersCanReadAreRefusedWithTheCommandThatMendsThem() throws {
    let sandbox = try Sandbox()
    try sandbox.configure(quietSettings)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: sandbox.configuration)
    let result = try sandbox.memo("x")
    #expect(result.status == 0)
    expectOneLine(result.errors, "run: chmod go= \(sandbox.configuration)")
    #expect(try sandbox.counts() == [1, 0, 0])
    #expect(try sandbox.memo("flush").status == 78)
  }

  @Test func withoutANetworkOrAServerTheNoteIsSafe() throws {
    for server in ["smtp://no-such-host.invalid", "smtp://localhost:1", "smtps://127.0.0.1:1"] {
      let sandbox = try Sandbox()
      try sandbox.configure(
        quietSettings.replacing("smtp://localhost:9", with: server)
          .replacing("after-capture = no", with: "after-capture = yes"))
      defer { sandbox.endSenders() }
      let result = try sandbox.memo("buy milk")
      #expect(result.status == 0)
      #expect(result.output + result.errors == "")
      #expect(try sandbox.theOneWaiting().note == "buy milk")
      let flushed = try sandbox.memo("flush")
      #expect(flushed.status == 0)
      #expect(flushed.errors == "")
      #expect(try sandbox.counts() == [1, 0, 0])
      try sandbox.expectPrivate()
    }
  }

  @Test(arguments: ["000", "777", "077", "022"])
  func theUmaskOfTheCallerDoesNotMatter(umask: String) throws {
    let sandbox = try Sandbox.quiet()
    let result = try run(
      "/bin/sh", ["-c", "umask \(umask); memo x && memo log"], environment: sandbox.environment)
    #expect(result.status == 0)
    #expect(try sandbox.theOneWaiting().note == "x")
    try sandbox.expectPrivate()
    #expect(try sandbox.permissions(of: sandbox.key) == 0o600)
    #expect(try sandbox.permissions(of: sandbox.path(of: .outbox) + "/new") == 0o700)
  }

  /// Standard descriptors that the caller closed must not become files of ours: a message would be
  /// written into one of them.
  @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"])
  func closedStandardDescriptorsHarmNothing(closed: String) throws {
    let sandbox = try Sandbox()
    let script = """
      exec \(closed)
      strace -f -qq -o \(sandbox.root)/trace -e trace=open,openat,write memo -v x
      """
    let result = try run("/bin/bash", ["-c", script], environment: sandbox.environment)
    #expect(result.status == 0)
    #expect(try sandbox.theOneWaiting().note == "x")
    try sandbox.expectPrivate()
    let trace = try String(contentsOfFile: sandbox.root + "/trace", encoding: .utf8)
    // What the loader and the runtime open is closed again before main begins.
    let calls = lines(trace).drop { !$0.contains("\"/dev/null\"") }
    #expect(!calls.isEmpty)
    let low = calls.filter { $0.contains(/open.* = [012]$/) && !$0.contains("\"/dev/null\"") }
    #expect(low == [])
  }
}

// MARK: - The identity

extension ExitStatusTests {
  @Test func withoutItsKeyNothingIsPromised() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("first")
    try FileManager.default.removeItem(atPath: sandbox.key)
    let result = try sandbox.memo("-", stdin: Array("second".utf8))
    #expect(result.status == 78)
    expectOneLine(result.errors, "not saved: the identity key is gone: \(sandbox.key)")
    #expect(try sandbox.counts() == [1, 0, 0])
    #expect(try sandbox.memo("status").status == 1)
    try sandbox.expectPrivate()
  }

  @Test func aHostWhoseKeyIsElsewhereCapturesAndCannotRead() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("first")
    try sandbox.configure(quietSettings + "[identity]\nkey = elsewhere\n")
    let away = sandbox.root + "/key.pem"
    try FileManager.default.moveItem(atPath: sandbox.key, toPath: away)
    #expect(try sandbox.memo("second").status == 0)
    #expect(try sandbox.memo("log").output.contains("(sealed for a key that is not here)"))
    #expect(try sandbox.memo("show").status == 66)
    #expect(try sandbox.memo("status").status == 0)
    // Brought to the host that has the key, they open.
    try FileManager.default.moveItem(atPath: away, toPath: sandbox.key)
    #expect(try sandbox.waiting().map(\.note) == ["first", "second"])
  }

  @Test func aFolderThatOthersCanWriteInIsRefused() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("first")
    for folder in ["mail", "mail/outbox", "mail/outbox/new"] {
      let path = sandbox.data + "/" + folder
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
      let result = try sandbox.memo("second")
      #expect(result.status == 75)
      expectOneLine(result.errors, "\(path) belongs to another user, or others may write in it")
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }
    #expect(try sandbox.counts() == [1, 0, 0])
  }
}

// MARK: - What is no note

extension ExitStatusTests {
  @Test(arguments: ["", " ", "\n\n\t \r\n", "\u{A0}\u{2003}\u{3000}"])
  func emptyAndWhiteTextIsNoNote(text: String) throws {
    let sandbox = try Sandbox.quiet()
    for (arguments, input) in [(["-"], text), (["--", text], "")] {
      let result = try run(
        Programs.memo, arguments, stdin: Array(input.utf8), environment: sandbox.environment)
      #expect(result.status == 65)
      expectOneLine(result.errors, "the note is empty")
    }
    #expect(try sandbox.counts() == [0, 0, 0])
  }

  @Test func aNoteOfTheLargestSizeIsTakenAndOneOctetMoreIsNot() throws {
    let sandbox = try Sandbox.quiet("max-size = 10k\n")
    let note = Array(repeating: UInt8(ascii: "a"), count: 10240)
    #expect(try sandbox.memo("-", stdin: note).status == 0)
    let result = try sandbox.memo("-", stdin: note + [UInt8(ascii: "a")])
    #expect(result.status == 65)
    expectOneLine(result.errors, "not saved: the note is larger than max-size, 10")
    #expect(try sandbox.theOneWaiting().note == String(decoding: note, as: UTF8.self))
    let long = String(repeating: "b", count: 10241)
    #expect(try sandbox.memo(long).status == 65)
    #expect(try sandbox.counts() == [1, 0, 0])
  }

  /// Refused as soon as it is too large, and not when 200 MB lie in memory.
  @Test func aHugeInputIsRefusedBeforeItFillsMemory() throws {
    let sandbox = try Sandbox.quiet()
    let script = """
      head -c 200000000 /dev/zero | tr '\\0' a |
        (python3 -c '
      import os, resource, sys
      status = os.spawnv(os.P_WAIT, sys.argv[1], ["memo", "-"])
      print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \(Programs.memo))
      """
    let result = try run("/bin/sh", ["-c", script], environment: sandbox.environment)
    expectOneLine(result.errors, "larger than max-size, 25M")
    let figures = result.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    try #require(figures.count == 2)
    #expect(figures[0] == 65)
    #expect(figures[1] < 160_000, "\(figures[1]) KiB")
    #expect(try sandbox.counts() == [0, 0, 0])
  }
}
