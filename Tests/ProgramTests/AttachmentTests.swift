import Foundation
import TestSupport
import Testing

/// Notes that carry files: `-a`.
@Suite struct AttachmentTests {
  @Test func filesAreCarriedOctetForOctet() throws {
    let sandbox = try Sandbox.quiet()
    var random = SeededGenerator(seed: 20)
    let names = [
      "plain.txt", "Übersicht März.pdf", "a \"quoted\"; name*.png", "no-extension", ".hidden",
    ]
    let contents = names.indices.map { random.bytes([0, 1, 4097, 100_000, 57][$0]) }
    var arguments: [String] = []
    for (name, content) in zip(names, contents) {
      try sandbox.write(content, to: sandbox.root + "/files/" + name)
      arguments += ["-a", sandbox.root + "/files/" + name]
    }
    let result = try run(
      Programs.memo, arguments + ["see", "these"], environment: sandbox.environment)
    #expect(result.status == 0)
    let note = try sandbox.theOneWaiting()
    #expect(note.note == "see these")
    #expect(note.names == names)
    #expect(names.indices.map { note.content(of: $0) } == contents)
    #expect(
      note.attachments.map { $0[1] }.prefix(3) == ["text/plain", "application/pdf", "image/png"])
    #expect(note.defects == [])
  }

  @Test func aloneAFileNamesTheSubject() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.write([1, 2, 3], to: sandbox.root + "/photo.jpg")
    let result = try sandbox.memo("-a", sandbox.root + "/photo.jpg")
    #expect(result.status == 0)
    let note = try sandbox.theOneWaiting()
    #expect(note.subject == "photo.jpg")
    #expect(note.names == ["photo.jpg"])
  }

  /// A path that cannot be attached is refused while standard input is still open.
  @Test(arguments: [
    ("missing", 66, "No such file or directory"), ("folder", 66, "not a regular file"),
    ("fifo", 66, "not a regular file"), ("link-to-nothing", 66, "No such file or directory"),
    ("/dev/zero", 66, "not a regular file"), ("large", 65, "max-size, 10"),
    ("sparse", 65, "max-size, 10"),
  ])
  func whatCannotBeAttachedIsRefusedFirst(name: String, status: Int, why: String) throws {
    let sandbox = try Sandbox.quiet("max-size = 10k\n")
    let folder = sandbox.root + "/files"
    try sandbox.write(Array(repeating: 65, count: 10241), to: folder + "/large")
    let made = try run(
      "/bin/sh",
      [
        "-c",
        "cd \(folder) && mkdir folder && mkfifo fifo && ln -s x link-to-nothing && truncate -s 4G sparse",
      ])
    #expect(made.status == 0)
    let path = name.hasPrefix("/") ? name : folder + "/" + name
    let program = try RunningProgram(Programs.memo, ["-a", path, "-"], in: sandbox)
    #expect(try program.finish() == .exited(Int32(status)))
    expectOneLine(program.errors, path)
    #expect(program.errors.contains(why), "\(program.errors)")
    #expect(try sandbox.counts() == [0, 0, 0])
  }

  @Test func filesTogetherMustNotBeLargerThanAllowed() throws {
    let sandbox = try Sandbox.quiet("max-size = 10k\n")
    let file = sandbox.root + "/six"
    try sandbox.write(Array(repeating: 65, count: 6000), to: file)
    #expect(try sandbox.memo("-a", file, "x").status == 0)
    #expect(try sandbox.memo("-a", file, "-a", file, "x").status == 65)
    let long = String(repeating: "a", count: 5000)
    #expect(try sandbox.memo("-a", file, "-", stdin: Array(long.utf8)).status == 65)
    #expect(try sandbox.counts() == [1, 0, 0])
  }

  @Test(.enabled(if: isRoot, "needs root to be another user"))
  func aFileThatMayNotBeReadIsNamed() throws {
    let stranger = try Stranger()
    let result = try stranger.memo("-a", "/etc/shadow", "x")
    #expect(result.status == 66)
    expectOneLine(result.errors, "cannot attach /etc/shadow: Permission denied")
  }
}
