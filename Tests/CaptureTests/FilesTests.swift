import Foundation
import MessageFormat
import Posix
import TestSupport
import Testing

@testable import Capture

@Suite struct AttachedFileTests {
  @Test func aFileIsReadWithItsNameAlone() throws {
    let sandbox = try Sandbox()
    var random = SeededGenerator(seed: 1)
    let bytes = random.bytes(100_000)
    try sandbox.write(bytes, to: sandbox.root + "/deep/photo é.png")
    let attachment = try AttachedFile.read(sandbox.root + "/deep//photo é.png", limit: 100_000)
    #expect(attachment.name == "photo é.png")
    #expect(attachment.contentType == "image/png")
    #expect(attachment.content == bytes)
    // The person's own link is followed.
    try sandbox.link("link.png", to: sandbox.root + "/deep/photo é.png")
    #expect(try AttachedFile.read(sandbox.root + "/link.png", limit: 100_000).name == "link.png")
  }

  @Test(.timeLimit(.minutes(1))) func whatIsNoFileIsRefusedAndNotWaitedFor() throws {
    let sandbox = try Sandbox()
    let fifo = sandbox.root + "/fifo"
    #expect(unsafe mkfifo(fifo, 0o600) == 0)
    for path in [fifo, sandbox.root, "/dev/zero", "/"] {
      #expect(throws: AttachedFile.Failure.notAFile(path: path)) {
        _ = try AttachedFile.read(path, limit: 100)
      }
    }
  }

  @Test func whatIsNotThereOrTooLargeIsTold() throws {
    let sandbox = try Sandbox()
    let missing = sandbox.root + "/missing"
    for path in [missing, ""] {
      #expect(throws: AttachedFile.Failure.unreadable(path: path, .noSuchFile)) {
        _ = try AttachedFile.read(path, limit: 100)
      }
    }
    let file = sandbox.root + "/file"
    try sandbox.write(octets("12345"), to: file)
    #expect(try AttachedFile.read(file, limit: 5).content.count == 5)
    #expect(throws: AttachedFile.Failure.tooLarge(path: file, limit: 4)) {
      _ = try AttachedFile.read(file, limit: 4)
    }
    // Not a size that the file system tells.
    #expect(throws: AttachedFile.Failure.tooLarge(path: "/proc/self/maps", limit: 10)) {
      _ = try AttachedFile.read("/proc/self/maps", limit: 10)
    }
  }
}

@Suite struct EditorSessionTests {
  let sandbox: Sandbox
  let folder: PrivateFolder

  init() throws {
    sandbox = try Sandbox()
    folder = try PrivateFolder.make(
      runtimeFolder: sandbox.root + "/run", stateFolder: sandbox.root, random: .system)
  }

  /// Edits a text with a script as the editor; `$1` is the file.
  private func edit(
    _ text: String, _ script: String, variable: String = "EDITOR", limit: Int = 1000
  ) throws(EditorSession.Failure) -> [UInt8] {
    let session = try EditorSession(text: octets(text), in: folder)
    do {
      try sandbox.write(octets(script + "\n"), to: sandbox.root + "/my editor")
    } catch {
      Issue.record(error)
    }
    let environment = ProcessEnvironment([
      "PATH": "/usr/bin:/bin", variable: "sh '\(sandbox.root)/my editor' -x",
    ])
    return try session.run(environment: environment, limit: limit)
  }

  private var file: String { folder.path + "/note.txt" }

  @Test func theTextIsWhatTheEditorLeaves() throws {
    #expect(try edit("old\n", "printf 'new\\n' >> \"$2\"") == octets("old\nnew\n"))
  }

  @Test func anUnchangedTextComesBack() throws {
    #expect(try edit("same", "exit 0") == octets("same"))
  }

  @Test func anEditorMayReplaceTheFile() throws {
    #expect(
      try edit("old", "printf new > \"$2~\"; mv \"$2~\" \"$2\"", variable: "VISUAL")
        == octets("new"))
  }

  @Test func visualComesBeforeEditor() throws {
    let session = try EditorSession(text: [], in: folder)
    let environment = ProcessEnvironment([
      "PATH": "/usr/bin:/bin", "VISUAL": "printf visual >", "EDITOR": "printf editor >",
    ])
    #expect(try session.run(environment: environment, limit: 100) == octets("visual"))
  }

  @Test(
    arguments: [
      ("printf draft > \"$2\"; exit 3", .exited(3)),
      ("printf draft > \"$2\"; kill -TERM $$", .signalled(15)),
    ] as [(String, ChildProcess.End)])
  func aFailedEditorsTextIsKept(script: String, end: ChildProcess.End) throws {
    // A shell that waits for its last command tells of a signal as 128 and its number.
    var thrown: EditorSession.Failure?
    do throws(EditorSession.Failure) { _ = try edit("old", script) } catch { thrown = error }
    let ends: [ChildProcess.End] = end == .signalled(15) ? [end, .exited(143)] : [end]
    #expect(ends.map { EditorSession.Failure.failed($0, file: file) }.contains(thrown))
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(octets("draft")))
  }

  @Test func aTextTooLargeOrGoneIsToldWithItsFile() throws {
    #expect(throws: EditorSession.Failure.tooLarge(limit: 3, file: file)) {
      _ = try edit("1234", "true", limit: 3)
    }
    try sandbox.remove("run/" + (folder.path.split(separator: "/").last ?? "") + "/note.txt")
    #expect(throws: EditorSession.Failure.unreadable(.noSuchFile, file: file)) {
      _ = try edit("1234", "rm \"$2\"")
    }
  }

  @Test func anEditorThatIsNotThereFails() throws {
    let session = try EditorSession(text: octets("x"), in: folder)
    let environment = ProcessEnvironment([
      "PATH": "/usr/bin:/bin", "EDITOR": "exec 2>/dev/null; no-such-editor",
    ])
    #expect(throws: EditorSession.Failure.failed(.exited(127), file: file)) {
      _ = try session.run(environment: environment, limit: 10)
    }
  }

  @Test func aFolderThatIsGoneIsTold() throws {
    try folder.remove()
    #expect(throws: EditorSession.Failure.folder(.noSuchFile)) {
      _ = try EditorSession(text: [], in: folder)
    }
  }
}
