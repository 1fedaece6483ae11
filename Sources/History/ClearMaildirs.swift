internal import MessageStore
internal import Posix

// Design: one Maildir holds every note, since that is what one wants to read; in it lie three more
// Maildirs, with the same files linked, for those who want to look at one folder. Names and flags
// are those of the store, so that a client's marks for new, read and flagged tell what became of
// each note.

/// The history laid out in clear, for a mail client.
struct ClearMaildirs: ~Copyable {
  private let whole: Maildir
  private let outbox: Maildir
  private let sent: Maildir
  private let failed: Maildir

  /// Makes the empty folders in one that is private.
  init(in root: borrowing Directory) throws(Errno) {
    let whole = try Maildir(in: root)
    let outbox = try Maildir(in: try Directory.making("outbox", in: root))
    let sent = try Maildir(in: try Directory.making("sent", in: root))
    let failed = try Maildir(in: try Directory.making("failed", in: root))
    self.whole = whole
    self.outbox = outbox
    self.sent = sent
    self.failed = failed
  }

  /// Puts a note where the store has it, and among all.
  ///
  /// - Parameters:
  ///   - bytes: The message.
  ///   - entry: The note.
  ///   - modified: The file's time of last modification, in seconds since 1970.
  /// - Throws: When there is no room.
  borrowing func put(
    _ bytes: [UInt8], of entry: HistoryEntry, modified: Int64
  ) throws(Errno) {
    switch entry.folder {
    case .outbox: try put(bytes, entry, modified, outbox)
    case .sent: try put(bytes, entry, modified, sent)
    case .failed: try put(bytes, entry, modified, failed)
    }
  }

  private borrowing func put(
    _ bytes: [UInt8], _ entry: HistoryEntry, _ modified: Int64, _ maildir: borrowing Maildir
  ) throws(Errno) {
    switch entry.file.part {
    case .new: try Self.put(bytes, entry, modified, maildir.new, whole.new)
    case .cur: try Self.put(bytes, entry, modified, maildir.cur, whole.cur)
    }
  }

  private static func put(
    _ bytes: [UInt8], _ entry: HistoryEntry, _ modified: Int64, _ place: borrowing Directory,
    _ whole: borrowing Directory
  ) throws(Errno) {
    let name = entry.file.fileName
    let file = try place.open(name, .createExclusively)
    try file.write(bytes.span)
    try file.close()
    try place.setModified(name, seconds: modified)
    do throws(Errno) {
      try place.link(name, into: whole, as: name)
    } catch .fileExists {
      // Two folders may hold files of one name, if a mail client gave it.
      try place.link(name, into: whole, as: entry.folder.rawValue + "." + name)
    }
  }
}

/// The parts of a Maildir that hold messages.
private struct Maildir: ~Copyable {
  let new: Directory
  let cur: Directory

  init(in folder: borrowing Directory) throws(Errno) {
    _ = try Directory.making("tmp", in: folder)
    let new = try Directory.making("new", in: folder)
    let cur = try Directory.making("cur", in: folder)
    self.new = new
    self.cur = cur
  }
}
