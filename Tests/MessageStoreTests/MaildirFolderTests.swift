import Foundation
import MessageFormat
import Posix
import TestSupport
import Testing

@testable import MessageStore

@Suite final class MaildirFolderTests {
  let sandbox: Sandbox
  let store: MailStore
  let id = NoteID(milliseconds: 1_700_000_000_000, random: Array(1...10))

  init() throws {
    sandbox = try Sandbox()
    store = try MailStore(sandbox.root + "/mail")
  }

  private func octets(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func path(_ rest: String) -> String { sandbox.root + "/mail/" + rest }

  /// The files of all three folders, tmp/ too.
  private func files() throws -> [String] { try sandbox.files(below: "mail") }

  /// A message put by hand, and the entry of it.
  private func put(
    _ rest: String, in folder: String = "outbox", part: MaildirFolder.Part = .new
  ) throws -> MaildirFolder.Entry {
    let name = id.description + rest
    try sandbox.write(octets("x"), to: path("\(folder)/\(part)/\(name)"))
    return MaildirFolder.Entry(part: part, fileName: name)
  }

  // MARK: - The folders

  @Test func theStoreIsMadeForItsUserAlone() throws {
    for folder in ["outbox", "sent", "failed"] {
      for part in ["", "/tmp", "/new", "/cur"] {
        #expect(try sandbox.mode("mail/" + folder + part) == 0o700)
      }
    }
  }

  // RELIABILITY row 18.
  @Test(arguments: ["", "/sent", "/outbox/new", "/failed/tmp"])
  func aFolderThatOthersMayWriteIsRefused(folder: String) throws {
    let path = sandbox.root + "/mail" + folder
    try sandbox.setMode("mail" + folder, 0o770)
    #expect(throws: MessageStoreError.notPrivate(path: path)) {
      _ = try MailStore(sandbox.root + "/mail")
    }
  }

  @Test(arguments: ["outbox", "sent/cur"]) func aFolderThatIsALinkIsRefused(folder: String) throws {
    try sandbox.rename("mail/" + folder, "aside")
    try sandbox.link("mail/" + folder, to: sandbox.root + "/aside")
    #expect(throws: MessageStoreError.self) { _ = try MailStore(sandbox.root + "/mail") }
  }

