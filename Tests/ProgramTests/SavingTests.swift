import Foundation
import TestSupport
import Testing

/// `memo show --save`, whatever the files are called.
@Suite struct SavingTests {
  private let sandbox: Sandbox
  private let folder: String

  init() throws {
    sandbox = try Sandbox.quiet()
    folder = sandbox.root + "/in/saved"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// Puts a message of another program's making among the sent ones.
  private func put(_ names: [String]) throws {
    let parts = names.enumerated().map { number, name in
      "--x\nContent-Type: application/octet-stream\n"
        + "Content-Disposition: attachment; filename*=utf-8''\(name)\n\nfile \(number)\n"
    }
    let message =
      "Subject: files\nDate: Sat, 31 Dec 2011 12:00:00 +0000\nMIME-Version: 1.0\n"
      + "Content-Type: multipart/mixed; boundary=x\n\n" + parts.joined() + "--x--\n"
    try sandbox.write(
      Array(message.utf8),
      to: sandbox.path(of: .sent) + "/cur/01890a5d-ac96-774b-bcce-b302099a8057.vm:2,S")
  }

  @Test func filesComeBackOctetForOctetAndNothingIsReplaced() throws {
    var random = SeededGenerator(seed: 6)
    let octets = random.bytes(100_000)
    try sandbox.write(octets, to: sandbox.root + "/a.bin")
    try sandbox.memo("-a", sandbox.root + "/a.bin", "-a", sandbox.root + "/a.bin", "text")
    try sandbox.write([1], to: folder + "/a.bin")
    let result = try sandbox.memo("show", "@1", "--save", folder)
    #expect(result.status == 0 && result.errors == "")
    #expect(lines(result.output) == ["\(folder)/a (2).bin", "\(folder)/a (3).bin"])
    #expect(try sandbox.content("in/saved/a.bin") == [1])
    for name in ["a (2).bin", "a (3).bin"] {
      #expect(try sandbox.content("in/saved/" + name) == octets)
      #expect(try sandbox.mode("in/saved/" + name) == 0o600)
    }
    let shown = try sandbox.memo("show").output
    #expect(shown.contains("[attached: a.bin, "))
  }

  @Test func noNameLeadsOutOfTheFolder() throws {
    try sandbox.link("in/saved/link", to: sandbox.root + "/target")
    let names = [
      "..%2F..%2Fevil", "%2Fetc%2Fpasswd", "..", ".", "%00", "", ".bashrc", "a%0Ab", "link",
      "%1B%5D0;pwn%07.txt", "%E2%80%AEgpj.exe", "..%5C..%5Cevil", "-rf",
      String(repeating: "x", count: 400) + ".txt",
    ]
    try put(names)
    let outside = try sandbox.everything(below: sandbox.root + "/in").filter {
      !$0.hasPrefix(folder)
    }
    let session = try TerminalSession(
      Programs.memo, ["show", "--save", folder], environment: sandbox.environment)
    #expect(try session.finish() == .exited(0))
    #expect(!session.screen.contains { $0 < 0x20 && $0 != 0x0A && $0 != 0x0D })
    let saved = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(saved.count == names.count + 1, "\(saved)")
    #expect(saved.allSatisfy { !$0.hasPrefix(".") && !$0.hasPrefix("-") && $0.utf8.count <= 255 })
    #expect(saved.contains("link (2)"))
    #expect(!FileManager.default.fileExists(atPath: sandbox.root + "/target"))
    #expect(
      try sandbox.everything(below: sandbox.root + "/in").filter { !$0.hasPrefix(folder) }
        == outside)
  }

  @Test func whatCannotBeSavedIsTold() throws {
    try sandbox.memo("no file")
    let none = try sandbox.memo("show", "--save", folder)
    #expect(none.status == 1)
    expectOneLine(none.errors, "the note has no files")
    try sandbox.write([1], to: sandbox.root + "/a.bin")
    try sandbox.memo("-a", sandbox.root + "/a.bin")
    let missing = try sandbox.memo("show", "--save", folder + "/not there")
    #expect(missing.status == 74 && missing.output == "")
    expectOneLine(missing.errors, "cannot save in \(folder)/not there: No such file or directory")
    #expect(try sandbox.memo("show", "--save").status == 64)
    #expect(try sandbox.memo("show", "--save", "").status == 64)
  }
}
