import Foundation
import TestSupport
import Testing

private let cursesPinentry = "/usr/bin/pinentry-curses"

/// A locked key and a person at a terminal, whom gpg asks by pinentry-curses.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: cursesPinentry),
    "needs pinentry-curses"))
struct OpenPGPTerminalTests {
  private let canary = "CANARY buy milk"

  /// A note in sent/ that only a person's passphrase opens.
  private func makeScene(askingBy pinentry: String = cursesPinentry) throws -> OpenPGPScene {
    let scene = try OpenPGPScene()
    try scene.configure(try scene.makeLockedKey(), "[history]\ncache = no\n")
    try scene.keyring.restartAgent(askingBy: pinentry)
    try scene.sandbox.memo(canary)
    #expect(try scene.flush().status == 0)
    return scene
  }

  private func show(_ scene: OpenPGPScene) throws -> TerminalSession {
    try TerminalSession(
      Programs.memo, ["show"],
      environment: scene.keyring.environment.merging(["TERM": "xterm"]) { $1 })
  }

  @Test func aTypedPassphraseShowsTheNote() throws {
    let scene = try makeScene()
    let session = try show(scene)
    try session.wait(for: "passphrase")
    session.type("open sesame\r")
    try session.wait(for: canary)
    #expect(try session.finish() == .exited(0))
    #expect(!session.text.contains("sesame"))
    #expect(try scene.holders(of: "sesame") == [])
  }

  @Test func whoLeavesItIsShownNothing() throws {
    // Its agent ends with it.
    let scene = try makeScene()
    defer { withExtendedLifetime(scene) {} }
    let session = try show(scene)
    try session.wait(for: "passphrase")
    session.type("\t\t\r")
    #expect(try session.finish() == .exited(66))
    #expect(!session.text.contains("CANARY"))
    #expect(session.text.contains("locked"), "\(session.text.debugDescription)")
  }

  @Test func withoutAPinentryNothingIsShownAndNothingGoesInTheClear() throws {
    let scene = try makeScene(askingBy: "/nonexistent/pinentry")
    let session = try show(scene)
    #expect(try session.finish() == .exited(66))
    #expect(!session.text.contains("CANARY"))
    #expect(session.text.contains("locked"), "\(session.text.debugDescription)")
    let key = try scene.makeLockedKey()
    try scene.configure(key, "sign = yes\n")
    try scene.sandbox.memo(canary)
    let flush = try TerminalSession(
      Programs.memoSend, ["flush"], environment: scene.keyring.environment)
    _ = try flush.finish()
    #expect(flush.text.contains("locked"), "\(flush.text.debugDescription)")
    #expect(try scene.sandbox.counts() == [1, 1, 0])
    #expect(try scene.server.accepted().count == 1)
  }
}
