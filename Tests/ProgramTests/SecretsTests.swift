import Foundation
import TestSupport
import Testing

/// A canary word in the note and in the password is found nowhere but where it belongs.
@Suite struct SecretsTests {
  static let word = "CANARY-qzx81"
  static let password = "s3cret-pass"

  /// Whether octets hold a word, as it is or in base64.
  private func holds(_ bytes: [UInt8], _ word: String) -> Bool {
    // In base64 a word looks otherwise at each of three offsets; its whole groups do not.
    let cores = (0..<3).map { skipped in
      let octets = Array(word.utf8).dropFirst(skipped)
      return Data(Data(octets.prefix(octets.count / 3 * 3)).base64EncodedString().utf8)
    }
    return ([Data(word.utf8)] + cores).contains { Data(bytes).range(of: $0) != nil }
  }

  /// Expects that octets hold none of the canaries.
  private func expectClean(
    _ bytes: [UInt8], _ canaries: [String], _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for canary in canaries {
      #expect(!holds(bytes, canary), "\(canary) in \(what)", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: 0..<6) func theSearchFindsAWordInBase64(offset: Int) {
    let text = String(repeating: "x", count: offset) + Self.word + " and more"
    #expect(holds(Array(text.utf8), Self.word))
    #expect(holds(Array(Data(text.utf8).base64EncodedString().utf8), Self.word))
    #expect(!holds(Array(Data("canary".utf8).base64EncodedString().utf8), Self.word))
  }

  /// Expects that no file of a home holds a canary, but those that a test put there.
  private func expectCleanFiles(
    _ sandbox: Sandbox, _ canaries: [String], except: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for path in try sandbox.everything(below: sandbox.root)
    where !except.contains(where: { path.hasPrefix(sandbox.root + "/" + $0) }) {
      guard let content = FileManager.default.contents(atPath: path) else { continue }
      expectClean(Array(content), canaries, path, sourceLocation: sourceLocation)
      expectClean(Array(path.utf8), canaries, "a file's name", sourceLocation: sourceLocation)
    }
  }

  /// Runs a command under strace(1) and gives the calls by which something could leave.
  private func traced(
    _ sandbox: Sandbox, _ command: String, stdin: [UInt8] = []
  ) throws -> (result: ProgramResult, calls: [String]) {
    let trace = sandbox.root + "/trace"
    let calls =
      "execve,write,writev,pwrite64,sendto,sendmsg,symlink,symlinkat,link,linkat,mkdirat,openat"
    let result = try run(
      "/usr/bin/strace",
      [
        "-f", "-y", "-qq", "-v", "-s", "100000", "-o", trace, "-e", "trace=" + calls, "/bin/sh",
        "-c", command,
      ],
      stdin: stdin, environment: sandbox.environment)
    let text = try String(contentsOfFile: trace, encoding: .utf8)
    try FileManager.default.removeItem(atPath: trace)
    return (result, lines(text))
  }
}

// MARK: - Capture

extension SecretsTests {
  @Test func aCaptureWritesItNowhere() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(
      server.configuration().replacing("after-capture = no", with: "after-capture = yes"))
    defer { sandbox.endSenders() }
    let file = sandbox.root + "/given/\(Self.word).txt"
    try sandbox.write(Array(Self.word.utf8), to: file)
    let (result, calls) = try traced(
      sandbox, "cat | exec memo -v -s 'subject \(Self.word)' -a '\(file)' -",
      stdin: Array("text \(Self.word)\n".utf8))
    #expect(result.status == 0)
    expectClean(result.stdout + result.stderr, [Self.word, Self.password], "what it printed")
    // The shell was given the word, and gave it to memo; cat copied it; memo looked for its file,
    // whose name also stands in the second half of a call that another one interrupts.
    let ours = calls.filter { call in
      !call.contains(" openat resumed>") && !call.contains("execve(\"/bin/sh\"")
        && !call.contains("/memo\", [\"memo\"")
        && !call.contains("write(1<pipe:") && !call.contains("openat(AT_FDCWD<")
    }
    #expect(!ours.isEmpty)
    expectClean(Array(ours.joined(separator: "\n").utf8), [Self.word], "a call of memo")
    try wait(for: "the note in sent/") { try sandbox.counts() == [0, 1, 0] }
    try expectCleanFiles(
      sandbox, [Self.word, Self.password], except: ["given", "faulty", "home/.config/memo/config"])
    #expect(
      String(decoding: try #require(try server.accepted().first).bytes, as: UTF8.self).contains(
        Self.word))
    try sandbox.expectPrivate()
  }

  @Test func anEditorGetsThePathAndNothingMore() throws {
    let sandbox = try Sandbox.quiet()
    let editor = try sandbox.script("editor", "printf '\(Self.word) typed' >>\"$1\"")
    let (result, calls) = try traced(
      sandbox, "EDITOR='\(editor)' exec memo -v -e -", stdin: Array("\(Self.word) given".utf8))
    #expect(result.status == 0)
    expectClean(result.stdout + result.stderr, [Self.word], "what it printed")
    let started = calls.filter { $0.contains("execve(") && $0.contains("note.txt") }
    #expect(!started.isEmpty)
    expectClean(Array(started.joined(separator: "\n").utf8), [Self.word], "an argument")
    // In clear it is written into the editor's file alone, in memory.
    let clear = calls.filter { $0.contains(Self.word) && $0.contains("write(") }
    #expect(clear.allSatisfy { $0.contains("</dev/shm/memo-") }, "\(clear)")
    let folders = Set(clear.compactMap { $0.firstMatch(of: /\/dev\/shm\/memo-[a-z2-7]+/)?.output })
    #expect(folders.count == 1)
    for folder in folders { #expect(!FileManager.default.fileExists(atPath: String(folder))) }
    try expectCleanFiles(sandbox, [Self.word], except: ["editor"])
    #expect(try sandbox.theOneWaiting().note == "\(Self.word) given\(Self.word) typed")
  }
}

