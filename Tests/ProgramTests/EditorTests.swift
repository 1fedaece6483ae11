import Foundation
import TestSupport
import Testing

/// Notes written in an editor: `-e`.
@Suite struct EditorTests {
  /// A home with a runtime folder, as a login session has one.
  private func sandbox() throws -> (Sandbox, runtime: String, environment: [String: String]) {
    let sandbox = try Sandbox.quiet()
    let runtime = sandbox.root + "/run"
    try FileManager.default.createDirectory(
      atPath: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return (sandbox, runtime, ["XDG_RUNTIME_DIR": runtime])
  }

  /// The files an editor was given and left.
  private func files(below runtime: String, _ sandbox: Sandbox) throws -> [String] {
    try sandbox.everything(below: runtime).filter { !$0.hasSuffix("/memo") }
  }

  @Test func whatTheEditorWritesIsTheNote() throws {
    let (sandbox, runtime, environment) = try sandbox()
    let editor = try sandbox.script(
      "editor",
      """
      stat -c %a "$1" "$(dirname "$1")" >\(sandbox.root)/modes
      echo swap >"$1~"; printf 'first\\nsecond\\n' >"$1"
      """)
    let result = try sandbox.memo("-e", environment: environment.merging(["EDITOR": editor]) { $1 })
    #expect(result.status == 0)
    #expect(result.output + result.errors == "")
    #expect(try sandbox.theOneWaiting().text == "first\nsecond\n")
    #expect(try String(contentsOfFile: sandbox.root + "/modes", encoding: .utf8) == "600\n700\n")
    // Not only the file: the editor's own copies go too.
    #expect(try files(below: runtime, sandbox) == [])
    try sandbox.expectPrivate()
  }

  @Test func wordsAndInputAreThereToBeEdited() throws {
    let (sandbox, _, environment) = try sandbox()
    let editor = try sandbox.script("editor", "echo added >>\"$1\"")
    let result = try sandbox.memo(
      "-e", "words", "-", stdin: Array("input\n".utf8),
      environment: environment.merging(["EDITOR": editor]) { $1 })
    #expect(result.status == 0)
    #expect(try sandbox.theOneWaiting().note == "words\ninput\nadded")
  }

  @Test func theEditorMayHaveArgumentsAndBlanksInItsName() throws {
    let (sandbox, _, environment) = try sandbox()
    let editor = try sandbox.script("my editor", "echo \"$1 $2\" >\"$3\"")
    let variables = ["EDITOR": "'\(editor)' -f 'a b'", "VISUAL": ""]
    let result = try sandbox.memo("-e", environment: environment.merging(variables) { $1 })
    #expect(result.status == 0)
    #expect(try sandbox.theOneWaiting().note == "-f a b")
  }

  @Test func VISUALGoesBeforeEDITOR() throws {
    let (sandbox, _, environment) = try sandbox()
    let variables = ["VISUAL": "sh -c 'echo visual >$0'", "EDITOR": "false"]
    try sandbox.memo("-e", environment: environment.merging(variables) { $1 })
    #expect(try sandbox.theOneWaiting().note == "visual")
  }

  @Test(arguments: [("exit 3", "status 3"), ("kill -KILL $$", "status 137")])
  func aFailingEditorKeepsItsFile(end: String, told: String) throws {
    let (sandbox, runtime, environment) = try sandbox()
    let editor = try sandbox.script("editor", "echo precious >\"$1\"; \(end)")
    let result = try sandbox.memo("-e", environment: environment.merging(["EDITOR": editor]) { $1 })
    #expect(result.status == 75)
    let file = try #require(try files(below: runtime, sandbox).first { $0.hasSuffix(".txt") })
    // A shell may say on its own that its command was killed.
    #expect(lines(result.errors).last?.contains(told) == true, "\(result.errors)")
    #expect(result.errors.contains("your text is in \(file)"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious\n")
    #expect(try sandbox.permissions(of: file) == 0o600)
    #expect(try sandbox.counts() == [0, 0, 0])
  }

  @Test func anUntouchedEmptyPageIsNoNote() throws {
    let (sandbox, runtime, environment) = try sandbox()
    let result = try sandbox.memo("-e", environment: environment.merging(["EDITOR": "true"]) { $1 })
    #expect(result.status == 65)
    expectOneLine(result.errors, "the note is empty")
    #expect(try files(below: runtime, sandbox) == [])
    #expect(try sandbox.counts() == [0, 0, 0])
  }

  @Test func anEditorThatIsNotThereIsNamed() throws {
    let (sandbox, _, environment) = try sandbox()
    let variables = ["EDITOR": "/no/such/editor"]
    let result = try sandbox.memo("-e", "text", environment: environment.merging(variables) { $1 })
    #expect(result.status == 75)
    #expect(result.errors.contains("the editor ended with status 127"))
    #expect(try sandbox.counts() == [0, 0, 0])
  }

  @Test func tooMuchTextStaysInTheEditorsFile() throws {
    let (sandbox, runtime, environment) = try sandbox()
    try sandbox.configure(quietSettings + "max-size = 10k\n")
    let editor = try sandbox.script("editor", "head -c 20000 /dev/zero | tr '\\0' a >\"$1\"")
    let result = try sandbox.memo("-e", environment: environment.merging(["EDITOR": editor]) { $1 })
    #expect(result.status == 65)
    let file = try #require(try files(below: runtime, sandbox).first { $0.hasSuffix(".txt") })
    #expect(result.errors.contains(file))
    #expect(result.errors.contains("max-size, 10k"))
    #expect(try sandbox.counts() == [0, 0, 0])
  }

  @Test(.enabled(if: isRoot, "needs root for a full file system"))
  func aNoteThatCannotBeQueuedStaysInTheEditorsFile() throws {
    let (sandbox, runtime, environment) = try sandbox()
    let editor = try sandbox.script("editor", "echo precious >\"$1\"")
    let result = try run(
      "/usr/bin/unshare",
      ["--mount", "--propagation", "private", "/bin/sh", "-c", fullDisk(sandbox, "memo -e")],
      environment: sandbox.environment.merging(environment) { $1 }.merging(["EDITOR": editor]) {
        $1
      })
    #expect(result.status == 75)
    let file = try #require(try files(below: runtime, sandbox).first { $0.hasSuffix(".txt") })
    #expect(result.errors.contains("memo: hint: your text is in \(file)"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious\n")
  }

  @Test(.enabled(if: isRoot, "needs root for mounts"))
  func withoutMemoryBackedStorageItWarns() throws {
    let (sandbox, _, _) = try sandbox()
    let hidden = "mount -t tmpfs -o ro none /dev/shm && EDITOR='sh -c \"echo x >\\$0\"' memo -e"
    let result = try run(
      "/usr/bin/unshare", ["--mount", "--propagation", "private", "/bin/sh", "-c", hidden],
      environment: sandbox.environment)
    #expect(result.status == 0)
    expectOneLine(result.errors, "lies on a disk")
    #expect(try sandbox.theOneWaiting().note == "x")
    #expect(try sandbox.everything(below: sandbox.state).filter { $0.contains("note") } == [])
  }
}

/// A shell command with the folder of notes on a file system that is full.
func fullDisk(_ sandbox: Sandbox, _ command: String) -> String {
  """
  mkdir -p \(sandbox.data) && mount -t tmpfs -o size=64k,mode=700 none \(sandbox.data) &&
  HOME=\(sandbox.home) memo first >/dev/null 2>&1
  cat /dev/zero >\(sandbox.data)/filler 2>/dev/null
  \(command); status=$?
  find \(sandbox.data) -type f -path '*/mail/*/tmp/*' >&2
  exit $status
  """
}
