import Characters
import MessageFormat
import MessageStore
import Outbox
import Posix
import Sealing
import TestSupport
import Testing

@testable import History

@Suite final class SearchTests {
  let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    _ = try MailStore(sandbox.root + "/mail")
    _ = try IdentityFolder(sandbox.root + "/identity").recipient(
      keyIsElsewhere: false, now: 0, random: .system)
  }

  private func put(_ texts: [String], sealedTo identity: String = "identity") throws {
    let recipient = try IdentityFolder(sandbox.root + "/" + identity).recipient(
      keyIsElsewhere: false, now: 0, random: .system)
    for (number, text) in texts.enumerated() {
      let id = NoteID(
        milliseconds: Int64(number + 1) * 1000,
        random: [0, identity == "identity" ? 0 : 1]
          + Array(repeating: UInt8(number & 255), count: 8))
      let note = Note(
        id: id, date: MessageDate(secondsSinceEpoch: 0, zoneOffset: 0), text: Array(text.utf8))
      let sealed = try recipient.seal(
        Message(composing: note, for: Correspondents(from: nil, to: nil)), outer: [], account: nil)
      try sandbox.write(
        sealed.bytes(lineEnds: .lf), to: sandbox.root + "/mail/sent/cur/\(id).vm:2,S")
    }
  }

  private static func history(_ root: String) -> History? {
    guard let store = try? MailStore(root + "/mail"), let state = try? StateFolder(root + "/state")
    else { return nil }
    return History(
      store: store, state: state, opener: try? IdentityFolder(root + "/identity").opener(),
      clock: .system)
  }

  private func search(_ words: String..., processors: Int = 2) throws
    -> (found: [String?], summary: Search.Summary)
  {
    let root = sandbox.root
    let words = try #require(FoldedWords(words))
    guard let history = Self.history(root) else { throw WaitedInVain(description: "no history") }
    let entries = try history.entries(in: Set(MailStore.FolderName.allCases))
    var found: [String?] = []
    let summary = Search(for: words, in: entries).run(
      processors: processors, open: { Self.history(root) }
    ) { found.append($0.subject) }
    return (found, summary)
  }

  @Test(arguments: [1, 2, 5]) func hitsComeNewestFirstWhoeverFindsThem(processors: Int) throws {
    let texts = (0..<300).map { "note \($0)\n" + ($0 % 3 == 0 ? "Käse" : "Brot") }
    try put(texts)
    let (found, summary) = try search("kase", processors: processors)
    #expect(found == stride(from: 297, through: 0, by: -3).map { "note \($0)" })
    #expect(summary == Search.Summary(hits: 100, unreadable: 0))
    #expect(try search("KÄSE", "note 297", processors: processors).found == ["note 297"])
    #expect(try search("wein", processors: processors).found == [])
  }

  @Test func whatCannotBeReadIsCounted() throws {
    try put(["milk here"])
    try put(["milk there", "milk"], sealedTo: "stranger")
    let pgp = """
      Subject: [...]
      MIME-Version: 1.0
      Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary=x

      --x
      Content-Type: application/pgp-encrypted

      Version: 1
      --x
      Content-Type: application/octet-stream

      -----BEGIN PGP MESSAGE-----

      milk
      -----END PGP MESSAGE-----
      --x--

      """
    try sandbox.write(
      Array(pgp.utf8),
      to: sandbox.root + "/mail/sent/cur/01890a5d-ac96-774b-bcce-b302099a8057.vm:2,S")
    try sandbox.write(
      Array("Subject: plain\n\nMILK\n".utf8), to: sandbox.root + "/mail/sent/new/123.M1P1.host")
    let (found, summary) = try search("milk")
    #expect(found == ["milk here", "plain"])
    #expect(summary == Search.Summary(hits: 2, unreadable: 3))
  }

  @Test func whoeverTakesTheHitsCanEndIt() throws {
    struct Enough: Error {}
    try put((0..<200).map { "note \($0)" })
    let root = sandbox.root
    guard let history = Self.history(root) else { throw Enough() }
    let entries = try history.entries(in: [.sent])
    let words = try #require(FoldedWords(["note"]))
    var taken = 0
    #expect(throws: Enough.self) {
      try Search(for: words, in: entries).run(processors: 2, open: { Self.history(root) }) {
        (_: Search.Hit) throws(Enough) in
        taken += 1
        if taken == 3 { throw Enough() }
      }
    }
    #expect(taken == 3)
  }
}
