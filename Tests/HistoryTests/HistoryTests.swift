import Foundation
import MessageFormat
import MessageStore
import Outbox
import Posix
import Sealing
import TestSupport
import Testing

@testable import History

@Suite final class HistoryTests {
  let sandbox: Sandbox
  private static let now: Int64 = 1_700_000_000

  init() throws {
    sandbox = try Sandbox()
    _ = try MailStore(sandbox.root + "/mail")
  }

  // MARK: - Setting the scene

  private func id(_ number: Int) -> NoteID {
    NoteID(
      milliseconds: (Self.now - 1000 + Int64(number)) * 1000,
      random: [0, UInt8(number)] + Array(repeating: UInt8(number), count: 8))
  }

  /// A sealed note, put where a test wants it.
  @discardableResult
  private func put(
    _ number: Int, _ place: String, text: String = "first line\nrest", account: String? = nil,
    reason: Reason? = nil
  ) throws -> String {
    let date = MessageDate(secondsSinceEpoch: Self.now, zoneOffset: 0)
    let note = Note(id: id(number), date: date, text: Array(text.utf8))
    let message = Message(composing: note, for: Correspondents(from: nil, to: nil))
    var sealed = try recipient().seal(message, outer: [], account: account)
    for field in reason?.fields ?? [] { sealed.header.append(field) }
    let path = place.replacing("*", with: id(number).description)
    try sandbox.write(sealed.bytes(lineEnds: .lf), to: sandbox.root + "/mail/" + path)
    try sandbox.setModified("mail/" + path, Self.now)
    return path
  }

  private func recipient() throws -> Recipient {
    try IdentityFolder(sandbox.root + "/identity").recipient(
      keyIsElsewhere: false, now: 0, random: .system)
  }

  private func state() throws -> StateFolder { try StateFolder(sandbox.root + "/state") }

  private func history(identity: String? = "identity") throws -> History {
    _ = try recipient()
    let clock = Clock(
      milliseconds: { Self.now * 1000 }, zoneOffset: { _ in 0 }, wait: { _ in })
    let store = try MailStore(sandbox.root + "/mail")
    guard let identity else {
      return History(store: store, state: try state(), opener: nil, clock: clock)
    }
    return History(
      store: store, state: try state(),
      opener: try IdentityFolder(sandbox.root + "/" + identity).opener(), clock: clock)
  }

  private static let all = Set(MailStore.FolderName.allCases)

  private func entries(
    _ folders: Set<MailStore.FolderName> = all
  ) throws -> [HistoryEntry] {
    try history().entries(in: folders)
  }

  /// Why a note's content cannot be had.
  private func failure(_ entry: HistoryEntry, identity: String? = "identity") throws
    -> HistoryError?
  {
    let history = try history(identity: identity)
    do throws(HistoryError) {
      _ = try history.content(of: entry)
      return nil
    } catch {
      return error
    }
  }

  // MARK: - Which notes there are

  @Test func theNewestComesFirstWhateverItsFolder() throws {
    try put(1, "sent/cur/*.vm:2,S")
    try put(4, "outbox/new/*.vm")
    try put(2, "failed/cur/*.vm:2,F")
    try put(3, "outbox/cur/*.vm,D=1:2,S")
    #expect(try entries().map(\.id) == [id(4), id(3), id(2), id(1)])
    #expect(try entries().map(\.folder) == [.outbox, .outbox, .failed, .sent])
    #expect(try entries().map(\.captured) == [4, 3, 2, 1].map { (Self.now - 1000 + $0) * 1000 })
    #expect(try entries([.outbox]).map(\.id) == [id(4), id(3)])
    #expect(try entries([.sent, .failed]).map(\.id) == [id(2), id(1)])
    #expect(try entries([]) == [])
  }

  @Test func aNoteInSeveralFoldersIsThereOnceWhereItIsFurthest() throws {
    for place in ["outbox/new/*.vm", "failed/cur/*.vm:2,F", "sent/cur/*.vm:2,S"] {
      try put(1, place)
    }
    try put(2, "outbox/new/*.vm,A=1")
    try put(2, "failed/new/*.vm")
    // Dovecot's copy in the same folder.
    try put(1, "sent/cur/*.vm,U=9:2,RS")
    #expect(try entries().map(\.id) == [id(2), id(1)])
    #expect(try entries().map(\.folder) == [.failed, .sent])
    // A note that is further on is not shown where it was.
    #expect(try entries([.outbox]) == [])
  }

