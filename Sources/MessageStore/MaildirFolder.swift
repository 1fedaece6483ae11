public import MessageFormat
public import Posix

/// One folder of messages: a Maildir with its tmp, new and cur.
///
/// The format is that of `maildir(5)`; what mail clients do to it, and what we keep of that, is
/// told in memo-outbox(7).
public struct MaildirFolder: ~Copyable {
  /// The part of a Maildir in which a message lies.
  public enum Part: String, Sendable, CaseIterable {
    /// Not yet seen by a mail client.
    case new
    /// Seen, or put there with flags.
    case cur
  }

  /// A message's file, as it was when the folder was read.
  public struct Entry: Sendable, Equatable {
    /// The part of the folder.
    public let part: Part
    /// The file's name, verbatim.
    public let fileName: String
    /// The name's meaning, nil when it is not one of memo's.
    public let note: NoteFileName?

    /// An entry of a folder.
    package init(part: Part, fileName: String) {
      self.part = part
      self.fileName = fileName
      note = NoteFileName(fileName)
    }
  }

  /// The folder's path, for messages to its owner.
  public let path: String
  private let tmp: Directory
  private let new: Directory
  private let cur: Directory

  /// Opens a folder, made where it is missing.
  ///
  /// - Throws: `MessageStoreError.notPrivate` when others may write in it.
  public init(_ name: String, in root: borrowing Directory, at rootPath: String)
    throws(MessageStoreError)
  {
    let path = rootPath + "/" + name
    let folder = try Self.open(name, in: root, path)
    let tmp = try Self.open("tmp", in: folder, path + "/tmp")
    let new = try Self.open("new", in: folder, path + "/new")
    let cur = try Self.open("cur", in: folder, path + "/cur")
    self.path = path
    self.tmp = tmp
    self.new = new
    self.cur = cur
  }

  private static func open(
    _ name: String, in parent: borrowing Directory, _ path: String
  ) throws(MessageStoreError) -> Directory {
    do throws(Errno) {
      let directory = try Directory.making(name, in: parent)
      if try !directory.status().isWritableByOthers { return directory }
    } catch {
      throw .file(path: path, error)
    }
    throw .notPrivate(path: path)
  }
}

// MARK: - Looking

extension MaildirFolder {
  /// Every message of the folder, in no order.
  public borrowing func entries() throws(MessageStoreError) -> [Entry] {
    var entries: [Entry] = []
    try forEachEntry { entries.append($0) }
    return entries
  }

  /// Calls `body` with every message of the folder, in no order.
  ///
  /// Names with a leading dot and those of mail clients' own files are passed over; whether the
  /// rest are regular files shows when they are read. What `body` changes in the folder may come
  /// again under its new name.
  public borrowing func forEachEntry(
    _ body: (Entry) throws(MessageStoreError) -> Void
  ) throws(MessageStoreError) {
    _ = try containsEntry { (entry) throws(MessageStoreError) in
      try body(entry)
      return false
    }
  }

  /// Whether `body` is true of a message of the folder; it is asked until it is.
  public borrowing func containsEntry(
    where body: (Entry) throws(MessageStoreError) -> Bool = { _ in true }
  ) throws(MessageStoreError) -> Bool {
    for part in Part.allCases {
      var failure: MessageStoreError?
      let isFound = try containsName(in: part) { name in
        guard !Self.isForeign(name) else { return false }
        do throws(MessageStoreError) {
          return try body(Entry(part: part, fileName: name))
        } catch {
          failure = error
          return true
        }
      }
      if let failure { throw failure }
      if isFound { return true }
    }
    return false
  }

  /// Calls `body` with the identity of each of memo's notes in the folder, in no order.
  ///
  /// Quicker than `entries()` among very many files.
  public borrowing func forEachNote(
    _ body: (NoteID, Entry) -> Void, where isWanted: (NoteID) -> Bool
  ) throws(MessageStoreError) {
    for part in Part.allCases {
      try forEachName(in: part) { name in
        guard let id = NoteID(utf8: name.utf8.prefix(36)), isWanted(id) else { return }
        body(id, Entry(part: part, fileName: name))
      }
    }
  }

