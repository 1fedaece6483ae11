import Foundation
import TestSupport
import Testing

@testable import Posix

@Suite struct ShellCommandTests {
  /// What a command gives, as octets or as the reason why not.
  private func firstLine(
    _ command: String, timeoutSeconds: Int = 20, environment: ProcessEnvironment = plainEnvironment
  ) -> Result<[UInt8], ShellCommand.Failure> {
    do throws(ShellCommand.Failure) {
      let line = try ShellCommand.firstLine(
        of: command, environment: environment, timeoutSeconds: timeoutSeconds)
      return .success(line.withBytes { bytes in bytes.indices.map { bytes[$0] } })
    } catch {
      return .failure(error)
    }
  }

  @Test(
    "C21",
    arguments: [
      (#"printf 'pä#"s\\s $x \n'"#, #"pä#"s\s $x "#),
      (#"printf '§6Xc%%\nsecond line\n'"#, "§6Xc%"),
      ("printf 'no end'", "no end"),
      ("printf '  \\tblanks\\t \\n\\n'", "  \tblanks\t "),
      ("printf 'dos\\r\\nnext'", "dos"),
      ("printf 'only CR\\r'", "only CR\r"),
      ("echo word; exec 2>/dev/null; echo noise >&2", "word"),
      ("cat; echo no input", "no input"),
      ("echo $WORD", "given"),
      ("pwd -P >/dev/null; echo ok", "ok"),
    ])
  func theFirstLineIsGivenVerbatim(command: String, line: String) {
    let environment = ProcessEnvironment(["PATH": "/usr/bin:/bin", "WORD": "given"])
    #expect(firstLine(command, environment: environment) == .success(octets(line)))
  }

  @Test(
    arguments: [
      ("true", .empty),
      ("echo; echo second", .empty),
      ("echo pw; exit 3", .ended(.exited(3))),
      ("no-such-program-here 2>/dev/null", .ended(.exited(127))),
      ("echo pw; kill -9 $$", .ended(.signalled(9))),
    ] as [(String, ShellCommand.Failure)])
  func aCommandThatGivesNothingTellsWhy(command: String, failure: ShellCommand.Failure) {
    #expect(firstLine("exec 2>/dev/null; " + command) == .failure(failure))
  }

  @Test(.timeLimit(.minutes(1))) func muchOutputDoesNotHoldACommandUp() {
    // More than a pipe and more than we keep.
    #expect(
      firstLine("echo pw; head -c 1000000 /dev/zero | tr '\\0' x") == .success(octets("pw")))
    guard case .success(let line) = firstLine("head -c 1000000 /dev/zero | tr '\\0' x") else {
      Issue.record("no line")
      return
    }
    #expect(line.count == 1 << 16)
  }

  @Test(.timeLimit(.minutes(1))) func theWholeSessionIsKilledWhenItsTimeIsOver() throws {
    let sandbox = try Sandbox()
    let file = sandbox.root + "/pids"
    let command = "sleep 1000 & echo $! $$ > \(file); wait"
    #expect(firstLine(command, timeoutSeconds: 1) == .failure(.timedOut))
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let pids = text.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
    #expect(pids.count == 2)
    for pid in pids { try wait(for: "the end of \(pid)") { isGone(pid) } }
  }

  @Test(.timeLimit(.minutes(1))) func aCommandThatClosesItsOutputIsNotWaitedForWithoutEnd() {
    #expect(
      firstLine("echo pw; exec >&-; sleep 1000", timeoutSeconds: 1) == .failure(.timedOut))
  }

  /// Whether no such process runs: one that nobody has waited for yet counts as gone.
  private func isGone(_ pid: Int32) -> Bool {
    guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else {
      return true
    }
    return stat.contains(") Z ")
  }
}
