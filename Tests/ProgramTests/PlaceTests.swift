import Foundation
import TestSupport
import Testing

/// Captures where the home itself is the trouble: full, read-only, another's, unknown.
@Suite(.enabled(if: isRoot, "needs root for mounts and other users")) struct PlaceTests {
  /// Runs a shell command with mounts of its own, gone when it ends.
  private func inPrivateMounts(
    _ sandbox: Sandbox, _ script: String, stdin: [UInt8] = []
  ) throws -> ProgramResult {
    try run(
      "/usr/bin/unshare", ["--mount", "--propagation", "private", "/bin/bash", "-c", script],
      stdin: stdin, environment: sandbox.environment)
  }

  /// The file that a hint tells of.
  private func keptFile(_ errors: String) throws -> String {
    let hint = try #require(lines(errors).last)
    let prefix = "memo: hint: your text is in "
    try #require(hint.hasPrefix(prefix), "\(errors)")
    return String(hint.dropFirst(prefix.count))
  }

  @Test func onAFullDiskInputThatWasReadIsKept() throws {
    let sandbox = try Sandbox.quiet()
    let result = try inPrivateMounts(
      sandbox, fullDisk(sandbox, "memo -"), stdin: Array("precious\n".utf8))
    #expect(result.status == 75)
    #expect(lines(result.errors).first?.contains("No space left on device") == true)
    #expect(lines(result.errors).count == 2, "\(result.errors)")
    let file = try keptFile(result.errors)
    defer {
      try? FileManager.default.removeItem(atPath: (file as NSString).deletingLastPathComponent)
    }
    #expect(file.hasPrefix("/dev/shm/memo-"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious\n")
    #expect(try sandbox.permissions(of: file) == 0o600)
    #expect(try sandbox.permissions(of: (file as NSString).deletingLastPathComponent) == 0o700)
  }

  @Test func onAFullDiskWordsAreNotKept() throws {
    let sandbox = try Sandbox.quiet()
    let result = try inPrivateMounts(sandbox, fullDisk(sandbox, "memo some words"))
    #expect(result.status == 75)
    expectOneLine(result.errors, "No space left on device")
  }

  /// Every amount of room: either the note is there whole, or it was refused and nothing is.
  @Test func withLittleRoomANoteIsQueuedWholeOrRefused() throws {
    let sandbox = try Sandbox.quiet()
    let script = """
      for size in $(seq 16 8 96); do
        mkdir -p \(sandbox.data)
        mount -t tmpfs -o size=${size}k,mode=700 none \(sandbox.data) || exit 99
        head -c 30000 /etc/services | memo - 2>/dev/null; status=$?
        note=$(ls \(sandbox.data)/mail/outbox/new 2>/dev/null | wc -l)
        left=$(ls \(sandbox.data)/mail/outbox/tmp 2>/dev/null | wc -l)
        openssl cms -decrypt -in \(sandbox.data)/mail/outbox/new/* -inkey \(sandbox.key) \
          >/dev/null 2>&1; opened=$?
        echo "$status $note $left $opened"
        umount \(sandbox.data)
      done
      rm -rf /dev/shm/memo-*/note.txt
      """
    let result = try inPrivateMounts(
      sandbox, "mount -t tmpfs -o mode=1777 none /dev/shm; " + script)
    let rows = Set(lines(result.output))
    let refused = rows.filter { $0.hasPrefix("75 0 0 ") }
    #expect(rows.subtracting(refused) == ["0 1 0 0"], "\(rows)")
    #expect(!refused.isEmpty)
  }

  @Test func onAReadOnlyFileSystemItSaysSo() throws {
    let sandbox = try Sandbox.quiet()
    let result = try inPrivateMounts(
      sandbox, "mount --bind -o ro \(sandbox.home) \(sandbox.home) && memo x")
    #expect(result.status == 75)
    expectOneLine(result.errors, "Read-only file system")
    #expect(try sandbox.counts() == [0, 0, 0])
  }

  @Test func inAHomeThatCannotBeWrittenTheTextIsKeptElsewhere() throws {
    let stranger = try Stranger()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o500], ofItemAtPath: stranger.home)
    let result = try stranger.memo("-", stdin: Array("precious\n".utf8))
    #expect(result.status == 75)
    #expect(result.errors.contains("Permission denied"))
    if lines(result.errors).count == 2 {
      let file = try keptFile(result.errors)
      defer {
        try? FileManager.default.removeItem(atPath: (file as NSString).deletingLastPathComponent)
      }
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious\n")
    } else {
      // Refused before the input was read: it is still there for whoever gave it.
      expectOneLine(result.errors, "not saved")
    }
  }

  @Test func aHomeOfAnotherUserIsNotWrittenInto() throws {
    let stranger = try Stranger()
    try stranger.memo("theirs")
    let sandbox = try Sandbox.quiet()
    let result = try run(
      Programs.memo, ["mine"],
      environment: sandbox.environment.merging(["XDG_DATA_HOME": stranger.home + "/.local/share"]) {
        $1
      })
    #expect(result.status == 75)
    expectOneLine(result.errors, "belongs to another user")
    #expect(try stranger.waiting().count == 1)
  }

  @Test func withoutHOMEThePasswdFileTells() throws {
    let stranger = try Stranger()
    let passwd = stranger.root + "/passwd"
    let line = "them:x:\(Stranger.user):\(Stranger.user)::\(stranger.home):/bin/sh\n"
    try ("root:x:0:0::/root:/bin/sh\n" + line).write(
      toFile: passwd, atomically: true, encoding: .utf8)
    let words = (["setpriv"] + stranger.asStranger).joined(separator: " ")
    let sandbox = try Sandbox()
    let found = try inPrivateMounts(
      sandbox,
      "mount --bind \(passwd) /etc/passwd && env -i \(words) \(stranger.root)/bin/memo x")
    #expect(found.status == 0, "\(found.errors)")
    #expect(try stranger.waiting().count == 1)
  }

  @Test func withoutHOMEAndALineInThePasswdFileItSaysSo() throws {
    let stranger = try Stranger()
    let result = try stranger.run(stranger.root + "/bin/memo", ["x"], environment: [:])
    #expect(result.status == 75)
    expectOneLine(result.errors, "no home directory")
  }

  @Test(arguments: ["", "relative/home"])
  func aHOMEThatIsNoAbsolutePathCountsAsUnset(home: String) throws {
    let stranger = try Stranger()
    let result = try stranger.run(stranger.root + "/bin/memo", ["x"], environment: ["HOME": home])
    #expect(result.status == 75)
    expectOneLine(result.errors, "no home directory")
  }
}