  /// The note's file as it is named now, nil when there is none.
  public borrowing func find(_ id: NoteID) throws(MessageStoreError) -> Entry? {
    var found: Entry?
    let prefix = id.description
    for part in Part.allCases where found == nil {
      try forEachName(in: part) { name in
        guard name.hasPrefix(prefix) else { return }
        let entry = Entry(part: part, fileName: name)
        if entry.note?.id == id { found = entry }
      }
    }
    return found
  }

  /// Reads a message, at most `limit` octets.
  ///
  /// - Throws: `MessageStoreError.vanished` when no file of that note is there any more; other
  ///   kinds of file than regular ones are an error, and are never waited for.
  public borrowing func read(_ entry: Entry, limit: Int) throws(MessageStoreError) -> [UInt8] {
    try following(entry) { (now: Entry) throws(Errno) in
      switch now.part {
      case .new: try new.read(now.fileName, limit: limit)
      case .cur: try cur.read(now.fileName, limit: limit)
      }
    }
  }

  /// What a message's file is.
  public borrowing func status(of entry: Entry) throws(MessageStoreError) -> FileStatus {
    try following(entry) { (now: Entry) throws(Errno) in
      switch now.part {
      case .new: try new.status(of: now.fileName)
      case .cur: try cur.status(of: now.fileName)
      }
    }
  }

  /// When names in new/ and in cur/ changed last, in nanoseconds since 1970.
  public borrowing func lastChanges() throws(MessageStoreError) -> [Int64] {
    do throws(Errno) {
      return try [new.status().modifiedNanoseconds, cur.status().modifiedNanoseconds]
    } catch {
      throw .file(path: path, error)
    }
  }

  private static func isForeign(_ name: String) -> Bool {
    name.hasPrefix(".") || name.hasPrefix("dovecot") || name == "maildirfolder"
  }

  private borrowing func forEachName(
    in part: Part, _ body: (String) -> Void
  ) throws(MessageStoreError) {
    _ = try containsName(in: part) { name in
      body(name)
      return false
    }
  }

  private borrowing func containsName(
    in part: Part, where body: (String) -> Bool
  ) throws(MessageStoreError) -> Bool {
    do throws(Errno) {
      switch part {
      case .new: return try new.containsName(where: body)
      case .cur: return try cur.containsName(where: body)
      }
    } catch {
      throw .file(path: path + "/" + part.rawValue, error)
    }
  }

  /// Does something to a file; again under its new name if a mail client renamed it meanwhile.
  private borrowing func following<Result>(
    _ entry: Entry, _ body: (Entry) throws(Errno) -> Result
  ) throws(MessageStoreError) -> Result {
    var now = entry
    for _ in 0..<Self.mostRenames {
      do throws(Errno) {
        return try body(now)
      } catch .noSuchFile {
        guard let renamed = try findAgain(now) else { throw .vanished }
        now = renamed
      } catch {
        throw .file(path: path(of: now), error)
      }
    }
    throw .vanished
  }

  /// How often a file is looked for while one thing is done to it.
  private static let mostRenames = 6

  /// A message under its new name; nil when two looks do not find it.
  ///
  /// One look can miss a file that is renamed meanwhile: it has passed the place of the new name
  /// and not yet come to that of the old one.
  private borrowing func findAgain(_ entry: Entry) throws(MessageStoreError) -> Entry? {
    guard let id = entry.note?.id else { return nil }
    if let found = try find(id) { return found }
    return try find(id)
  }

  /// The path of a message's file.
  public borrowing func path(of entry: Entry) -> String {
    path + "/" + entry.part.rawValue + "/" + entry.fileName
  }
}

// MARK: - Changing

extension MaildirFolder {
  /// Puts a new message into new/ or cur/: whole, durable and at once, or not at all.
  ///
  /// - Throws: `MessageStoreError.notDurable` when the message is there but may not survive a
  ///   power cut; any other error means that it is not there.
  public borrowing func publish(
    _ bytes: [UInt8], as name: NoteFileName, in part: Part
  ) throws(MessageStoreError) {
    let (fileName, stagingName) = (name.description, name.id.description)
    let bytes = bytes.span
    do throws(Directory.PublishingError) {
      switch part {
      case .new: try new.publish(bytes, as: fileName, staging: tmp, stagingName: stagingName)
      case .cur: try cur.publish(bytes, as: fileName, staging: tmp, stagingName: stagingName)
      }
    } catch {
      let path = path + "/" + part.rawValue + "/" + fileName
      switch error {
      case .exists: throw .file(path: path, .fileExists)
      case .notPublished(let cause): throw .file(path: path, cause)
      case .notDurable(let cause): throw .notDurable(path: path, cause)
      }
    }
  }

