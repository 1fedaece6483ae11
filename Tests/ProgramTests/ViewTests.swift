import Foundation
import TestSupport
import Testing

/// The notes in a mail client: `memo view`.
@Suite struct ViewTests {
  static let word = "CANARY-vw27"
  private let sandbox: Sandbox
  private let runtime: String

  init() throws {
    sandbox = try Sandbox.quiet()
    runtime = sandbox.root + "/run"
    try FileManager.default.createDirectory(
      atPath: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  private var environment: [String: String] { ["XDG_RUNTIME_DIR": runtime] }

  /// Takes a note and puts its file where it would be after a server's answer.
  @discardableResult
  private func note(_ text: String, in folder: String = "outbox", flags: String = "") throws
    -> String
  {
    let id = try sandbox.memo("-v", text).output.split(separator: "\n").first.map(String.init)
    let file = try #require(try sandbox.files(in: .outbox).first { $0.identifier == id })
    guard folder != "outbox" else { return file.name }
    let to = sandbox.data + "/mail/\(folder)/cur"
    for part in ["tmp", "new", "cur"] {
      try FileManager.default.createDirectory(
        atPath: sandbox.data + "/mail/\(folder)/" + part, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    let name = file.name + ":2," + flags
    try FileManager.default.moveItem(atPath: file.path, toPath: to + "/" + name)
    return name
  }

  /// Runs `memo view` with a script for the client; `$1` is the folder of the notes.
  private func view(_ script: String, _ more: [String: String] = [:]) throws -> ProgramResult {
    try sandbox.memo(
      "view", "--", "sh", "-c", script, "sh", "{}", environment: environment.merging(more) { $1 })
  }

  /// Expects that nothing of a view is left where it may lie.
  private func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let left = try sandbox.everything(below: sandbox.root).filter { $0.contains("memo-view-") }
    #expect(left == [], sourceLocation: sourceLocation)
    for path in try sandbox.everything(below: sandbox.root) {
      let content = FileManager.default.contents(atPath: path) ?? Data()
      #expect(
        content.range(of: Data(Self.word.utf8)) == nil, "\(path)", sourceLocation: sourceLocation)
    }
  }
}

// MARK: - What the client gets

extension ViewTests {
  @Test func aClientGetsEachNoteInClearWithItsNameFlagsAndTime() throws {
    let waiting = try note("waits \(Self.word)")
    let sent = try note("sent \(Self.word)", in: "sent", flags: "S")
    let failed = try note("failed \(Self.word)", in: "failed", flags: "FRa")
    try sandbox.setModified("home/.local/share/memo/mail/sent/cur/" + sent, 1_700_000_000)
    let result = try view(
      "cd \"$1\" && find . -type f | sort && stat -c %Y sent/cur/* && cat cur/* new/*")
    #expect(result.status == 0)
    #expect(result.errors == "")
    let output = lines(result.output)
    let expected = [
      "./cur/\(sent)", "./cur/\(failed)", "./failed/cur/\(failed)", "./new/\(waiting)",
      "./outbox/new/\(waiting)", "./sent/cur/\(sent)",
    ]
    #expect(output.prefix(6).sorted() == expected.sorted())
    #expect(output.dropFirst(6).first == "1700000000")
    #expect(output.count { $0 == "From: Jane Doe <me@test.example>" } == 3)
    #expect(output.count { $0 == "To: me@test.example" } == 3)
    for text in ["waits", "sent", "failed"] {
      #expect(output.contains("Subject: \(text) \(Self.word)"))
      #expect(output.contains("\(text) \(Self.word)"))
    }
    try expectNothingLeft()
  }

  @Test func theFolderIsPrivateAndSoIsItsTMPDIR() throws {
    try note("text")
    let script = """
      find "$(dirname "$1")" -printf '%y%m\\n' | sort -u
      case $TMPDIR in "$(dirname "$1")"/*) echo inside; esac
      echo \(Self.word) >"$TMPDIR/part.txt"; stat -c %a "$TMPDIR/part.txt"
      """
    #expect(lines(try view(script).output) == ["d700", "f600", "inside", "600"])
    try expectNothingLeft()
  }

  @Test func thePlaceholderMayStandAnywhereInAnArgument() throws {
    try note("text")
    let result = try sandbox.memo(
      "view", "printf", "%s\n", "set a={}/sent b={}", "{", "}", "plain", environment: environment)
    let parts = lines(result.output)
    #expect(parts.count == 4)
    #expect(parts.dropFirst() == ["{", "}", "plain"])
    let paths = parts[0].split(separator: " ").dropFirst().map { $0.dropFirst(2) }
    #expect(paths.count == 2 && paths[0] == paths[1] + "/sent", "\(parts)")
  }

  @Test func onlyTheNewestAreOpenedIfSoAsked() throws {
    for number in 1...3 { try note("note \(number)") }
    let result = try sandbox.memo(
      "view", "-n", "2", "grep", "-rhc", "", "{}/outbox/new", environment: environment)
    #expect(lines(result.output).count == 2)
  }

  @Test func whatTheClientChangesIsThrownAway() throws {
    let name = try note("keep me", in: "sent", flags: "S")
    let result = try view(
      "cd \"$1\" && mv cur/* \"new/x:2,T\" && rm -r sent outbox && echo gone >>new/x*")
    #expect(result.status == 0)
    #expect(try sandbox.files(in: .sent).map(\.name) == [name])
    #expect(try sandbox.memo("show").output == "keep me\n")
  }

  @Test func whyANoteWaitsOrFailedStandsInItsHeader() throws {
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    for plan in ["dot=550", "dot=450"] {
      try sandbox.memo("text")
      try server.plan(plan)
      try sandbox.memo("flush")
    }
    let result = try view("cat \"$1\"/failed/*/*; echo; cat \"$1\"/outbox/*/*")
    #expect(result.output.contains("Memo-Status: rejected message 550"), "\(result.output)")
    #expect(result.output.contains("Memo-Status: deferred message 450"), "\(result.output)")
  }
}

// MARK: - What does not open

extension ViewTests {
  @Test func aNoteThatDoesNotOpenIsThereAsItIsStored() throws {
    let damaged = try note("damaged", in: "sent", flags: "S")
    let path = sandbox.data + "/mail/sent/cur/" + damaged
    var bytes = try StoredFile(path: path).bytes()
    bytes.removeLast(40)
    try sandbox.write(bytes, to: path)
    try note("whole")
    let result = try view("cat \"$1\"/sent/cur/*")
    #expect(result.stdout == bytes)
    expectOneLine(result.errors, "1 note does not open")

    try FileManager.default.removeItem(atPath: sandbox.key)
    let locked = try view("ls \"$1\"/new \"$1\"/cur | grep -c memo; cat \"$1\"/new/*")
    #expect(locked.output.contains("application/pkcs7-mime"))
    expectOneLine(locked.errors, "2 notes do not open")
  }

  // RELIABILITY row 16.
  @Test func strangeFilesAmongTheNotesDoNoHarm() throws {
    let name = try note("well", in: "sent", flags: "S")
    let folder = sandbox.data + "/mail/sent/cur"
    let script = """
      cd "$1" && mkfifo fifo && mkdir 'folder:2,S' && ln -s /etc/passwd link && : >empty
      ln -s \(folder) 'loop:2,S'; printf 'x' >"$(printf '\\377:2,S')"
      echo junk >"$(printf 'a\\nb\\033:2,S')"; echo "From: me@test.example" >-leading
      : >.dot; : >dovecot-uidlist; echo x >':2,S'; ln "\(name)" "$(printf '%0250d' 1)"
      mkfifo '01a22e63-f143-7d37-a01f-24a500163d2d.vm:2,S'
      """
    let made = try run("/bin/sh", ["-c", script, "sh", folder])
    try #require(made.status == 0, "\(made.errors)")
    let before = try FileManager.default.contentsOfDirectory(atPath: folder).count
    // A note under two names is one note.
    let result = try view("cat \"$1\"/sent/cur/*")
    #expect(result.status == 0)
    #expect(result.output.components(separatedBy: "Subject: well").count == 2)
    #expect(!result.output.contains("root:"))
    #expect(result.errors.contains("cannot be read: left out"), "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == before)
    try expectNothingLeft()
  }
}

// MARK: - How it ends

extension ViewTests {
  @Test(arguments: [("exit 0", Int32(0)), ("exit 7", 7), ("exit 255", 255), ("kill -SEGV $$", 139)])
  func theClientsExitStatusIsPassedOn(end: String, status: Int32) throws {
    try note("text \(Self.word)")
    let result = try view(end)
    #expect(result.status == status)
    #expect(result.errors == "")
    try expectNothingLeft()
  }

  @Test func aMissingClientIsToldBeforeAnythingIsOpened() throws {
    try note("text")
    for (client, words) in [("no-such-client", "in PATH"), ("./none", "no such program")] {
      let result = try sandbox.memo("view", client, "{}", environment: environment)
      #expect(result.status == 69)
      expectOneLine(result.errors, words)
      #expect(!FileManager.default.fileExists(atPath: runtime + "/memo"))
    }
  }

  @Test(
    .enabled(
      if: isRoot || !FileManager.default.fileExists(atPath: "/usr/sbin/dovecot"),
      "Dovecot is installed: Tests/clients/run tries it"))
  func withoutADovecotThatWouldServeNothingIsOpened() throws {
    try note("text")
    let result = try sandbox.memo("view", "--imap", environment: environment)
    #expect(result.status == 69)
    #expect(lines(result.errors).first?.contains("dovecot") == true)
    #expect(!FileManager.default.fileExists(atPath: runtime + "/memo"))
  }

  @Test(arguments: [["view"], ["view", "--"], ["view", "mutt"], ["view", "--imap", "x"]])
  func withoutAClientOrAFolderForItNothingIsDone(words: [String]) throws {
    try note("text")
    let result = try run(
      Programs.memo, words, environment: sandbox.environment.merging(environment) { $1 })
    #expect(result.status == 64)
    #expect(lines(result.errors).last?.hasSuffix("as they stand: memo -- view ...") == true)
    #expect(try sandbox.files(in: .outbox).count == 1)
    #expect(!FileManager.default.fileExists(atPath: runtime + "/memo"))
  }

  /// A view whose client waits, and says where.
  private func waitingView(_ script: String = "") throws -> RunningProgram {
    let program = try RunningProgram(
      Programs.memo, ["view", "sh", "-c", script + " echo ready \"$1\"; read line", "sh", "{}"],
      in: sandbox, environment: environment)
    try wait(for: "client") { program.output.contains("ready") }
    return program
  }

  @Test func aRequestToStopReachesTheClientAndAllIsRemoved() throws {
    try note("text \(Self.word)")
    for signal in [SIGTERM, SIGHUP] {
      let program = try waitingView("trap 'echo told; exit 9' TERM;")
      program.signal(signal)
      #expect(try program.finish() == .exited(9))
      #expect(program.output.contains("told"))
      try expectNothingLeft()
    }
  }

  @Test func aClientThatDoesNotStopIsKilled() throws {
    try note("text \(Self.word)")
    let program = try waitingView("trap '' TERM;")
    program.signal(SIGTERM)
    #expect(try program.finish() == .exited(128 + SIGKILL))
    try expectNothingLeft()
  }

  @Test func whatAKilledViewLeftIsRemovedByTheNextRun() throws {
    try note("text \(Self.word)")
    let living = try waitingView()
    let killed = try waitingView()
    let path = try #require(killed.output.split(separator: " ").last).dropLast()
    killed.signal(SIGKILL)
    _ = try killed.finish()
    #expect(FileManager.default.fileExists(atPath: String(path)))
    _ = try sandbox.memo("status", environment: environment)
    #expect(!FileManager.default.fileExists(atPath: String(path)))
    // The one that is still open is nobody else's to remove.
    let open = try #require(living.output.split(separator: " ").last).dropLast()
    #expect(FileManager.default.fileExists(atPath: String(open) + "/new"))
    living.write(Array("\n".utf8))
    #expect(try living.finish() == .exited(0))
    try expectNothingLeft()
  }

  @Test func interruptsAreTheClientsAffair() throws {
    try note("text \(Self.word)")
    let terminal = try TerminalSession(
      Programs.memo,
      [
        "view", "sh", "-c",
        "trap 'echo interrupted' INT; echo ready; until read line; do :; done; echo got $line",
        "sh", "{}",
      ], environment: sandbox.environment.merging(environment) { $1 })
    try terminal.wait(for: "ready")
    terminal.type("\u{3}")
    try terminal.wait(for: "interrupted")
    terminal.type("still there\n")
    try terminal.wait(for: "got still there")
    #expect(try terminal.finish() == .exited(0))
    try expectNothingLeft()
  }

  @Test func withoutAUsableRuntimeFolderItLiesInMemoryOrSaysThatItDoesNot() throws {
    try note("text \(Self.word)")
    try sandbox.write([], to: sandbox.root + "/file")
    for folder in ["", sandbox.root + "/file", "relative"] {
      let result = try sandbox.memo(
        "view", "printf", "%s\n", "{}", environment: ["XDG_RUNTIME_DIR": folder])
      #expect(result.status == 0)
      let path = try #require(lines(result.output).first)
      if path.hasPrefix("/dev/shm/memo-view-") {
        #expect(result.errors == "")
      } else {
        #expect(path.hasPrefix(sandbox.state))
        expectOneLine(result.errors, "on a disk")
      }
      #expect(!FileManager.default.fileExists(atPath: path))
    }
    try expectNothingLeft()
  }
}