  @Test func aCaptureTouchesTheOutboxAlone() throws {
    _ = try MailStore.outbox(at: sandbox.root + "/other")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: sandbox.root + "/other") == ["outbox"])
  }

  @Test func oneSenderLocksTheStore() throws {
    let held = try store.lock()
    #expect(held != nil ? true : false)
    #expect(MailStore.hasSender(at: sandbox.root + "/mail"))
    let second = try MailStore(sandbox.root + "/mail").lock()
    #expect(second == nil ? true : false)
    held?.release()
    // A child that another test is starting has a copy of the descriptor until its exec(2).
    try wait(for: "the release") { !MailStore.hasSender(at: sandbox.root + "/mail") }
    #expect(!MailStore.hasSender(at: sandbox.root + "/nowhere"))
  }

  // MARK: - Looking

  // C18, RELIABILITY row 16.
  @Test func strayFilesAreNotMessages() throws {
    for name in [
      ".DS_Store", ".mbsyncstate", "dovecot-uidlist", "dovecot.index.log", "dovecot-keywords",
      "maildirfolder",
    ] {
      try sandbox.write(octets("x"), to: path("sent/cur/" + name))
    }
    try sandbox.write(octets("x"), to: path("sent/cur/1325341040.M1P1.host:2,"))
    try sandbox.write(octets("x"), to: path("sent/cur/1325341041.M1P1.host:2,S"))
    try sandbox.write(octets("x"), to: path("sent/new/1325341042.M1P1.host"))
    try sandbox.write(octets("x"), to: path("sent/new/1325341043.M1P1.host"))
    try sandbox.write(octets("x"), to: path("sent/tmp/1325341044.M1P1.host"))
    let before = try files()
    let entries = try store.sent.entries()
    #expect(entries.count == 4)
    #expect(entries.allSatisfy { $0.note == nil && $0.fileName.hasPrefix("13253410") })
    #expect(try files() == before)
  }

  @Test func notesAreFoundInBothParts() throws {
    let other = NoteID(milliseconds: 1, random: Array(1...10))
    _ = try put(".vm", part: .new)
    try sandbox.write(octets("x"), to: path("outbox/cur/\(other).vm,D=1:2,S"))
    try sandbox.write(octets("x"), to: path("outbox/cur/1325341040.M1P1.host:2,"))
    var found: [NoteID] = []
    try store.outbox.forEachNote({ id, _ in found.append(id) }, where: { _ in true })
    #expect(Set(found) == [id, other])
    found = []
    try store.outbox.forEachNote({ id, _ in found.append(id) }, where: { $0 == other })
    #expect(found == [other])
    #expect(try store.outbox.find(other)?.fileName == "\(other).vm,D=1:2,S")
    #expect(try store.outbox.find(NoteID(milliseconds: 2, random: Array(1...10))) == nil)
  }

  @Test func aNameThatOnlyBeginsLikeANotesIsNotFound() throws {
    _ = try put("x.vm")
    #expect(try store.outbox.find(id) == nil)
  }

  // RELIABILITY row 17, facts/formats.md §5: what clients do between a look and the next step.
  static let clients = [
    ("new/.vm", "cur/.vm:2,"), ("new/.vm", "cur/.vm:2,S"), ("cur/.vm:2,", "cur/.vm:2,FS"),
    ("new/.vm,D=1", "cur/.vm,D=1,U=7:2,Sa"), ("cur/.vm:2,S", "new/.vm"),
  ]

  @Test(arguments: clients)
  func aNoteIsFollowedWhenAClientRenamesIt(before: String, after: String) throws {
    let entry = try arrange(before, after)
    #expect(try store.outbox.read(entry, limit: 10) == octets("x"))
    #expect(try store.outbox.status(of: entry).isRegularFile)
    let renamed = try store.outbox.rename(entry, modified: 1_700_000_000) { name in
      var name = name
      name.unanswered += 1
      return name
    }
    // What the client changed is kept.
    let expected = try #require(NoteFileName(id.description + after.dropFirst(4)))
    #expect(renamed.note?.flags == expected.flags)
    #expect(renamed.note?.otherFields == expected.otherFields)
    #expect(renamed.note?.unanswered == 1)
    let now = "outbox/\(renamed.part)/\(renamed.fileName)"
    #expect(try files() == [now])
    #expect(try sandbox.modified("mail/" + now) == 1_700_000_000)
  }

  /// Puts a note where it was when it was looked at, then where it is now.
  private func arrange(_ before: String, _ after: String) throws -> MaildirFolder.Entry {
    let part = try #require(MaildirFolder.Part(rawValue: String(before.prefix(3))))
    let entry = try put(String(before.dropFirst(4)), part: part)
    let target = "outbox/\(after.prefix(3))/\(id)\(after.dropFirst(4))"
    try sandbox.rename("mail/outbox/\(part)/" + entry.fileName, "mail/" + target)
    return entry
  }

  @Test(arguments: clients)
  func aMoveFollowsToo(before: String, after: String) throws {
    let entry = try arrange(before, after)
    let moved = try store.outbox.move(entry, into: store.sent, modified: 1_600_000_000) {
      $0.moved(flags: "S")
    }
    #expect(moved.part == .cur)
    #expect(moved.note?.otherFields == [])
    #expect(try files() == ["sent/cur/" + moved.fileName])
    #expect(moved.fileName.hasSuffix(":2,S"))
    #expect(try sandbox.modified("mail/sent/cur/" + moved.fileName) == 1_600_000_000)
  }

  @Test func aNoteThatIsGoneHasVanished() throws {
    let entry = try put(".vm")
    try sandbox.remove("mail/outbox/new/" + entry.fileName)
    #expect(throws: MessageStoreError.vanished) { _ = try store.outbox.read(entry, limit: 10) }
    #expect(throws: MessageStoreError.vanished) { _ = try store.outbox.status(of: entry) }
    #expect(throws: MessageStoreError.vanished) { try store.outbox.remove(entry) }
    #expect(throws: MessageStoreError.vanished) {
      try store.outbox.replace(entry, with: octets("y"))
    }
    #expect(throws: MessageStoreError.vanished) {
      _ = try store.outbox.rename(entry, modified: 0) { $0 }
    }
    #expect(throws: MessageStoreError.vanished) {
      _ = try store.outbox.move(entry, into: store.sent, modified: 0) { $0 }
    }
    #expect(try files() == [])
  }

  // RELIABILITY row 16.
  @Test(
    .timeLimit(.minutes(1)), arguments: ["symlink", "FIFO", "directory", "socket", "dangling"])
  func onlyRegularFilesAreRead(kind: String) throws {
    let target = path("outbox/new/\(id).vm")
    try make(kind, at: target)
    let entry = try #require(try store.outbox.find(id))
    #expect(throws: MessageStoreError.self) { _ = try store.outbox.read(entry, limit: 100) }
    #expect(try !store.outbox.status(of: entry).isRegularFile)
    // Neither removed nor changed.
    #expect(try FileManager.default.attributesOfItem(atPath: target)[.size] != nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path("outbox/new")).count == 1)
  }

  private func make(_ kind: String, at target: String) throws {
    switch kind {
    case "symlink":
      try sandbox.write(octets("secret"), to: sandbox.root + "/outside")
      try sandbox.link("mail/outbox/new/\(id).vm", to: sandbox.root + "/outside")
    case "dangling":
      try sandbox.link("mail/outbox/new/\(id).vm", to: "none")
    case "FIFO":
      #expect(unsafe mkfifo(target, 0o600) == 0)
    case "directory":
      try FileManager.default.createDirectory(
        atPath: target, withIntermediateDirectories: false)
    default:
      // A name of a socket is short: bound elsewhere, then renamed.
      let script = "import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])"
      #expect(try run("/usr/bin/python3", ["-c", script, sandbox.root + "/s"]).status == 0)
      try FileManager.default.moveItem(atPath: sandbox.root + "/s", toPath: target)
    }
  }

  @Test func aFileLargerThanTheLimitIsNotRead() throws {
    let entry = try put(".vm")
    #expect(
      throws: MessageStoreError.file(path: path("outbox/new/" + entry.fileName), .tooLarge)
    ) { _ = try store.outbox.read(entry, limit: 0) }
  }

  @Test func aRenameToNoNameLeavesTheNoteAndTakesItForGone() throws {
    let entry = try put(".vm:2,T", part: .cur)
    #expect(throws: MessageStoreError.vanished) {
      _ = try store.outbox.rename(entry, modified: 0) { $0.isTrashed ? nil : $0 }
    }
    #expect(try files() == ["outbox/cur/" + entry.fileName])
    #expect(try sandbox.modified("mail/outbox/cur/" + entry.fileName) != 0)
  }

  // MARK: - Changing

  @Test(arguments: MaildirFolder.Part.allCases)
  func aPublishedNoteIsThereOnce(part: MaildirFolder.Part) throws {
    var name = NoteFileName(id: id, host: "vm")
    if part == .cur { name.flags = "S" }
    try store.outbox.publish(octets("note"), as: name, in: part)
    #expect(try files() == ["outbox/\(part)/\(name)"])
    let entry = try #require(try store.outbox.find(id))
    #expect(try store.outbox.read(entry, limit: 100) == octets("note"))
    #expect(throws: MessageStoreError.file(path: path("outbox/\(part)/\(name)"), .fileExists)) {
      try store.outbox.publish(octets("other"), as: name, in: part)
    }
    #expect(try store.outbox.read(entry, limit: 100) == octets("note"))
    #expect(try files() == ["outbox/\(part)/\(name)"])
  }

  @Test func aRenameNeverReplacesATwin() throws {
    let entry = try put(".vm")
    _ = try put(".vm,A=1")
    #expect(
      throws: MessageStoreError.file(path: path("outbox/new/" + entry.fileName), .fileExists)
    ) {
      _ = try store.outbox.rename(entry, modified: 0) { name in
        var name = name
        name.unanswered = 1
        return name
      }
    }
    #expect(try files().count == 2)
  }

  @Test func aMoveNeverReplacesACopy() throws {
    let entry = try put(".vm")
    try sandbox.write(octets("theirs"), to: path("sent/cur/\(id).vm:2,S"))
    #expect(
      throws: MessageStoreError.file(path: path("outbox/new/" + entry.fileName), .fileExists)
    ) {
      _ = try store.outbox.move(entry, into: store.sent, modified: 0) { $0.moved(flags: "S") }
    }
    let copy = try #require(try store.sent.find(id))
    #expect(try store.sent.read(copy, limit: 100) == octets("theirs"))
  }

  @Test func aFileWithoutANotesNameIsNotRenamed() throws {
    try sandbox.write(octets("x"), to: path("outbox/cur/1325341040.M1P1.host:2,"))
    let entry = MaildirFolder.Entry(part: .cur, fileName: "1325341040.M1P1.host:2,")
    #expect(throws: MessageStoreError.self) {
      _ = try store.outbox.rename(entry, modified: 0) { $0 }
    }
    // What it holds can be: a change of the key seals it anew.
    try store.outbox.replace(entry, with: octets("y"))
    let name = "outbox/cur/1325341040.M1P1.host:2,"
    #expect(try files() == [name])
    #expect(try sandbox.content("mail/" + name) == octets("y"))
  }

  @Test func newOctetsComeUnderANameWithoutSizesAndKeepTheTime() throws {
    let entry = try put(".vm,S=1,W=1,U=3:2,F", in: "failed", part: .cur)
    try sandbox.setModified("mail/failed/cur/" + entry.fileName, 1_500_000_000)
    try store.failed.replace(entry, with: octets("new octets"))
    let now = "failed/cur/\(id).vm,U=3:2,F"
    #expect(try files() == [now])
    #expect(try sandbox.content("mail/" + now) == octets("new octets"))
    #expect(try sandbox.modified("mail/" + now) == 1_500_000_000)
  }

  @Test func whatACrashLeftInTmpDoesNotStopAReplacement() throws {
    let entry = try put(".vm:2,F", in: "failed", part: .cur)
    try sandbox.write(octets("half"), to: path("failed/tmp/\(id)"))
    try store.failed.replace(entry, with: octets("whole"))
    #expect(try store.failed.read(entry, limit: 100) == octets("whole"))
    #expect(try files() == ["failed/cur/" + entry.fileName])
  }

  @Test func aRemovedNoteIsGone() throws {
    for part in MaildirFolder.Part.allCases {
      let entry = try put(".vm", part: part)
      try store.outbox.remove(entry)
      #expect(try files() == [])
    }
  }

  @Test func tmpIsSweptAfter36HoursAndNoSooner() throws {
    let now: Int64 = 1_700_000_000
    for (name, age): (String, Int64) in [
      ("old", 36 * 3600 + 1), ("just", 36 * 3600), ("young", 60), ("ahead", -60),
    ] {
      try sandbox.write(octets("x"), to: path("outbox/tmp/" + name))
      try sandbox.setModified("mail/outbox/tmp/" + name, now - age)
    }
    try FileManager.default.createDirectory(
      atPath: path("outbox/tmp/folder"), withIntermediateDirectories: false,
      attributes: [.modificationDate: Date(timeIntervalSince1970: 0)])
    try store.outbox.sweep(now: now)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: path("outbox/tmp")).sorted()
        == ["ahead", "folder", "just", "young"])
  }

  @Test func aSweepTouchesNothingButTmp() throws {
    _ = try put(".vm")
    try sandbox.setModified("mail/outbox/new/\(id).vm", 0)
    try store.outbox.sweep(now: 1_700_000_000)
    #expect(try files() == ["outbox/new/\(id).vm"])
  }
}