// MARK: - Delivery

extension SecretsTests {
  @Test(
    "no fault of the server brings it out",
    arguments: [
      "", "auth=535", "tls=cert:expired", "connect=drop", "mail=450", "dot=drop", "dot=550",
      "body=drop:10", "rcpt=550", "dot=half", "ehlo2=strip:AUTH",
    ])
  func aFlushWritesItNowhere(plan: String) throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.write(Array(Self.password.utf8), to: sandbox.root + "/password")
    try sandbox.configure(
      server.configuration().replacing(
        "echo \(Self.password)", with: "cat '\(sandbox.root)/password'"))
    try sandbox.memo("-s", "subject \(Self.word)", "-", stdin: Array("text \(Self.word)".utf8))
    try server.plan(plan)
    let (result, calls) = try traced(sandbox, "memo flush -v; memo status; memo status --json")
    expectClean(result.stdout + result.stderr, [Self.word, Self.password], "what it printed")
    // The password-command itself writes the password, into memo-send's pipe.
    let ours = calls.filter { !$0.contains("write(1<pipe:") }
    #expect(ours.contains { $0.contains("execve(") && $0.contains("memo-send") })
    expectClean(
      Array(ours.joined(separator: "\n").utf8), [Self.word, Self.password], "a call of memo-send")
    try expectCleanFiles(
      sandbox, [Self.word, Self.password], except: ["password", "faulty/accepted", "faulty/log"])
  }

  @Test func aWrongPasswordIsNotRepeatedInWords() throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(
      server.configuration().replacing("echo \(Self.password)", with: "echo \(Self.word)"))
    try sandbox.memo("buy milk")
    let result = try run(
      "/bin/sh", ["-c", "memo flush -v; memo status; memo log; memo show"],
      environment: sandbox.environment)
    #expect(result.errors.contains("535"))
    expectClean(result.stdout + result.stderr, [Self.word], "what it printed")
    try expectCleanFiles(sandbox, [Self.word], except: ["faulty/log", "home/.config/memo/config"])
  }
}

// MARK: - With gpg

extension SecretsTests {
  /// RELIABILITY row 19: neither gpg, its agent nor what is kept for it gets more than it needs.
  @Test(arguments: ["", "sign = yes\n"]) func gpgGetsItByItsPipesAlone(settings: String) throws {
    let sandbox = try Sandbox()
    let server = try FaultyServer(in: sandbox)
    let keyring = try Keyring(in: sandbox)
    try sandbox.write(Array(Self.password.utf8), to: sandbox.root + "/password")
    let account = server.configuration().replacing(
      "echo \(Self.password)", with: "cat '\(sandbox.root)/password'")
    try sandbox.configure(account + "[gpg]\nkey = \(try keyring.makeKey())\n" + settings)
    try sandbox.memo("-s", "subject \(Self.word)", "-", stdin: Array("text \(Self.word)".utf8))
    let cache = sandbox.home + "/.cache/memo"
    let (result, calls) = try traced(
      sandbox,
      "export GNUPGHOME='\(keyring.home)'; memo flush -v; rm -r '\(cache)'; memo show >/dev/null")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try sandbox.counts() == [0, 1, 0])
    expectClean(result.stdout + result.stderr, [Self.word, Self.password], "what it printed")
    #expect(calls.contains { $0.contains("execve(") && $0.contains("/gpg\"") })
    let ours = calls.filter {
      $0.firstMatch(of: /(write|writev|sendto|sendmsg)\(\d+<(pipe:|\/dev\/null)/) == nil
    }
    expectClean(
      Array(ours.joined(separator: "\n").utf8), [Self.word, Self.password], "a call of gpg's")
    try expectCleanFiles(
      sandbox, [Self.word, Self.password], except: ["password", "faulty/log"])
  }
}