  /// Renames a message where it is, and makes that durable.
  ///
  /// - Parameters:
  ///   - entry: The message as last seen; it is found again if its name changed meanwhile.
  ///   - time: The seconds since 1970 that the file's time of last modification becomes.
  ///   - name: Makes the new name from the present one; nil leaves the message as it is.
  /// - Returns: The message where it is now.
  /// - Throws: `MessageStoreError.vanished` when no file of that note is there any more, or
  ///   `name` gave nil.
  public borrowing func rename(
    _ entry: Entry, modified time: Int64, name: (NoteFileName) -> NoteFileName?
  ) throws(MessageStoreError) -> Entry {
    try following(entry) { (now: Entry) throws(Errno) in
      let to = try Self.target(of: now, part: now.part, name)
      switch now.part {
      case .new: try Self.rename(now, to, in: new, time)
      case .cur: try Self.rename(now, to, in: cur, time)
      }
      return to
    }
  }

  /// Gives a message a name of memo's where it is; an error where that name exists.
  public borrowing func rename(
    _ entry: Entry, to name: NoteFileName
  ) throws(MessageStoreError) {
    var name = name
    if entry.part == .cur { name.flags = "" }
    let newName = name.description
    try following(entry) { (now: Entry) throws(Errno) in
      switch now.part {
      case .new:
        try new.rename(now.fileName, into: new, as: newName)
        try new.sync()
      case .cur:
        try cur.rename(now.fileName, into: cur, as: newName)
        try cur.sync()
      }
    }
  }

  /// From when on a power cut can no longer undo a change.
  public enum Durability: Sendable {
    /// When the change is done.
    case atOnce
    /// When the folder is made durable next.
    case later
  }

  /// Moves a message into cur/ of another folder by one rename, and makes its new place durable.
  ///
  /// Until its old place is durable as well, it may lie in both after a power cut.
  ///
  /// - Throws: `MessageStoreError.vanished` when no file of that note is there any more.
  public borrowing func move(
    _ entry: Entry, into folder: borrowing MaildirFolder, modified time: Int64,
    leaving departure: Durability = .atOnce, name: (NoteFileName) -> NoteFileName
  ) throws(MessageStoreError) -> Entry {
    try following(entry) { (now: Entry) throws(Errno) in
      let to = try Self.target(of: now, part: .cur, name)
      switch now.part {
      case .new: try Self.move(now, to, from: new, into: folder.cur, time, departure)
      case .cur: try Self.move(now, to, from: cur, into: folder.cur, time, departure)
      }
      return to
    }
  }

  /// Makes durable what was left for later.
  public borrowing func sync() throws(MessageStoreError) {
    do throws(Errno) {
      try new.sync()
      try cur.sync()
    } catch {
      throw .file(path: path, error)
    }
  }

  /// Replaces a message's octets, under a name without recorded sizes, at once.
  ///
  /// The time of last modification stays. The new octets are durable in either case; before the
  /// change is, a power cut may bring back the old ones.
  public borrowing func replace(
    _ entry: Entry, with bytes: [UInt8], durable durability: Durability = .atOnce
  ) throws(MessageStoreError) {
    try following(entry) { (now: Entry) throws(Errno) in
      switch now.part {
      case .new: try Self.replace(now, with: bytes, in: new, staging: tmp, durability)
      case .cur: try Self.replace(now, with: bytes, in: cur, staging: tmp, durability)
      }
    }
  }

  /// Gives a message's file another name elsewhere on its file system.
  borrowing func link(
    _ entry: Entry, into folder: borrowing Directory, as name: String
  ) throws(MessageStoreError) {
    try following(entry) { (now: Entry) throws(Errno) in
      switch now.part {
      case .new: try new.link(now.fileName, into: folder, as: name)
      case .cur: try cur.link(now.fileName, into: folder, as: name)
      }
    }
  }

