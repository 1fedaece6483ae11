import Foundation
import TestSupport
import Testing

@testable import Posix

@Suite struct PrivateFolderTests {
  private let zeros = Randomness { count in Array(repeating: 0, count: count) }

  @Test func theFolderLiesInTheRuntimeFolderAndIsPrivate() throws {
    let sandbox = try Sandbox()
    let folder = try PrivateFolder.make(
      runtimeFolder: sandbox.root + "/run/memo", stateFolder: sandbox.root + "/state",
      random: zeros)
    #expect(folder.isInMemory)
    #expect(folder.path == sandbox.root + "/run/memo/memo-aaaaaaaaaaaaaaaa")
    for path in ["run/memo", "run/memo/memo-aaaaaaaaaaaaaaaa"] {
      #expect(try sandbox.mode(path) == 0o700)
    }
    try folder.write(octets("text"), to: "note.txt")
    #expect(try sandbox.mode("run/memo/memo-aaaaaaaaaaaaaaaa/note.txt") == 0o600)
    #expect(try folder.read("note.txt", limit: 4) == octets("text"))
    #expect(throws: Errno.tooLarge) { _ = try folder.read("note.txt", limit: 3) }
    #expect(throws: Errno.fileExists) { try folder.write([], to: "note.txt") }
    try folder.write([], to: ".note.txt.swp")
    try folder.remove()
    #expect(try sandbox.files(below: "run") == [])
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test func withoutARuntimeFolderItLiesInMemoryStillOrInTheStateFolder() throws {
    let sandbox = try Sandbox()
    try sandbox.write([], to: sandbox.root + "/file")
    let folder = try PrivateFolder.make(
      runtimeFolder: sandbox.root + "/file/no", stateFolder: sandbox.root + "/state",
      random: .system)
    let parent = folder.isInMemory ? "/dev/shm" : sandbox.root + "/state"
    #expect(folder.path.hasPrefix(parent + "/memo-"))
    #expect(folder.path.utf8.count == parent.utf8.count + 6 + 16)
    try folder.remove()
  }

  @Test func whateverAProgramLeftInItGoesToo() throws {
    let sandbox = try Sandbox()
    let folder = try PrivateFolder.make(
      runtimeFolder: sandbox.root + "/run", stateFolder: sandbox.root, random: zeros)
    try sandbox.write(octets("x"), to: sandbox.root + "/outside/file")
    try sandbox.write(octets("x"), to: folder.path + "/below/deep/file")
    let script = """
      cd "$1" && printf 'x' >"$(printf '\\377 name\\n')" && mkdir "$(printf 'd\\377')" &&
      touch "$(printf 'd\\377')/file" && ln -s ../../outside link && ln -s nowhere dangling &&
      mkfifo fifo && mkdir closed && touch closed/file && chmod 000 closed
      """
    let made = try run("/bin/sh", ["-c", script, "sh", folder.path])
    try #require(made.status == 0, "\(made.errors)")
    try folder.remove()
    #expect(!FileManager.default.fileExists(atPath: folder.path))
    #expect(try sandbox.files(below: "outside") == ["file"])
  }
}

@Suite struct HeldFolderTests {
  private func make(in sandbox: Sandbox) throws -> HeldFolder {
    try HeldFolder.make(
      runtimeFolder: sandbox.root + "/run", stateFolder: sandbox.root + "/state", random: .system)
  }

  private func removeAbandoned(_ sandbox: Sandbox) {
    HeldFolder.removeAbandoned(
      runtimeFolder: sandbox.root + "/run", stateFolder: sandbox.root + "/state")
  }

  @Test func aFolderThatIsHeldStaysAndOneThatIsNotGoes() throws {
    let sandbox = try Sandbox()
    let held = try make(in: sandbox)
    let path = held.folder.path
    try held.folder.write(octets("clear"), to: "note")
    removeAbandoned(sandbox)
    #expect(FileManager.default.fileExists(atPath: path + "/note"))
    // As after a kill -9: the lock goes with the process, the folder stays.
    letGo(held)
    removeAbandoned(sandbox)
    #expect(try sandbox.names("run") == [])
  }

  private func letGo(_ held: consuming HeldFolder) {}

  @Test func whatIsNotSuchAFolderStays() throws {
    let sandbox = try Sandbox()
    // An editor's folder is kept on purpose when its note could not be saved.
    try sandbox.write(octets("mine"), to: sandbox.root + "/run/memo-abc/note.txt")
    try sandbox.write(octets("mine"), to: sandbox.root + "/other/file")
    try sandbox.link("run/memo-view-link", to: sandbox.root + "/other")
    try sandbox.write(octets("mine"), to: sandbox.root + "/run/memo-view-file")
    removeAbandoned(sandbox)
    #expect(try sandbox.names("run") == ["memo-abc", "memo-view-file", "memo-view-link"])
    #expect(try sandbox.files(below: "other") == ["file"])
  }
}