// MARK: - The process itself

extension SecretsTests {
  @Test func theArgumentsAreWipedWhileItWaits() throws {
    let sandbox = try Sandbox.quiet()
    let program = try RunningProgram(
      Programs.memo, ["-s", Self.word, Self.word, "-"], in: sandbox)
    let path = "/proc/\(program.processIdentifier)/cmdline"
    try wait(for: "wiped arguments") {
      let arguments = FileManager.default.contents(atPath: path) ?? Data()
      return !arguments.isEmpty && arguments.range(of: Data(Self.word.utf8)) == nil
    }
    let arguments = Array(try #require(FileManager.default.contents(atPath: path)))
    #expect(arguments.drop { $0 != 0 }.allSatisfy { $0 == 0 })
    #expect(String(decoding: arguments.prefix { $0 != 0 }, as: UTF8.self) == Programs.memo)
    program.closeInput()
    #expect(try program.finish() == .exited(0))
    #expect(try sandbox.theOneWaiting().subject == Self.word)
  }

  @Test(arguments: [SIGSEGV, SIGABRT, SIGQUIT, SIGBUS, SIGILL, SIGFPE, SIGTRAP])
  func aCrashPrintsNothingAndLeavesNoCore(number: Int32) throws {
    let sandbox = try Sandbox.quiet()
    let program = try RunningProgram(
      "/bin/sh", ["-c", "ulimit -c unlimited; cd \"$HOME\"; exec memo \(Self.word) -"], in: sandbox)
    program.write(Array("text \(Self.word)".utf8))
    try waitUntilItReads(program)
    program.signal(number)
    // A core would be told by a flag of the status, which `signalled` masks; its file is looked for.
    #expect(try program.finish() == .signalled(number))
    #expect(program.output + program.errors == "")
    #expect(try sandbox.everything(below: sandbox.home).allSatisfy { !$0.contains("core") })
    try expectCleanFiles(sandbox, [Self.word])
    #expect(try sandbox.counts() == [0, 0, 0])
  }

  /// Waits until memo, and no more the shell, waits for its standard input.
  private func waitUntilItReads(_ program: RunningProgram) throws {
    let folder = "/proc/\(program.processIdentifier)"
    try wait(for: "memo at its input") {
      let name = FileManager.default.contents(atPath: folder + "/comm") ?? Data()
      let call = FileManager.default.contents(atPath: folder + "/syscall") ?? Data()
      return name == Data("memo\n".utf8)
        && String(decoding: call, as: UTF8.self).hasPrefix("0 0x0 ")
    }
  }

  /// What another process of the same user can do to it: nothing.
  @Test(.enabled(if: isRoot, "needs root to be another user"))
  func anotherProcessOfTheUserMayNotLookInside() throws {
    let stranger = try Stranger()
    let script = """
      import ctypes, os, signal, subprocess, sys, time
      libc = ctypes.CDLL(None, use_errno=True)

      def tries(pid):
          done = []
          for name in ("environ", "mem", "maps", "fd"):
              try:
                  path = "/proc/%d/%s" % (pid, name)
                  os.listdir(path) if name == "fd" else open(path, "rb").read(1)
                  done.append(name)
              except PermissionError:
                  pass
              except OSError:
                  done.append(name)
          if libc.ptrace(16, pid, None, None) == 0:
              os.waitpid(pid, 0)
              libc.ptrace(17, pid, None, None)
              done.append("ptrace")
          return done

      def started(*arguments):
          child = subprocess.Popen(arguments, stdin=subprocess.PIPE)
          deadline = time.monotonic() + 20
          while time.monotonic() < deadline:
              name = open("/proc/%d/comm" % child.pid).read().strip()
              state = open("/proc/%d/stat" % child.pid).read().rsplit(")", 1)[1].split()[0]
              if name == os.path.basename(arguments[0]) and state == "S":
                  time.sleep(0.05)
                  return child
              time.sleep(0.005)
          sys.exit("did not start")

      for arguments in (["cat"], [sys.argv[1], "-"]):
          child = started(*arguments)
          print(os.path.basename(arguments[0]), *tries(child.pid))
          child.stdin.close()
          child.wait()
      """
    let result = try stranger.run("/usr/bin/python3", ["-c", script, stranger.root + "/bin/memo"])
    let rows = lines(result.output)
    try #require(rows.count == 2, "\(result.errors)")
    #expect(rows[0].hasPrefix("cat environ mem maps fd"))
    #expect(rows[1] == "memo")
  }
}
