import Foundation
import TestSupport
import Testing

@testable import Posix

// RELIABILITY rows 16 and 18.
@Suite final class DirectoryTests {
  let sandbox: Sandbox
  let directory: Directory

  init() throws {
    sandbox = try Sandbox()
    directory = try sandbox.directory()
  }

  // MARK: - Making

  @Test func madeFoldersAreForTheirUserAlone() throws {
    // The umask is the whole process's: the widest one, which takes nothing away from others.
    let usual = umask(0)
    defer { umask(usual) }
    _ = try Directory.making("made", in: directory)
    let file = try directory.open("file", .createExclusively)
    try file.close()
    #expect(try sandbox.mode("d/made") == 0o700)
    #expect(try sandbox.mode("d/file") == 0o600)
  }

  @Test func allParentsAreMade() throws {
    let deep = try Directory.making(path: sandbox.root + "/a//b/c/")
    let isDirectory = try deep.status().isDirectory
    #expect(isDirectory)
    for path in ["a", "a/b", "a/b/c"] { #expect(try sandbox.mode(path) == 0o700) }
  }

  @Test func whatExistsIsOpened() throws {
    try sandbox.write(octets("x"), to: sandbox.root + "/d/sub/file")
    let sub = try Directory.making("sub", in: directory)
    #expect(try sub.read("file", limit: 10) == octets("x"))
  }

  @Test func aFileInTheWayIsAnError() throws {
    try sandbox.write(octets("x"), to: sandbox.root + "/d/file")
    #expect(throws: Errno(ENOTDIR)) { _ = try Directory.making("file", in: directory) }
    #expect(throws: Errno(ENOTDIR)) {
      _ = try Directory.making(path: sandbox.root + "/d/file/below")
    }
  }

  // MARK: - Links and other kinds

  @Test func linksAreNotFollowed() throws {
    try sandbox.write(octets("secret"), to: sandbox.root + "/outside/file")
    for (name, aim) in [("folder", "outside"), ("file", "outside/file"), ("nowhere", "none")] {
      try sandbox.link("d/" + name, to: sandbox.root + "/" + aim)
    }
    // Linux says of a link where a directory is asked for that it is no directory.
    #expect(throws: Errno.self) { _ = try Directory("folder", in: directory) }
    #expect(throws: Errno.self) { _ = try Directory.making("folder", in: directory) }
    #expect(throws: Errno.isLink) { _ = try directory.read("file", limit: 100) }
    #expect(throws: Errno.fileExists) { _ = try directory.open("nowhere", .createExclusively) }
    #expect(throws: Errno.isLink) { _ = try directory.open("nowhere", .readWriteCreating) }
    #expect(!FileManager.default.fileExists(atPath: sandbox.root + "/none"))
    #expect(try !directory.status(of: "file").isRegularFile)
  }

  @Test(.timeLimit(.minutes(1))) func aFIFODoesNotBlock() throws {
    #expect(unsafe mkfifo(sandbox.root + "/d/fifo", 0o600) == 0)
    #expect(throws: Errno.wrongKind) { _ = try directory.read("fifo", limit: 100) }
  }

  @Test func aDirectoryIsNotRead() throws {
    _ = try Directory.making("sub", in: directory)
    #expect(throws: Errno.wrongKind) { _ = try directory.read("sub", limit: 100) }
  }

  @Test func aFileIsReadUpToItsLimit() throws {
    try sandbox.write(octets("12345"), to: sandbox.root + "/d/file")
    #expect(try directory.read("file", limit: 5) == octets("12345"))
    #expect(throws: Errno.tooLarge) { _ = try directory.read("file", limit: 4) }
    try sandbox.write([], to: sandbox.root + "/d/empty")
    #expect(try directory.read("empty", limit: 0) == [])
  }

  @Test func aFileOfFourGigabytesIsNotRead() throws {
    try sandbox.write([], to: sandbox.root + "/d/sparse")
    #expect(unsafe truncate(sandbox.root + "/d/sparse", 4 << 30) == 0)
    #expect(throws: Errno.tooLarge) { _ = try directory.read("sparse", limit: 1 << 20) }
  }

  // MARK: - Names

  @Test func renamingIntoAnotherDirectoryNeverReplaces() throws {
    let other = try sandbox.directory("other")
    try sandbox.write(octets("mine"), to: sandbox.root + "/d/n")
    try sandbox.write(octets("theirs"), to: sandbox.root + "/other/n")
    #expect(throws: Errno.fileExists) { try directory.rename("n", into: other, as: "n") }
    #expect(try sandbox.content("other/n") == octets("theirs"))
    try directory.rename("n", into: other, as: "free")
    #expect(try sandbox.content("other/free") == octets("mine"))
    #expect(try sandbox.names() == [])
    #expect(throws: Errno.noSuchFile) { try directory.rename("n", into: other, as: "x") }
  }

  @Test func linkingNeverReplaces() throws {
    try sandbox.write(octets("mine"), to: sandbox.root + "/d/n")
    try sandbox.write(octets("theirs"), to: sandbox.root + "/d/m")
    #expect(throws: Errno.fileExists) { try directory.link("n", into: directory, as: "m") }
    #expect(try sandbox.content("d/m") == octets("theirs"))
  }

  @Test func theTimeOfModificationIsSetAlsoBefore1970() throws {
    try sandbox.write([], to: sandbox.root + "/d/n")
    for seconds: Int64 in [1_700_000_000, 0, -1, 4_102_444_800] {
      try directory.setModified("n", seconds: seconds)
      #expect(try directory.status(of: "n").modified == seconds)
    }
  }

  @Test func everyNameIsListedOnceAndThoseNotInUTF8NotAtAll() throws {
    for name in ["a", ".hidden", "with\nline", "ü"] {
      try sandbox.write([], to: sandbox.root + "/d/" + name)
    }
    let number = unsafe open(sandbox.root + "/d", O_RDONLY)
    defer { close(number) }
    let bad: [CChar] = [0x62, -1, 0]
    let file = unsafe openat(number, bad, O_CREAT | O_WRONLY, 0o600)
    #expect(file >= 0)
    close(file)
    // Twice, as reading moves the offset of the descriptor.
    for _ in 0..<2 {
      var names: [String] = []
      try directory.forEachName { names.append($0) }
      #expect(names.sorted() == [".hidden", "a", "with\nline", "ü"])
    }
  }

  @Test func anotherUsersFolderOrOneOpenToOthersIsToldApart() throws {
    #expect(try !directory.status().isWritableByOthers)
    for (mode, open, writable) in [
      (0o755, true, false), (0o720, true, true), (0o702, true, true), (0o700, false, false),
    ] {
      try sandbox.setMode("d", mode)
      let status = try directory.status()
      #expect(status.isOpenToOthers == open)
      #expect(status.isWritableByOthers == writable)
    }
  }

}
