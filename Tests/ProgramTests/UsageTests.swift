import Foundation
import TestSupport
import Testing

/// Arguments that ask for nothing that can be done, and those that ask for help.
@Suite struct UsageTests {
  @Test(arguments: [
    ["--bogus", "x"], ["-z", "x"], ["-s"], ["-a"], ["-A"], ["--verbose=yes", "x"],
    ["flush", "the", "tank"], ["flush", "--bogus"], ["log", "cabin"], ["log", "-n", "many"],
    ["log", "-n", "0"], ["show", "me", "more"], ["status", "quo"], ["watch", "TV"],
    ["help", "yourself"],
    ["--help", "me"], ["--version", "2"],
  ])
  func whatIsNotUnderstoodDoesNothing(arguments: [String]) throws {
    let sandbox = try Sandbox.quiet()
    let result = try run(
      Programs.memo, arguments, stdin: Array("text".utf8), environment: sandbox.environment)
    #expect(result.status == 64)
    #expect(result.output == "")
    let said = lines(result.errors)
    #expect(said.count == 2)
    #expect(said.first?.hasPrefix("memo: ") == true)
    // How to note it instead.
    #expect(said.last?.hasPrefix("memo: hint: ") == true)
    #expect(said.last?.contains("memo -- \(arguments[0]) ...") == true)
    #expect(try sandbox.everything(below: sandbox.data) == [])
  }

  @Test(arguments: [
    ["doctor"], ["init"], ["--stay"], ["log", "--follow"],
  ])
  func whatIsNotBuiltYetSaysSo(arguments: [String]) throws {
    let sandbox = try Sandbox.quiet()
    let result = try run(Programs.memo, arguments, environment: sandbox.environment)
    #expect(result.status == 69)
    expectOneLine(result.errors, "not built into this version yet")
    #expect(try sandbox.everything(below: sandbox.data) == [])
  }

  @Test(arguments: [
    ["--help"], ["help"], ["help", "flush"], ["help", "log"], ["help", "show"],
    ["help", "search"], ["help", "copy"], ["help", "resend"], ["help", "cancel"],
  ])
  func helpIsData(arguments: [String]) throws {
    let sandbox = try Sandbox()
    let result = try run(Programs.memo, arguments, environment: sandbox.environment)
    #expect(result.status == 0)
    #expect(result.output.contains("memo flush") || result.output.contains("usage: memo "))
    #expect(result.errors == "")
    #expect(lines(result.output).allSatisfy { $0.count <= 80 })
  }

  @Test func theVersionIsOneLine() throws {
    let sandbox = try Sandbox()
    let result = try sandbox.memo("--version")
    #expect(result.status == 0)
    #expect(result.output.wholeMatch(of: /memo [0-9]+(\.[0-9]+)+\n/) != nil)
  }

  @Test(arguments: ["--help", "--version", "log", "show", "status"])
  func outputThatCannotBeWrittenIsAnError(verb: String) throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("buy milk")
    let result = try run(
      "/bin/sh", ["-c", "memo \(verb) >/dev/full"], environment: sandbox.environment)
    #expect(result.status == 74)
    // show says besides that the note has not been sent.
    let said = lines(result.errors).filter { $0 != "memo: waiting" }
    #expect(said == ["memo: cannot write the output: No space left on device"])
  }
}
