import Foundation
import TestSupport
import Testing

/// `memo search`, as a person and a program use it.
@Suite struct SearchCommandTests {
  @Test func eachWordHasToBeThereWhateverItsCaseAndAccents() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("buy milk for Łukasz")
    try sandbox.memo("-s", "Zürich", "the attic\nand Straße 5")
    try sandbox.memo("nothing of it")
    for words in [["MILK"], ["lukasz", "buy"], ["milk for"]] {
      let found = try run(
        Programs.memo, ["search"] + words, environment: sandbox.environment)
      #expect(found.status == 0 && found.errors == "")
      #expect(lines(found.output).count == 1 && found.output.contains("buy milk for Łukasz"))
    }
    let found = try sandbox.memo("search", "ZURICH", "strasse")
    // The line is the one that log has.
    #expect(lines(try sandbox.memo("log").output).contains(found.output.replacing("\n", with: "")))
    let both = lines(try sandbox.memo("search", "i").output)
    #expect(both.count == 3 && both[0].contains("nothing of it"))
  }

  @Test func aProgramGetsTheObjectsOfLog() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("one")
    try sandbox.memo("two")
    let found = try sandbox.memo("search", "--json", "two")
    #expect(found.output == lines(try sandbox.memo("log", "--json").output)[0] + "\n")
    let object = try JSONValue.object(found.stdout)
    #expect(Set(object.keys) == HistoryCommandTests.logNames)
  }

  @Test func withoutAHitTheStatusIs1AndAPersonIsToldHowToNoteIt() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("buy milk")
    let piped = try sandbox.memo("search", "the", "attic")
    #expect(piped.status == 1 && piped.output + piped.errors == "")
    let session = try TerminalSession(
      Programs.memo, ["search", "the", "attic"], environment: sandbox.environment)
    #expect(try session.finish() == .exited(1))
    #expect(session.text.contains("no note has all of these words"))
    #expect(session.text.contains("memo -- search"))
    #expect(try sandbox.counts() == [1, 0, 0])
    for arguments in [[], [""], ["\u{301}"], ["--jsn", "x"], ["-n"]] {
      let wrong = try run(
        Programs.memo, ["search"] + arguments, environment: sandbox.environment)
      #expect(wrong.status == 64, "\(arguments)")
    }
    #expect(try sandbox.memo("search", "--", "--json").status == 1)
  }

  @Test func whatCannotBeOpenedIsToldOnceToAPerson() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("buy milk")
    let file = try #require(try sandbox.files(in: .outbox).first)
    try sandbox.write(Array(try file.bytes().dropLast(100)), to: file.path)
    try sandbox.memo("more milk")
    let session = try TerminalSession(
      Programs.memo, ["search", "milk"], environment: sandbox.environment)
    #expect(try session.finish() == .exited(0))
    #expect(session.text.contains("more milk") && session.text.contains("1 note was not searched"))
    let piped = try sandbox.memo("search", "milk")
    #expect(piped.status == 0 && piped.errors == "" && lines(piped.output).count == 1)
  }

  @Test func nothingOfATextIsKept() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("a secret-word-here")
    try sandbox.memo("log")
    let before = try sandbox.everything(below: sandbox.home).sorted()
    #expect(try sandbox.memo("search", "SECRET-word").status == 0)
    #expect(try sandbox.everything(below: sandbox.home).sorted() == before)
  }

  @Test func aReaderWhoHasSeenEnoughEndsIt() throws {
    let sandbox = try Sandbox.quiet()
    for number in 0..<100 { try sandbox.memo("note \(number)") }
    let result = try run(
      "/bin/bash", ["-o", "pipefail", "-c", "memo search note | head -n 1"],
      environment: sandbox.environment)
    #expect(lines(result.output).count == 1 && result.output.contains("note 99"))
  }
}
