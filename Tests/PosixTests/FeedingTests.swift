import TestSupport
import Testing

@testable import Posix

@Suite(.timeLimit(.minutes(1))) struct FeedingTests {
  private let sandbox: Sandbox
  init() throws { sandbox = try Sandbox() }

  private func feed(
    _ script: String, _ input: [UInt8], seconds: Int = 20
  ) -> ShellCommand.Failure? {
    do throws(ShellCommand.Failure) {
      try ChildProcess.run(
        "/bin/sh", ["-c", script], reading: input,
        environment: ProcessEnvironment(sandbox.environment), timeoutSeconds: seconds)
      return nil
    } catch {
      return error
    }
  }

  @Test func aProgramReadsAllOfIt() throws {
    var random = SeededGenerator(seed: 3)
    // More than a pipe holds.
    let octets = random.bytes(300_000)
    #expect(feed("cat >\(sandbox.root)/copy", octets) == nil)
    #expect(try sandbox.content("copy") == octets)
    #expect(feed("test -z \"$(cat)\"", []) == nil)
  }

  @Test func aProgramThatReadsNothingHoldsNobodyUp() {
    #expect(feed("exit 0", Array(repeating: 1, count: 300_000)) == nil)
    #expect(feed("exit 3", [1]) == .ended(.exited(3)))
    #expect(feed("kill -9 $$", [1]) == .ended(.signalled(9)))
    #expect(feed("sleep 1000", [1], seconds: 0) == .timedOut)
  }

  @Test func aProgramIsFoundByThePath() throws {
    try sandbox.write(Array("#!/bin/sh\n".utf8), to: sandbox.root + "/bin/tool")
    try sandbox.write(Array("#!/bin/sh\n".utf8), to: sandbox.root + "/other/tool")
    func found(_ path: String) -> String? {
      Executable.find("tool", environment: ProcessEnvironment(["PATH": path]))
    }
    let (bin, other) = (sandbox.root + "/bin", sandbox.root + "/other")
    #expect(found("\(bin):\(other)") == nil)
    try sandbox.setMode("other/tool", 0o700)
    #expect(found("\(bin)::\(other)") == other + "/tool")
    try sandbox.setMode("bin/tool", 0o700)
    #expect(found("\(bin):\(other)") == bin + "/tool")
    #expect(found("") == nil && found("bin:.:") == nil && found("/nowhere") == nil)
  }
}
