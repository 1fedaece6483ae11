import Foundation
import TestSupport
import Testing

/// The key as a person handles it: `memo key`.
@Suite struct KeyTests {
  private static let word = "CANARY-pass-71q"

  /// Answers the questions of a command on a terminal, one after the other.
  private func answer(
    _ sandbox: Sandbox, _ arguments: [String], _ answers: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (end: Termination, text: String) {
    let session = try TerminalSession(
      Programs.memo, arguments, environment: sandbox.environment)
    for answer in answers {
      try session.wait(for: ": ", sourceLocation: sourceLocation)
      session.type(answer + "\n")
    }
    let end = try session.finish(sourceLocation: sourceLocation)
    return (end, session.text)
  }

  private func protect(_ sandbox: Sandbox, _ passphrase: String) throws {
    let (end, text) = try answer(sandbox, ["key", "passphrase"], passphrase, passphrase)
    try #require(end == .exited(0), "\(text)")
  }

  @Test func aPassphraseIsSetAskedForChangedAndRemoved() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("buy milk")
    try protect(sandbox, Self.word)
    let log = try answer(sandbox, ["log"], Self.word)
    #expect(log.end == .exited(0) && log.text.contains("buy milk"))
    #expect(try answer(sandbox, ["show"], Self.word).text.contains("buy milk"))
    let wrong = try answer(sandbox, ["log"], "wrong")
    #expect(wrong.end == .exited(77) && wrong.text.contains("the passphrase is wrong"))
    #expect(try answer(sandbox, ["key", "passphrase"], Self.word, "b", "b").end == .exited(0))
    let removed = try answer(sandbox, ["key", "passphrase", "--remove"], "b")
    #expect(removed.end == .exited(0))
    #expect(try sandbox.theOneWaiting().note == "buy milk")
    // Nothing that was typed was shown.
    #expect(!log.text.contains(Self.word) && !wrong.text.contains("wrong\r\n\r\n"))
    try sandbox.expectPrivate()
  }

