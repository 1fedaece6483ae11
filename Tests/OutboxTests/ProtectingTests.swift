import MessageFormat
import MessageStore
import Sealing
import TestSupport
import Testing

@testable import Outbox

/// The form of what is sent and kept, with something that only looks like encryption.
@Suite struct ProtectingTests {
  /// A scene in which notes are kept in another form, and perhaps sent in it.
  private func makeScene(
    wire: Bool = false, encrypting: @escaping (Message) throws(Trouble) -> Void = { _ in }
  ) throws -> Scene {
    let scene = try Scene()
    scene.protection = Protection()
    scene.protection.form = .openPGP
    scene.protection.encryptsWire = wire
    scene.protection.cache = SealedCache(scene.sandbox.root + "/cache")
    scene.protection.encrypt = { (message, _) throws(Trouble) in
      try encrypting(message)
      var header = Header([HeaderField("Subject", unstructured: "[...]")])
      for name in ["Message-ID", "Memo-ID"] {
        if let field = message.header.first(named: name) { header.append(field) }
      }
      return Message(openPGP: octets("armor"), header: header, id: message.noteID)
    }
    return scene
  }

  private func outer(_ scene: Scene, _ path: String) throws -> Message {
    try Message(parsing: scene.sandbox.content("mail/" + path))
  }

  @Test func whatIsSentIsWhatIsKeptAndItsSealedOriginalIsCached() throws {
    let scene = try makeScene(wire: true)
    let id = try scene.capture()
    let sent = try #require(try scene.run(.accepts()).first)
    #expect(!sent.text.contains("buy milk"))
    let kept = try scene.sandbox.content("mail/sent/cur/\(id).vm:2,S")
    #expect(kept == sent.message.filter { $0 != 13 })
    let cached = try Message(parsing: scene.sandbox.content("cache/\(id)"))
    #expect(SealedMessage.isSealed(cached))
    #expect(try scene.sandbox.modified("mail/sent/cur/\(id).vm:2,S") == scene.now)
    #expect(try scene.sandbox.mode("cache/\(id)") == 0o600)
    #expect(try scene.sandbox.mode("cache") == 0o700)
  }

  @Test func whatCannotBeEncryptedWaitsAndIsNotCounted() throws {
    let scene = try makeScene(wire: true) { (_) throws(Trouble) in
      throw Trouble(.openPGPKeyExpired)
    }
    let ids = [try scene.capture(), try scene.capture()]
    try scene.run()
    #expect(try scene.files() == ids.map { "outbox/new/\($0).vm" })
    #expect(try scene.state().reason(for: ids[0]) == Reason(.trouble(.openPGPKeyExpired)))
  }

  @Test func aNoteThatIsCalledBackIsSealedAgain() throws {
    let refused = Play.refusesRecipient(550, "5.1.1 no such user")
    let scene = try makeScene()
    let first = try scene.capture()
    try scene.run(refused)
    #expect(try outer(scene, "failed/cur/\(first).vm:2,F").isOpenPGP)
    scene.now += 86_400
    try scene.capture()
    try scene.run(refused)
    let back = try outer(scene, "outbox/cur/\(first).vm:2,")
    #expect(SealedMessage.isSealed(back))
    #expect(Reason(back.header) == nil)
    let sent = try scene.run(.accepts(), .accepts())
    #expect(sent.allSatisfy { $0.text.contains("buy milk") })
  }

  @Test func aClientThatRenamesTheFileMeanwhileMakesNoSecondCopy() throws {
    var rename: () -> Void = {}
    let scene = try makeScene { (_) throws(Trouble) in rename() }
    let id = try scene.capture()
    rename = {
      try? scene.move("sent/cur/\(id).vm:2,S", "sent/cur/\(id).vm,U=3:2,RS")
    }
    try scene.run(.accepts())
    #expect(try scene.files() == ["sent/cur/\(id).vm,U=3:2,RS"])
    #expect(try outer(scene, "sent/cur/\(id).vm,U=3:2,RS").isOpenPGP)
  }

  @Test func aLongHistoryTakesSeveralRuns() throws {
    let scene = try makeScene()
    let protection = scene.protection
    scene.protection = Protection()
    for _ in 0..<60 { try scene.capture() }
    try scene.runAll(60)
    scene.protection = protection
    #expect(Sender.hasUnprotected(try scene.state(), protection))
    try scene.run()
    let sealed = { () throws -> Int in
      try scene.files().filter { try !outer(scene, $0).isOpenPGP }.count
    }
    #expect(try sealed() == 10)
    #expect(Sender.hasUnprotected(try scene.state(), protection))
    try scene.run()
    #expect(try sealed() == 0)
    #expect(!Sender.hasUnprotected(try scene.state(), protection))
  }

  @Test func troubleLeavesThemSealedForALaterRun() throws {
    var isBroken = true
    let scene = try makeScene { (_) throws(Trouble) in
      if isBroken { throw Trouble(.openPGPMissing) }
    }
    let id = try scene.capture()
    try scene.run(.accepts())
    #expect(SealedMessage.isSealed(try outer(scene, "sent/cur/\(id).vm:2,S")))
    #expect(scene.events.contains(.notProtected(Trouble(.openPGPMissing))))
    #expect(Sender.hasUnprotected(try scene.state(), scene.protection))
    isBroken = false
    try scene.run()
    #expect(try outer(scene, "sent/cur/\(id).vm:2,S").isOpenPGP)
    #expect(!Sender.hasUnprotected(try scene.state(), scene.protection))
  }

  @Test func theFailedKeepTheirReasonOutside() throws {
    let scene = try makeScene()
    let id = try scene.capture()
    try scene.run(.refusesMessage(554, "5.7.1 spam"))
    let path = "failed/cur/\(id).vm:2,F"
    #expect(try outer(scene, path).isOpenPGP)
    #expect(try scene.reason(in: path)?.reply?.lines == ["5.7.1 spam"])
  }
}

extension Scene {
  /// A run in which the server takes so many notes.
  fileprivate func runAll(_ count: Int) throws {
    var sender = try sender()
    var agent = ScriptedAgent(Array(repeating: .accepts(), count: count))
    try sender.send(for: account, with: &agent)
  }
}
