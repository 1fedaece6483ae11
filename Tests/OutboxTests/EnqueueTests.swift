import MessageFormat
import MessageStore
import Posix
import Sealing
import TestSupport
import Testing

@testable import Outbox

@Suite struct EnqueueTests {
  @Test func aPromisedNoteIsSealedAndThereOnce() throws {
    let scene = try Scene()
    let id = try scene.capture("secret words", account: "work")
    #expect(try scene.files() == ["outbox/new/\(id).vm"])
    let path = "mail/outbox/new/\(id).vm"
    #expect(try scene.sandbox.mode(path) == 0o600)
    let outer = try Message(parsing: try scene.sandbox.content(path))
    #expect(SealedMessage.isSealed(outer))
    #expect(outer.subject == "[...]")
    #expect(outer.header.first(named: "Memo-Account")?.decodedText == "work")
    #expect(outer.messageID == "<\(id)@memo.invalid>")
    let text = String(decoding: try scene.sandbox.content(path), as: UTF8.self)
    #expect(!text.contains("secret") && !text.contains("\r"))
  }

  @Test func theSendersDomainEndsTheMessageIDAndBothMailboxesStandOutside() throws {
    let scene = try Scene()
    let date = MessageDate(secondsSinceEpoch: 0, zoneOffset: 0)
    let note = Note(id: scene.makeID(), date: date, text: octets("x"))
    let recipient = try IdentityFolder(scene.sandbox.root + "/identity").recipient(
      keyIsElsewhere: false, now: 0, random: .system)
    let correspondents = Correspondents(from: scene.account.from, to: scene.account.to)
    let outbox = try MailStore.outbox(at: scene.sandbox.root + "/mail")
    try outbox.enqueue(note, to: recipient, from: correspondents, host: "vm")
    let outer = try Message(
      parsing: try scene.sandbox.content("mail/outbox/new/\(note.id).vm"))
    #expect(outer.messageID == "<\(note.id)@example.org>")
    #expect(outer.header.first(named: "From")?.decodedText == "Jane Doe <me@example.org>")
    #expect(outer.header.first(named: "To")?.decodedText == "me@example.org")

    // The same UUID again is refused, and what is there stays.
    #expect(throws: EnqueueError.self) {
      try outbox.enqueue(note, to: recipient, from: correspondents, host: "vm")
    }
    #expect(try scene.files() == ["outbox/new/\(note.id).vm"])
  }
}
