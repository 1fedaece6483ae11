import Foundation
import TestSupport
import Testing

/// Where a note's text comes from, and what the options of a capture do.
@Suite struct CaptureTests {
  /// Arguments, standard input, and the note they make.
  struct Source: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let input: String
    let note: String
    var testDescription: String {
      arguments.joined(separator: " ") + " < " + input.debugDescription
    }
  }

  static let sources = [
    Source(arguments: ["buy", "milk"], input: "not read", note: "buy milk"),
    Source(arguments: [], input: "first\nsecond\n", note: "first\nsecond"),
    Source(arguments: ["-"], input: "first\nsecond", note: "first\nsecond"),
    Source(arguments: ["kernel", "log", "-"], input: "line\n", note: "kernel log\nline"),
    Source(arguments: ["a  b", " c"], input: "", note: "a  b  c"),
    Source(arguments: ["tar", "-xf", "x"], input: "", note: "tar -xf x"),
    Source(arguments: ["--", "flush", "the", "tank"], input: "", note: "flush the tank"),
    Source(arguments: ["--", "-v"], input: "", note: "-v"),
    Source(arguments: ["--", "-"], input: "not read", note: "-"),
    Source(arguments: ["please", "flush"], input: "", note: "please flush"),
    Source(arguments: ["a", "-", "b"], input: "not read", note: "a - b"),
  ]

  @Test(arguments: sources)
  func aNoteIsWhatWasGiven(source: Source) throws {
    let sandbox = try Sandbox.quiet()
    let result = try run(
      Programs.memo, source.arguments, stdin: Array(source.input.utf8),
      environment: sandbox.environment)
    #expect(result.status == 0)
    #expect(result.output + result.errors == "")
    let note = try sandbox.theOneWaiting()
    #expect(note.note == source.note)
    #expect(note.defects == [])
    try sandbox.expectPrivate()
  }

  @Test func withWordsStandardInputIsLeftToTheLoopAroundIt() throws {
    let sandbox = try Sandbox.quiet()
    let loop = "while read -r line; do memo note $line; done"
    let result = try run(
      "/bin/sh", ["-c", loop], stdin: Array("1\n2\n3\n".utf8), environment: sandbox.environment)
    #expect(result.status == 0)
    #expect(try sandbox.waiting().map(\.note) == ["note 1", "note 2", "note 3"])
  }

  @Test func theSubjectIsTheFirstLineUnlessGiven() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("-", stdin: Array("\n\n first \nsecond\n".utf8))
    try sandbox.memo("-s", "groceries", "buy milk")
    try sandbox.memo("--subject=", "an empty one")
    let notes = try sandbox.waiting()
    #expect(notes.map(\.subject) == ["first", "groceries", "an empty one"])
    #expect(notes[0].text == "\n\n first \nsecond\n")
    #expect(notes[1].note == "buy milk")
  }

  @Test func theIDIsPrintedWhenAskedFor() throws {
    let sandbox = try Sandbox.quiet()
    let result = try sandbox.memo("-v", "buy milk")
    let file = try #require(try sandbox.files(in: .outbox).first)
    #expect(result.output == file.identifier + "\n")
    #expect(try sandbox.theOneWaiting().values("Memo-ID") == [file.identifier])
  }

  @Test(arguments: ["memo -v x >&-", "memo -v x >/dev/full"])
  func anIDThatCannotBePrintedTakesNothingBack(command: String) throws {
    let sandbox = try Sandbox.quiet()
    let result = try run("/bin/sh", ["-c", command], environment: sandbox.environment)
    #expect(result.status == 0)
    expectOneLine(result.errors, "saved, but the id could not be printed")
    #expect(try sandbox.theOneWaiting().note == "x")
    try sandbox.expectPrivate()
  }

  @Test func aDryRunPrintsTheMessageAndKeepsNothing() throws {
    let sandbox = try Sandbox()
    let result = try sandbox.memo("-n", "-s", "Grüße", "buy milk")
    #expect(result.status == 0)
    let message = try ParsedMail.parse(result.stdout)
    #expect(message.subject == "Grüße")
    #expect(message.note == "buy milk")
    #expect(try sandbox.everything(below: sandbox.home) == [])
  }

  @Test func lettersOfAGroupAreOptions() throws {
    let sandbox = try Sandbox.quiet()
    let result = try sandbox.memo("-vssubject", "text")
    #expect(try sandbox.theOneWaiting().subject == "subject")
    #expect(lines(result.output).count == 1)
  }
}

// MARK: - Accounts

extension CaptureTests {
  private static let accounts = """
    [account]
    to = me@test.example
    [account work]
    from = me@work.example
    to = me@work.example
    [delivery]
    after-capture = no

    """

  @Test func anAccountIsNamedInTheFileUnlessItIsTheDefault() throws {
    let sandbox = try Sandbox()
    try sandbox.configure(Self.accounts)
    #expect(try sandbox.memo("-A", "work", "for work").status == 0)
    #expect(try sandbox.memo("for me").status == 0)
    let files = try sandbox.files(in: .outbox)
    let outer = try ParsedMail.parse(try files.map { try $0.bytes() })
    #expect(outer.map { $0.values("Memo-Account") } == [["work"], []])
    #expect(outer.map(\.to) == [[["", "me@work.example"]], [["", "me@test.example"]]])
    #expect(outer.map(\.subject) == ["[...]", "[...]"])
  }

  @Test func anUnknownAccountIsRefusedBeforeAnythingIsRead() throws {
    let sandbox = try Sandbox()
    try sandbox.configure(Self.accounts)
    // Its input stays open: a program that reads it would wait.
    let program = try RunningProgram(Programs.memo, ["-A", "wrok", "-"], in: sandbox)
    #expect(try program.finish() == .exited(64))
    expectOneLine(program.errors, "no account is named 'wrok'")
    #expect(program.errors.contains("work"))
    #expect(try sandbox.everything(below: sandbox.data) == [])
  }
}

// MARK: - On a terminal

extension CaptureTests {
  @Test func onATerminalLinesAreReadUntilControlD() throws {
    let sandbox = try Sandbox.quiet()
    let session = try TerminalSession(Programs.memo, environment: sandbox.environment)
    try session.wait(for: "Ctrl-D")
    session.type("first\rsecond\r\u{4}")
    #expect(try session.finish() == .exited(0))
    #expect(try sandbox.theOneWaiting().note == "first\nsecond")
  }

  @Test func controlCDiscardsWhatWasTyped() throws {
    let sandbox = try Sandbox.quiet()
    let session = try TerminalSession(Programs.memo, environment: sandbox.environment)
    try session.wait(for: "Ctrl-D")
    session.type("first\r\u{3}")
    #expect(try session.finish() == .signalled(SIGINT))
    #expect(try sandbox.counts() == [0, 0, 0])
    try sandbox.expectPrivate()
  }

  @Test func nothingTypedIsNoNote() throws {
    let sandbox = try Sandbox.quiet()
    let session = try TerminalSession(Programs.memo, environment: sandbox.environment)
    try session.wait(for: "Ctrl-D")
    session.type("\u{4}")
    #expect(try session.finish() == .exited(65))
    #expect(session.text.contains("the note is empty"))
    #expect(try sandbox.counts() == [0, 0, 0])
  }
}
