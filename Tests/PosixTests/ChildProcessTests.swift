import Foundation
import TestSupport
import Testing

@testable import Posix

@Suite struct ChildProcessTests {
  let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  @Test func aDetachedProgramIsOnItsOwn() throws {
    // A descriptor that is not closed on exec, as some library may have one open.
    let inherited = unsafe open(sandbox.root, O_RDONLY)
    defer { close(inherited) }
    let script = """
      ls -l /proc/self/fd > \(sandbox.root)/fds
      pwd > \(sandbox.root)/cwd
      cut -d' ' -f1,6 /proc/$$/stat > \(sandbox.root)/ids
      env > \(sandbox.root)/env
      mv \(sandbox.root)/env \(sandbox.root)/done
      """
    try ChildProcess.startDetached(
      "/bin/sh", ["-c", script],
      environment: ProcessEnvironment(["PATH": "/usr/bin:/bin", "A": "b=c d"]))
    try wait(for: "the child's end") {
      FileManager.default.fileExists(atPath: sandbox.root + "/done")
    }
    #expect(text("cwd") == "/\n")
    let ids = text("ids").split(whereSeparator: \.isWhitespace)
    #expect(ids.count == 2 && ids[0] == ids[1], "it leads a session of its own")
    // Nobody else waits for it, and the testing library's wait for any child would find it for ever.
    let id = try #require(ids.first.flatMap { Int32($0) })
    #expect(waitpid(id, nil, 0) == id)
    #expect(text("done").contains("A=b=c d\n"))
    #expect(!text("done").contains("HOME="))
    // 0 and 2, as 1 goes to the file: no more than the directory that ls reads besides.
    #expect(text("fds").components(separatedBy: "/dev/null").count == 3)
    #expect(!text("fds").contains(sandbox.root + "\n"))
  }

  private func text(_ name: String) -> String {
    (try? String(contentsOfFile: sandbox.root + "/" + name, encoding: .utf8)) ?? ""
  }

  @Test(
    arguments: [
      ("exit 0", .exited(0)), ("exit 255", .exited(255)), ("kill -15 $$", .signalled(15)),
    ] as [(String, ChildProcess.End)])
  func theEndIsTold(script: String, end: ChildProcess.End) throws {
    let child = try ChildProcess.startAttached(
      "/bin/sh", ["-c", script], environment: plainEnvironment)
    #expect(try child.wait() == end)
  }

  @Test func aProgramThatIsNotThereIsAnError() {
    #expect(throws: Errno.noSuchFile) {
      _ = try ChildProcess.startAttached("/no/such", [], environment: plainEnvironment)
    }
    #expect(throws: Errno.noSuchFile) {
      try ChildProcess.startDetached("/no/such", [], environment: plainEnvironment)
    }
    #expect(throws: Errno.accessDenied) {
      try ChildProcess.replace(with: "/etc/passwd", [], environment: plainEnvironment)
    }
  }

  @Test func ignoredSignalsAreNotPassedOn() throws {
    _ = signal(SIGPIPE, SIG_IGN)
    let child = try ChildProcess.startAttached(
      "/bin/sh", ["-c", "kill -13 $$; exit 0"], environment: plainEnvironment)
    #expect(try child.wait() == .signalled(SIGPIPE))
  }
}