  /// Removes a message under just this name.
  ///
  /// - Parameters:
  ///   - entry: The message as last seen.
  ///   - departure: When a power cut can no longer bring it back.
  /// - Throws: `MessageStoreError.vanished` when somebody renamed or removed it before: then
  ///   nothing is removed.
  public borrowing func removeExactly(
    _ entry: Entry, leaving departure: Durability = .atOnce
  ) throws(MessageStoreError) {
    do throws(Errno) {
      switch entry.part {
      case .new:
        try new.remove(entry.fileName)
        if departure == .atOnce { try new.sync() }
      case .cur:
        try cur.remove(entry.fileName)
        if departure == .atOnce { try cur.sync() }
      }
    } catch .noSuchFile {
      throw .vanished
    } catch {
      throw .file(path: path(of: entry), error)
    }
  }

  /// Sets the time of a message's last modification, in seconds since 1970.
  public borrowing func setModified(
    _ entry: Entry, seconds: Int64
  ) throws(MessageStoreError) {
    try following(entry) { (now: Entry) throws(Errno) in
      switch now.part {
      case .new: try new.setModified(now.fileName, seconds: seconds)
      case .cur: try cur.setModified(now.fileName, seconds: seconds)
      }
    }
  }

  /// Removes a message that lies elsewhere too, and makes that durable.
  public borrowing func remove(_ entry: Entry) throws(MessageStoreError) {
    try following(entry) { (now: Entry) throws(Errno) in
      switch now.part {
      case .new:
        try new.remove(now.fileName)
        try new.sync()
      case .cur:
        try cur.remove(now.fileName)
        try cur.sync()
      }
    }
  }

  /// Removes what unfinished captures left in tmp/ and nobody can be writing any more.
  ///
  /// The age of 36 hours is Maildir's own rule.
  public borrowing func sweep(now seconds: Int64) throws(MessageStoreError) {
    do throws(Errno) {
      var names: [String] = []
      try tmp.forEachName { names.append($0) }
      for name in names where name.hasPrefix(".") == false {
        let status = try tmp.status(of: name)
        guard status.isRegularFile, status.modified < seconds - 36 * 3600 else { continue }
        try tmp.remove(name)
      }
    } catch .noSuchFile {
      // Its writer finished just now.
    } catch {
      throw .file(path: path + "/tmp", error)
    }
  }

  private static func target(
    of entry: Entry, part: Part, _ name: (NoteFileName) -> NoteFileName?
  ) throws(Errno) -> Entry {
    guard let note = entry.note else { throw .wrongKind }
    guard let newName = name(note) else { throw .noSuchFile }
    return Entry(part: part, fileName: newName.description)
  }

  private static func rename(
    _ entry: Entry, _ to: Entry, in part: borrowing Directory, _ time: Int64
  ) throws(Errno) {
    try part.setModified(entry.fileName, seconds: time)
    try part.rename(entry.fileName, into: part, as: to.fileName)
    try part.sync()
  }

  private static func move(
    _ entry: Entry, _ to: Entry, from source: borrowing Directory,
    into target: borrowing Directory, _ time: Int64, _ departure: Durability
  ) throws(Errno) {
    try source.setModified(entry.fileName, seconds: time)
    try source.rename(entry.fileName, into: target, as: to.fileName)
    // First the place where the note must be found, then the one where it must not.
    try target.sync()
    if departure == .atOnce { try source.sync() }
  }

  private static func replace(
    _ entry: Entry, with bytes: [UInt8], in part: borrowing Directory,
    staging: borrowing Directory, _ durability: Durability
  ) throws(Errno) {
    let modified = try part.status(of: entry.fileName).modified
    let newName = NoteFileName.rewritten(entry.fileName)
    let stagingName = entry.note?.id.description ?? entry.fileName
    // A crash may have left one there, which would be in the way until it is swept.
    try? staging.remove(stagingName)
    // Without the sizes first: they are a hint that may be missing, never one that may be wrong.
    if newName != entry.fileName { try part.rename(entry.fileName, into: part, as: newName) }
    // A mail client may rename it at any time: it must not then be there twice.
    try part.rewrite(
      newName, with: bytes.span, modified: modified, staging: staging,
      stagingName: stagingName)
    if durability == .atOnce { try part.sync() }
  }
}
