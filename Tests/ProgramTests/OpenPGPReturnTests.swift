import Foundation
import TestSupport
import Testing

/// Notes that come back from a history of another form: what waits is sealed.
@Suite struct OpenPGPReturnTests {
  private static let forms = ["", "[history]\ncache = no\n", "[history]\nprotection = none\n"]

  /// A note that the server refuses, in failed/ in the form the settings ask for.
  ///
  /// - Returns: What its sealed file held, octet for octet.
  private func refuse(_ scene: OpenPGPScene) throws -> [UInt8] {
    let sandbox = scene.sandbox
    try sandbox.write([0, 1, 2, 255], to: sandbox.root + "/a.bin")
    try sandbox.memo(
      "-s", "CANARY", "-a", sandbox.root + "/a.bin", "-", stdin: Array("caf\u{E9}\n.\n".utf8))
    let sealed = try sandbox.opened(try #require(try sandbox.files(in: .outbox).first))
    try scene.server.plan("dot=550")
    #expect(try scene.flush().status == 0)
    let failed = try #require(try sandbox.files(in: .failed).first)
    #expect(!String(decoding: try failed.bytes(), as: UTF8.self).contains("pkcs7"))
    try sandbox.age(failed, by: 10)
    return sealed
  }

  @Test(arguments: forms) func aFailedNoteGoesBackSealedAndAsItself(settings: String) throws {
    let scene = try OpenPGPScene()
    try scene.configure(try scene.keyring.makeKey(), settings)
    let sealed = try refuse(scene)
    let result = try scene.sandbox.memo("resend", "@1", environment: scene.keyring.environment)
    #expect(result.status == 0 && result.output + result.errors == "")
    #expect(try scene.sandbox.counts() == [1, 0, 0])
    let waiting = try #require(try scene.sandbox.files(in: .outbox).first)
    // With Date, Message-ID, boundaries and all.
    #expect(try scene.sandbox.opened(waiting) == sealed)
    let outside = String(decoding: try waiting.bytes(), as: UTF8.self)
    #expect(!outside.contains("Memo-Status") && outside.contains("\nFrom: Jane Doe"))
    #expect(try scene.flush().status == 0)
    #expect(try scene.sandbox.counts() == [0, 1, 0])
    #expect(try scene.server.accepted().count == 1)
    try scene.sandbox.expectPrivate()
  }

  @Test func oneThatFailsAgainIsEncryptedAgain() throws {
    let scene = try OpenPGPScene()
    try scene.configure(try scene.keyring.makeKey())
    _ = try refuse(scene)
    try scene.sandbox.memo("a later one")
    #expect(try scene.flush().status == 0)
    #expect(try scene.sandbox.memo("resend", "@2").status == 0)
    try scene.server.plan("dot=554")
    #expect(try scene.flush().status == 0)
    let failed = try #require(try scene.sandbox.files(in: .failed).first)
    let text = String(decoding: try failed.bytes(), as: UTF8.self)
    #expect(text.contains("multipart/encrypted") && text.contains("message 554"), "\(text)")
  }

  @Test func oneThatNobodyUnlocksStaysInFailedAsItIs() throws {
    let scene = try OpenPGPScene()
    try scene.configure(try scene.makeLockedKey(), "[history]\ncache = no\n")
    _ = try refuse(scene)
    let failed = try #require(try scene.sandbox.files(in: .failed).first)
    let before = try failed.bytes()
    let result = try scene.sandbox.memo("resend", "@1", environment: scene.keyring.environment)
    #expect(result.status == 66)
    #expect(result.errors.contains("locked"), "\(result.errors)")
    #expect(try scene.sandbox.counts() == [0, 0, 1])
    #expect(try failed.bytes() == before)
  }

  // MARK: - Moved by a mail client

  /// As mutt names what it saves.
  private let strange = "1796057462.3664_1.vm:2,S"

  @Test(arguments: forms) func oneThatAClientMovedIntoTheOutboxIsSealedAndSent(settings: String)
    throws
  {
    let scene = try OpenPGPScene()
    try scene.configure(try scene.keyring.makeKey(), "wire = plain\n" + settings)
    _ = try refuse(scene)
    let failed = try #require(try scene.sandbox.files(in: .failed).first)
    try FileManager.default.moveItem(
      atPath: failed.path, toPath: scene.sandbox.path(of: .outbox) + "/cur/" + strange)
    // The sealed one waits while the server cannot be reached.
    try scene.server.plan("connect=rst")
    _ = try scene.flush()
    let waiting = try #require(try scene.sandbox.files(in: .outbox).first)
    let opened = try ParsedMail.parse([try scene.sandbox.opened(waiting)])[0]
    #expect(opened.subject == "CANARY" && waiting.identifier == failed.identifier)
    #expect(try scene.flush("--now").status == 0)
    #expect(try scene.sandbox.files(in: .sent).map(\.identifier) == [failed.identifier])
    let mail = try ParsedMail.parse(try scene.server.accepted().map { unstuffed($0.bytes) })
    #expect(mail.count == 1 && mail.first?.content(of: 0) == [0, 1, 2, 255])
    #expect(mail.first?.messageID == opened.messageID && mail.first?.text == "caf\u{E9}\n.\n")
  }

  @Test func oneThatNobodyUnlocksWaitsAndHoldsUpNoOther() throws {
    let scene = try OpenPGPScene()
    try scene.configure(try scene.makeLockedKey(), "[history]\ncache = no\n")
    _ = try refuse(scene)
    let failed = try #require(try scene.sandbox.files(in: .failed).first)
    let moved = scene.sandbox.path(of: .outbox) + "/cur/" + strange
    try FileManager.default.moveItem(atPath: failed.path, toPath: moved)
    let before = try scene.sandbox.content(String(moved.dropFirst(scene.sandbox.root.count + 1)))
    try scene.sandbox.memo("another")
    let result = try scene.flush()
    #expect(result.errors.contains("the secret key is locked"), "\(result.errors)")
    #expect(try scene.sandbox.counts() == [1, 1, 0])
    #expect(try scene.sandbox.files(in: .outbox)[0].bytes() == before)
    let status = try scene.sandbox.memo("status")
    #expect(status.status == 1)
    #expect(status.output.contains("gpg does not decrypt it"), "\(status.output)")
  }

  // A mail that is no note of ours, moved there by mistake, is not sent.
  @Test func aPlainMailThatIsNoNoteIsNotSent() throws {
    let scene = try OpenPGPScene()
    try scene.configure(try scene.keyring.makeKey())
    try scene.sandbox.memo("buy milk")
    #expect(try scene.flush().status == 0)
    let id = "0199a2b3-c4d5-7e6f-8a9b-0c1d2e3f4a5b"
    let mail = "Message-ID: <\(id)@example.org>\nSubject: hello\n\nCANARY\n"
    try scene.sandbox.write(
      Array(mail.utf8), to: scene.sandbox.path(of: .outbox) + "/cur/" + strange)
    #expect(try scene.flush().status == 0)
    #expect(try scene.server.accepted().count == 1)
    #expect(try scene.sandbox.files(in: .outbox).map(\.name) == [strange])
  }
}