  @Test func withoutATerminalTheLogSaysLockedAndShowFails() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("buy milk")
    try protect(sandbox, "one")
    let log = try withoutTerminal(sandbox, "memo log")
    #expect(log.status == 0 && log.output.contains("(locked)"))
    #expect(!log.output.contains("milk"))
    let show = try withoutTerminal(sandbox, "memo show")
    #expect(show.status == 77)
    expectOneLine(show.errors, "the key is locked")
    // Notes are taken all the same.
    #expect(try withoutTerminal(sandbox, "memo more").status == 0)
    let change = try withoutTerminal(sandbox, "memo key passphrase")
    #expect(change.status == 77)
    expectOneLine(change.errors, "there is none")
  }

  private func withoutTerminal(_ sandbox: Sandbox, _ command: String) throws -> ProgramResult {
    try run(
      "/usr/bin/setsid", ["-w", "/bin/sh", "-c", command], environment: sandbox.environment)
  }

  @Test func theCommandGivesThePassphrase() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("buy milk")
    try protect(sandbox, "one")
    try sandbox.configure(quietSettings + "[identity]\npassphrase-command = echo one; echo two\n")
    #expect(try sandbox.memo("show").output == "buy milk\n")
    #expect(try sandbox.memo("status").status == 0)
    for (command, why) in [
      ("echo two", "prints a wrong passphrase"), ("exit 3", "ended with status 3"),
      ("true", "printed nothing"),
    ] {
      try sandbox.configure(quietSettings + "[identity]\npassphrase-command = \(command)\n")
      let log = try sandbox.memo("log")
      #expect(log.status == 0 && log.output.contains("(locked)"))
      expectOneLine(log.errors, why)
      #expect(try sandbox.memo("show").status == 77)
      let flush = try sandbox.memo("flush")
      #expect(flush.status == 78 && flush.errors.contains(why), "\(flush.errors)")
      #expect(try sandbox.counts() == [1, 0, 0])
    }
  }

  @Test func aSenderWithoutACommandLeavesTheNotes() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("buy milk")
    try protect(sandbox, "one")
    let flush = try withoutTerminal(sandbox, "memo flush --now")
    #expect(flush.status == 78)
    expectOneLine(flush.errors, "the key has a passphrase, and nothing gives it")
    #expect(try sandbox.files(in: .outbox).first?.name.contains("D=") == false)
    // Asked for unattended sending, a person is needed.
    try sandbox.configure(quietSettings.replacing("after-capture = no", with: ""))
    let status = try sandbox.memo("status")
    #expect(status.status == 1)
    #expect(status.output.contains("there is no passphrase-command"))
  }

  @Test func unattendedSendingIsNotLockedOut() throws {
    let sandbox = try Sandbox()
    try sandbox.configure(quietSettings.replacing("after-capture = no", with: ""))
    try sandbox.memo("-n", "x")
    let result = try sandbox.memo("key", "passphrase")
    #expect(result.status == 78)
    #expect(lines(result.errors).count == 2)
    #expect(lines(result.errors).last?.contains("passphrase-command") == true)
  }

  @Test(arguments: [
    (["one", "two"], "are not the same", Int32(65)), ([""], "is empty", 65),
  ])
  func whatIsTypedWrongChangesNothing(
    answers: [String], why: String, status: Int32
  ) throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("x")
    let key = FileManager.default.contents(atPath: sandbox.key)
    let session = try TerminalSession(
      Programs.memo, ["key", "passphrase"], environment: sandbox.environment)
    for answer in answers {
      try session.wait(for: ": ")
      session.type(answer + "\n")
    }
    #expect(try session.finish() == .exited(status))
    #expect(session.text.contains(why))
    #expect(FileManager.default.contents(atPath: sandbox.key) == key)
  }

  /// Control-C ends it, and the terminal shows again what is typed.
  @Test func aSignalGivesTheTerminalBack() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("x")
    let session = try TerminalSession(
      "/bin/sh", ["-c", "trap : INT; memo key passphrase; stty -a; echo end $?"],
      environment: sandbox.environment)
    try session.wait(for: ": ")
    session.type("\u{3}")
    try session.wait(for: " echo ")
    #expect(try session.finish() == .exited(0))
  }

  /// No argument, no environment and no file but the encrypted key gets the passphrase.
  @Test func thePassphraseIsFoundNowhere() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("buy milk")
    let trace = sandbox.root + "/trace"
    let session = try TerminalSession(
      "/usr/bin/strace",
      [
        "-f", "-v", "-qq", "-s", "10000", "-o", trace, "-e", "trace=execve,write,openat,sendto",
        Programs.memo, "key", "passphrase",
      ], environment: sandbox.environment)
    for _ in 0..<2 {
      try session.wait(for: ": ")
      session.type(Self.word + "\n")
    }
    #expect(try session.finish() == .exited(0))
    for path in try sandbox.everything(below: sandbox.root) {
      let content = FileManager.default.contents(atPath: path) ?? Data()
      #expect(content.range(of: Data(Self.word.utf8)) == nil, "\(path)")
    }
    #expect(!session.text.contains(Self.word))
    #expect(!(FileManager.default.contents(atPath: trace) ?? Data()).isEmpty)
  }

  @Test func theKeyIsShown() throws {
    let sandbox = try Sandbox.quiet()
    #expect(try sandbox.memo("key").errors.contains("there is no key yet"))
    try sandbox.memo("x")
    let shown = try sandbox.memo("key", "show")
    #expect(shown.status == 0)
    let judge = try run(
      "/usr/bin/openssl",
      [
        "x509", "-in", sandbox.data + "/identity/certificate.pem", "-noout", "-fingerprint",
        "-sha256",
      ], environment: sandbox.environment)
    let fingerprint = judge.output.split(separator: "=").last?.trimmingCharacters(in: .newlines)
    #expect(shown.output.contains("SHA-256 \(fingerprint ?? "-")\n"))
    #expect(shown.output.contains(sandbox.data + "/identity\n"))
    #expect(shown.output.contains("passphrase   no\n"))
    // gpg was not asked where it never was: it would make its folder.
    #expect(!FileManager.default.fileExists(atPath: sandbox.home + "/.gnupg"))
  }

  /// What gpg lists as usable is offered as it must stand in the settings.
  @Test func openPGPKeysAreOffered() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("x")
    try FileManager.default.createDirectory(
      atPath: sandbox.home + "/.gnupg", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    let fingerprint = String(repeating: "A1", count: 20)
    let list = """
      sec:u:255:22:1111111111111111:1:::u:::scESC:::+::ed25519:::0:
      fpr:::::::::\(fingerprint):
      uid:u::::1::X::Jane\\x3a Doe \u{1B}[2J<me@example.org>::::::::::0:
      ssb:u:255:18:2222222222222222:1::::::e:::+::cv25519::
      fpr:::::::::\(String(repeating: "B2", count: 20)):
      sec:e:255:22:3333333333333333:1:::u:::scESC:::+::ed25519:::0:
      fpr:::::::::\(String(repeating: "C3", count: 20)):
      uid:e::::1::X::Expired::::::::::0:
      sec:u:255:22:4444444444444444:1:::u:::scSC:::+::ed25519:::0:
      fpr:::::::::\(String(repeating: "D4", count: 20)):
      uid:u::::1::X::Signs only::::::::::0:
      """
    let path = try sandbox.script("bin-gpg", "cat <<'E'\n\(list)\nE")
    try FileManager.default.createDirectory(
      atPath: sandbox.root + "/bin", withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: path, toPath: sandbox.root + "/bin/gpg")
    let shown = try sandbox.memo(
      "key", environment: ["PATH": sandbox.root + "/bin:/usr/bin:/bin"])
    #expect(shown.output.contains("\nkey = \(fingerprint)\n"))
    #expect(shown.output.contains("Jane: Doe "))
    #expect(shown.output.components(separatedBy: "key = ").count == 2)
    #expect(!shown.output.contains("\u{1B}"))
    let none = try sandbox.memo("key", environment: ["PATH": sandbox.root])
    #expect(none.output.hasSuffix("no gpg in PATH\n"))
  }

  @Test func whatIsExportedOpensTheNotes() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("buy milk")
    let file = try #require(try sandbox.files(in: .outbox).first)
    let pem = sandbox.root + "/copy.pem"
    #expect(try sandbox.memo("key", "export", "--pem", pem).status == 0)
    #expect(try sandbox.permissions(of: pem) == 0o600)
    let again = try sandbox.memo("key", "export", "--pem", pem)
    #expect(again.status == 73)
    expectOneLine(again.errors, "there is a file already")
    #expect(
      try sandbox.memo("key", "export").stdout
        == Array(try Data(contentsOf: URL(fileURLWithPath: pem))))
    let certificate = try sandbox.memo("key", "export", "--certificate").output
    #expect(certificate.hasPrefix("-----BEGIN CERTIFICATE-----\n") && !certificate.contains("KEY"))
    let opened = try run(
      "/usr/bin/openssl", ["cms", "-decrypt", "-in", file.path, "-inkey", pem],
      environment: sandbox.environment)
    #expect(opened.output.contains("buy milk"))
  }

  @Test(arguments: [[], ["--old"]])
  func pkcs12IsWrittenOnceAndRead(more: [String]) throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("x")
    let path = sandbox.root + "/identity.p12"
    let export = ["key", "export", "--pkcs12", path, "--passphrase-file", "-"] + more
    let result = try run(
      Programs.memo, export, stdin: Array("\(Self.word)\n".utf8), environment: sandbox.environment)
    #expect(result.status == 0, "\(result.errors)")
    let read = try run(
      "/usr/bin/openssl",
      ["pkcs12", "-in", path, "-passin", "stdin", "-nodes", "-nocerts"],
      stdin: Array("\(Self.word)\n".utf8), environment: sandbox.environment)
    #expect(read.status == 0 && read.output.contains("BEGIN PRIVATE KEY"))
    #expect(
      try run(
        Programs.memo, export, stdin: Array("x\n".utf8), environment: sandbox.environment
      ).status == 73)
    let open = sandbox.root + "/open"
    try sandbox.write(Array("x\n".utf8), to: open)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
    let refused = try sandbox.memo(
      "key", "export", "--pkcs12", path + "2", "--passphrase-file", open)
    #expect(refused.status == 78)
    expectOneLine(refused.errors, "chmod go=")
  }

  /// A machine with the certificate alone captures, and only the one with the key reads.
  @Test func theCertificateAloneMakesADropBox() throws {
    let home = try Sandbox.quiet()
    try home.memo("x")
    let server = try Sandbox.quiet("[identity]\nkey = elsewhere\n")
    #expect(try server.memo("early").status == 78)
    try server.write(
      try home.memo("key", "export", "--certificate").stdout,
      to: server.data + "/identity/certificate.pem")
    #expect(try server.memo("from the server").status == 0)
    #expect(try server.memo("log").output.contains("(sealed for a key that is not here)"))
    #expect(try server.memo("show").status == 66)
    #expect(try server.memo("key").output.contains("the key is elsewhere"))
    let file = try #require(try server.files(in: .outbox).first)
    #expect(try home.memo("key", "recover", file.path).output.contains("from the server"))
  }

  @Test func anOldKeyIsNeededUntilAllIsRewrapped() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("first")
    try sandbox.memo("second")
    // It makes all three folders.
    try sandbox.memo("log")
    let file = try #require(try sandbox.files(in: .outbox).first)
    try FileManager.default.moveItem(
      atPath: file.path,
      toPath: sandbox.path(of: .sent) + "/cur/\(file.name),X=1,S=200,W=210:2,RS")
    let moved = try #require(try sandbox.files(in: .sent).first)
    try sandbox.age(moved, by: 100_000)
    let before = try sandbox.opened(moved)
    let modified = try Self.modified(moved)
    #expect(try sandbox.memo("key", "rotate").status == 0)
    try sandbox.memo("third")
    #expect(lines(try sandbox.memo("log").output).count == 3)
    #expect(!(try sandbox.memo("log").output.contains("(")))
    let rewrapped = try sandbox.memo("key", "rewrap")
    #expect(rewrapped.status == 0)
    expectOneLine(rewrapped.errors, "2 files sealed to the present key, 1 were already")
    let now = try #require(try sandbox.files(in: .sent).first)
    #expect(now.name == "\(file.name),X=1:2,RS")
    #expect(try sandbox.opened(now) == before)
    #expect(try Self.modified(now) == modified)
    expectOneLine(try sandbox.memo("key", "rewrap").errors, "0 files sealed")
    let soon = try sandbox.memo("key", "rewrap", "--remove-old")
    #expect(soon.status == 75 && soon.errors.contains("old keys stay until"))
    try sandbox.age(StoredFile(path: sandbox.data + "/identity/certificate.pem"), by: 90_000)
    #expect(try sandbox.memo("key", "rewrap", "--remove-old").errors.contains("removed"))
    #expect(try sandbox.waiting().map(\.note) == ["second", "third"])
    try sandbox.expectPrivate()
  }

  /// In whole seconds, which is what the store keeps.
  private static func modified(_ file: StoredFile) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes[.modificationDate] as? Date).map { Int($0.timeIntervalSince1970) }
  }

  @Test(arguments: [
    ["key", "shown"], ["key", "recover"], ["key", "rotate", "now"], ["key", "export", "--pem"],
    ["key", "export", "--old"], ["key", "export", "--pkcs12", "f", "--certificate"],
    ["key", "passphrase", "word"], ["key", "recover", "--passphrase-file", "f", "g"],
  ])
  func whatIsNotUnderstoodDoesNothing(arguments: [String]) throws {
    let sandbox = try Sandbox.quiet()
    let result = try run(Programs.memo, arguments, environment: sandbox.environment)
    #expect(result.status == 64)
    #expect(try sandbox.everything(below: sandbox.data) == [])
  }
}