  // C18.
  @Test func messagesOfMailClientsAreListedAndStraysAreNot() throws {
    let message = Array("Date: Sat, 31 Dec 2011 12:00:00 +0000\nSubject: x\n\nx\n".utf8)
    for name in [
      "cur/1325341040.M1P1.host:2,", "cur/1325341041.M1P1.host:2,S",
      "new/1325341042.M1P1.host", "new/1325341043.M1P1.host", "tmp/1325341044.M1P1.host",
      "cur/.DS_Store", "cur/dovecot-uidlist",
    ] {
      try sandbox.write(message, to: sandbox.root + "/mail/sent/" + name)
    }
    try FileManager.default.createDirectory(
      atPath: sandbox.root + "/mail/sent/cur/folder", withIntermediateDirectories: false)
    let before = try sandbox.files(below: "mail")
    let entries = try entries()
    #expect(
      entries.map(\.file.fileName) == [
        "1325341043.M1P1.host", "1325341042.M1P1.host", "1325341041.M1P1.host:2,S",
        "1325341040.M1P1.host:2,",
      ])
    #expect(entries.allSatisfy { $0.id == nil && $0.captured == 1_325_332_800_000 })
    #expect(try sandbox.files(below: "mail") == before)
    #expect(try history().content(of: entries[0]).message.text == "x\n")
  }

  @Test func aNoteUnderAClientsNameIsKnownByItsMessageID() throws {
    let path = try put(1, "sent/cur/*.vm:2,S")
    try sandbox.rename("mail/" + path, "mail/sent/cur/1796057462.3664_1.vm:2,")
    try put(1, "outbox/new/*.vm")
    let entries = try entries()
    #expect(entries.map(\.id) == [id(1)] && entries.map(\.folder) == [.sent])
    #expect(try history().content(of: entries[0]).message.text == "first line\nrest\n")
  }

  // RELIABILITY row 16.
  @Test(.timeLimit(.minutes(1))) func strangeFilesNeitherBlockNorHideTheOthers() throws {
    try put(1, "sent/cur/*.vm:2,S")
    #expect(unsafe mkfifo(sandbox.root + "/mail/sent/cur/\(id(2)).vm:2,S", 0o600) == 0)
    #expect(unsafe mkfifo(sandbox.root + "/mail/outbox/new/fifo", 0o600) == 0)
    try sandbox.link("mail/failed/cur/\(id(3)).vm:2,F", to: sandbox.root + "/nowhere")
    try sandbox.write([], to: sandbox.root + "/mail/failed/new/\(id(4)).vm")
    let entries = try entries()
    #expect(entries.contains { $0.id == id(1) })
    #expect(entries.allSatisfy { $0.file.fileName != "fifo" })
    for entry in entries where entry.id != id(1) { #expect(try failure(entry) != nil) }
    for entry in entries where entry.id == id(4) { #expect(try failure(entry) == .damaged) }
  }

  // MARK: - References

  @Test func aReferenceMeansOneNoteSeveralOrNone() throws {
    for number in [1, 2, 0x11, 0x21] { try put(number, "sent/cur/*.vm:2,S") }
    let entries = try entries()
    func matches(_ text: String) -> [NoteID?] {
      guard let reference = NoteReference(text) else { return [nil] }
      return History.matches(reference, among: entries).map(\.id)
    }
    #expect(matches("@1") == [id(0x21)])
    #expect(matches("@4") == [id(1)])
    #expect(matches("@5") == [])
    #expect(matches("0101") == [id(1)])
    #expect(matches("1111") == [id(0x11)])
    #expect(matches(id(2).description) == [id(2)])
    #expect(matches(id(2).description.uppercased()) == [id(2)])
    #expect(matches(id(2).description.replacing("-", with: "")) == [id(2)])
    #expect(matches("ffff") == [])
    #expect(matches("9999999999999999") == [])
  }

  @Test func anEndingOfSeveralNotesMeansThemAll() throws {
    for (name, milliseconds) in [("1", 1), ("2", 2)] as [(String, Int64)] {
      let other = NoteID(milliseconds: milliseconds, random: Array(1...10))
      try sandbox.write(
        Array("Subject: \(name)\n\nx".utf8), to: sandbox.root + "/mail/sent/cur/\(other).vm:2,S")
    }
    let reference = try #require(NoteReference("0708090a"))
    #expect(History.matches(reference, among: try entries()).count == 2)
  }

  @Test(
    arguments: [
      ("@1", .nth(1)), ("@20", .nth(20)), ("abcd", .ending("abcd")), ("ABCD", .ending("abcd")),
      ("ab-cd", .ending("abcd")), ("1234", .ending("1234")),
      ("01890a5d-ac96-774b-bcce-b302099a8057", .ending("01890a5dac96774bbcceb302099a8057")),
      ("@0", nil), ("@-1", nil), ("@", nil), ("@x", nil), ("@99999999999999999999", nil),
      ("abc", nil), ("", nil), ("a-b-c", nil), ("abcg", nil), ("buy milk", nil), ("ａｂｃｄ", nil),
      ("001890a5dac96774bbcceb302099a8057", nil),
    ] as [(String, NoteReference?)])
  func aReferenceIsReadOrRefused(text: String, reference: NoteReference?) {
    #expect(NoteReference(text) == reference)
  }

  @Test func anEndingIsAsShortAsItCanBe() {
    let one = NoteID("01890a5d-ac96-774b-bcce-b302099a8057")
    let others = [
      ("01890a5d-ac96-774b-bcce-b302099a9999", "8057"),
      ("01890a5d-ac96-774b-bcce-b302099a9057", "8057"),
      ("01890a5d-ac96-774b-bcce-b302098a8057", "9a8057"),
      ("01890a5d-ac96-774b-bcce-b30209908057", "a8057"),
      ("01890a5d-ac96-774b-accc-b302099a8057", "eb302099a8057"),
      ("11890a5d-ac96-774b-bcce-b302099a8057", "01890a5dac96774bbcceb302099a8057"),
      ("01890a5d-ac96-774b-bcce-b302099a8057", "8057"),
    ]
    for (other, ending) in others {
      let ids = [one, NoteID(other)].compactMap { $0 }
      #expect(one?.shortestEnding(among: ids) == ending)
    }
    #expect(one?.shortestEnding(among: []) == "8057")
  }

  @Test func everyShortestEndingMeansItsNoteAlone() throws {
    var random = SeededGenerator(seed: 4)
    // Few different octets, so that endings are alike.
    let ids = (0..<200).map { number in
      NoteID(milliseconds: Int64(number), random: random.bytes(10).map { $0 & 1 })
    }
    for id in ids {
      let ending = id.shortestEnding(among: ids)
      #expect(ids.filter { $0.digits.hasSuffix(ending) } == [id])
      #expect(
        ending.count == 4 || ids.count { $0.digits.hasSuffix(ending.dropFirst()) } > 1)
      #expect(NoteReference(ending) == .ending(ending))
    }
  }

  // MARK: - What became of a note

  @Test func theStateIsToldByPlaceNameAndReason() throws {
    let deferred = Reason(.deferred(.rcpt), reply: Reply(code: 450, lines: ["4.2.1 later"]))
    let rejected = Reason(.rejected(.rcpt), reply: Reply(code: 550, lines: ["5.1.1 no"]))
    try put(1, "sent/cur/*.vm:2,S")
    try put(2, "outbox/new/*.vm")
    try put(3, "outbox/new/*.vm,D=1")
    try put(4, "outbox/new/*.vm,A=1")
    try put(5, "failed/cur/*.vm:2,F", reason: rejected)
    try put(6, "failed/cur/*.vm:2,F")
    try put(7, "failed/cur/*.vm:2,F")
    try state().setReason(deferred, for: id(3))
    try state().setReason(Reason(.damaged), for: id(6))
    let delay = Int64(Schedule.delay(afterFailure: 1, of: id(3)).rounded(.up))
    let expected: [HistoryEntry.State] = [
      .failed(nil), .failed(Reason(.damaged)), .failed(rejected),
      .perhapsDelivered(until: Self.now + 900, nil),
      .waiting(until: Self.now + delay, deferred), .waiting(until: Self.now, nil), .sent,
    ]
    let history = try history()
    for (entry, state) in zip(try entries(), expected) {
      #expect(try history.state(of: entry) == state)
      #expect(try history.content(of: entry).state == state)
    }
    #expect(try entries().count == expected.count)
  }

  @Test func theReportCountsNotesAndTellsWhatNeedsAPerson() throws {
    try put(1, "sent/cur/*.vm:2,S")
    // Neither the first nor the last that is counted is the one due next.
    try put(2, "outbox/new/*.vm,A=2")
    try put(3, "outbox/new/*.vm,A=1")
    try put(5, "outbox/new/*.vm,A=2")
    var report = try history().status(accounts: [nil, "work"], settingsModified: 0)
    #expect((report.sent, report.waiting, report.perhapsDelivered, report.failed) == (1, 3, 3, 0))
    #expect(report.nextDue == Self.now + 900)
    #expect(!report.needsPerson && report.held == [] && report.lastAccepted == nil)
    try put(4, "failed/cur/*.vm:2,F")
    report = try history().status(accounts: [nil], settingsModified: 0)
    #expect(report.failed == 1 && report.needsPerson)
  }

  @Test func anEmptyStoreHasNothingToTell() throws {
    #expect(try entries() == [])
    #expect(try history().status(accounts: [nil], settingsModified: 0) == StatusReport())
  }

  // MARK: - What a note says

  @Test func aNoteIsOpenedWithItsKey() throws {
    try put(1, "outbox/new/*.vm", text: "Grüße\nrest", account: "work")
    let entry = try #require(try entries().first)
    let content = try history().content(of: entry)
    #expect(content.message.subject == "Grüße")
    #expect(content.message.text == "Grüße\nrest\n")
    #expect(content.account == "work")
    #expect(content.message.header.first(named: "HP-Outer") == nil)
  }

  @Test func withoutTheKeyANoteIsSealed() throws {
    try put(1, "outbox/new/*.vm")
    _ = try IdentityFolder(sandbox.root + "/stranger").recipient(
      keyIsElsewhere: false, now: 0, random: .system)
    let entry = try #require(try entries().first)
    #expect(try failure(entry, identity: nil) == .sealed)
    #expect(try failure(entry, identity: "stranger") == .sealed)
    #expect(try history(identity: nil).state(of: entry) == .waiting(until: Self.now, nil))
  }

  @Test func aDamagedOrSwappedNoteIsToldSo() throws {
    let (one, other) = (try put(1, "sent/cur/*.vm:2,S"), try put(2, "sent/cur/*.vm:2,S"))
    let bytes = try sandbox.content("mail/" + one)
    try sandbox.write(
      try sandbox.content("mail/" + other), to: sandbox.root + "/mail/" + one)
    try sandbox.write(Array(bytes.dropLast(100)), to: sandbox.root + "/mail/" + other)
    for entry in try entries() { #expect(try failure(entry) == .damaged) }
  }

  @Test func aNoteThatIsGoneOrMovedSinceItWasListed() throws {
    let path = try put(1, "outbox/new/*.vm")
    let entry = try #require(try entries().first)
    try sandbox.rename("mail/" + path, "mail/outbox/cur/\(id(1)).vm,A=1:2,S")
    #expect(try history().content(of: entry).message.text == "first line\nrest\n")
    try sandbox.remove("mail/outbox/cur/\(id(1)).vm,A=1:2,S")
    #expect(try failure(entry) == .vanished)
  }

  /// As mail clients do while a list is gone through: another folder, and another name.
  @Test func aNoteIsFollowedToAnotherFolderAndName() throws {
    try put(1, "sent/cur/*.vm:2,S")
    let entry = try #require(try entries().first)
    try sandbox.rename("mail/sent/cur/\(id(1)).vm:2,S", "mail/failed/cur/\(id(1)).vm,U=3:2,F")
    #expect(try history().content(of: entry).state == .failed(nil))
    try sandbox.rename(
      "mail/failed/cur/\(id(1)).vm,U=3:2,F", "mail/sent/new/1500000000.M1P1.vm")
    #expect(try history().content(of: entry).state == .sent)
    #expect(try history().file(of: entry) == sandbox.content("mail/sent/new/1500000000.M1P1.vm"))
    try sandbox.remove("mail/sent/new/1500000000.M1P1.vm")
    #expect(try failure(entry) == .vanished)
  }

  @Test func aPlainNoteNeedsNoKey() throws {
    let text = Array("Subject: plain\nMemo-Account: work\n\nx\n".utf8)
    try sandbox.write(text, to: sandbox.root + "/mail/sent/cur/\(id(1)).vm:2,S")
    let entry = try #require(try entries().first)
    #expect(try history(identity: nil).content(of: entry).message.subject == "plain")
    #expect(try history(identity: nil).file(of: entry) == text)
  }
}
