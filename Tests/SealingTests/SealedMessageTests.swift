import Foundation
import MessageFormat
import Posix
import TestSupport
import Testing

@testable import Sealing

@Suite final class SealedMessageTests {
  let sandbox: Sandbox
  let id = NoteID(milliseconds: 1_700_000_000_000, random: Array(1...10))

  init() throws { sandbox = try Sandbox() }

  private func recipient() throws -> Recipient {
    try IdentityFolder(sandbox.root + "/identity").recipient(
      keyIsElsewhere: false, now: 0, random: .system)
  }

  private func opener() throws -> Opener { try IdentityFolder(sandbox.root + "/identity").opener() }

  private func message(_ text: String, _ attachments: [MessageFormat.Attachment] = []) -> Message {
    let date = MessageDate(secondsSinceEpoch: 1_700_000_000, zoneOffset: 3600)
    let note = Note(id: id, date: date, text: Array(text.utf8), attachments: attachments)
    return Message(composing: note, domain: "example.org")
  }

  private var outer: [HeaderField] {
    [
      HeaderField("From", structured: "me@example.org"),
      HeaderField("To", structured: "inbox@example.org"),
    ]
  }

  @Test(
    arguments: ["x", "buy milk\n", "Grüße 漢字 😀\n-- \n", ".\n..\n", "a\r\nb\rc", "\n\nlate"])
  func whatWasSealedIsOpened(text: String) throws {
    let message = message(text)
    let sealed = try recipient().seal(message, outer: outer, account: nil)
    let stored = try Message(parsing: sealed.bytes(lineEnds: .lf))
    let opened = try opener().open(stored, expecting: id)
    #expect(opened == message)
  }

  @Test func attachmentsComeThrough() throws {
    var random = SeededGenerator(seed: 3)
    let file = MessageFormat.Attachment(name: "photo é.png", content: random.bytes(100_000))
    let message = message("x", [file])
    let sealed = try recipient().seal(message, outer: [], account: nil)
    #expect(try opener().open(sealed, expecting: id).attachments == [file])
  }

  // DESIGN §4: what stands outside, and nothing more.
  @Test func theOuterHeaderTellsNothingOfTheText() throws {
    let sealed = try recipient().seal(
      message("secret subject\nand body"), outer: outer, account: "work")
    #expect(
      sealed.header.fields.map(\.name) == [
        "Date", "Message-ID", "Subject", "From", "To", "Memo-Account", "MIME-Version",
        "Content-Type", "Content-Transfer-Encoding", "Content-Disposition",
      ])
    #expect(sealed.subject == "[...]")
    #expect(sealed.messageID == "<\(id)@example.org>")
    #expect(sealed.contentType.mediaType == "application/pkcs7-mime")
    #expect(sealed.contentType["smime-type"] == "authEnveloped-data")
    let text = String(decoding: sealed.bytes(lineEnds: .lf), as: UTF8.self)
    #expect(!text.contains("secret") && !text.contains("c2VjcmV0"))
    #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count <= 76 })
  }

  // RFC 9788 §2: the header inside is protected, and says what stood outside.
  @Test func opensslSeesAProtectedHeaderWithoutTheAccount() throws {
    let sealed = try recipient().seal(message("the subject"), outer: outer, account: "work")
    try sandbox.write(sealed.bytes(lineEnds: .lf), to: sandbox.root + "/note.eml")
    let result = try run(
      "/usr/bin/openssl",
      [
        "cms", "-decrypt", "-in", sandbox.root + "/note.eml", "-inkey",
        sandbox.root + "/identity/key.pem",
      ])
    #expect(result.status == 0)
    #expect(result.output.contains("Subject: the subject\r\n"))
    #expect(result.output.contains("hp=\"cipher\"; protected-headers=\"v1\"\r\n"))
    #expect(result.output.contains("HP-Outer: Subject: [...]\r\n"))
    #expect(result.output.contains("HP-Outer: From: me@example.org\r\n"))
    #expect(result.output.contains("Memo-ID: \(id)\r\n"))
    #expect(!result.output.contains("Memo-Account"))
    #expect(!result.output.replacing("\r\n", with: "").contains("\n"))
  }

  /// Why a message does not open.
  private func failure(_ message: Message, expecting id: NoteID?) throws -> SealingError? {
    let opener = try opener()
    do throws(SealingError) {
      _ = try opener.open(message, expecting: id)
      return nil
    } catch {
      return error
    }
  }

  // RELIABILITY row 20.
  @Test func anotherNoteThanItsNameSaysIsDamaged() throws {
    let sealed = try recipient().seal(message("x"), outer: [], account: nil)
    let other = NoteID(milliseconds: 1, random: Array(1...10))
    #expect(try failure(sealed, expecting: other) == .damaged)
    #expect(try failure(sealed, expecting: nil) == nil)
    #expect(try failure(sealed, expecting: id) == nil)
  }

  @Test func aNoteWithoutItsIdentityInsideIsDamaged() throws {
    var message = message("x")
    message.header.remove(named: "Memo-ID")
    let sealed = try recipient().seal(message, outer: [], account: nil)
    #expect(try failure(sealed, expecting: id) == .damaged)
  }

  @Test func alteredOrForeignBodiesAreToldApart() throws {
    let sealed = try recipient().seal(message("x"), outer: [], account: nil)
    for body in ["", "!!!!\n", "AAAA\n", String(decoding: sealed.body.dropLast(50), as: UTF8.self)]
    {
      var altered = sealed
      altered.body = Array(body.utf8)
      let error = try failure(altered, expecting: id)
      #expect(error == .damaged || error == .notSealed)
    }
    #expect(try failure(message("plain"), expecting: id) == .notSealed)

    let stranger = try IdentityFolder(sandbox.root + "/stranger").recipient(
      keyIsElsewhere: false, now: 0, random: .system)
    let theirs = try stranger.seal(message("x"), outer: [], account: nil)
    #expect(try failure(theirs, expecting: id) == .otherRecipient)
  }

  @Test func whatIsSealedAndNoMessageIsDamaged() throws {
    var sealed = try recipient().seal(message("x"), outer: [], account: nil)
    sealed.body = Base64.encode(try recipient().seal(Array("\r\nno header".utf8)))
    #expect(try failure(sealed, expecting: nil) == .damaged)
  }

  @Test func twoSealingsOfOneMessageDiffer() throws {
    let recipient = try recipient()
    let one = try recipient.seal(message("x"), outer: [], account: nil)
    let other = try recipient.seal(message("x"), outer: [], account: nil)
    #expect(one.body != other.body && one.header == other.header)
  }
}
