public import MessageFormat
public import MessageStore
public import Outbox
public import Posix
public import Sealing

/// The notes of a store, as a person looks at them.
public struct History: ~Copyable {
  let store: MailStore
  let state: StateFolder
  private let opener: Opener?
  private let cache: SealedCache?
  private let isLocked: Bool
  private let clock: Clock
  /// The largest file that is read, in octets.
  private let sizeLimit = 64 << 20

  /// The history of a store; without an opener only its outside is told.
  ///
  /// - Parameters:
  ///   - store: The notes.
  ///   - state: What is remembered beside them.
  ///   - opener: Opens what is sealed.
  ///   - isLocked: Whether there is no opener because the key's passphrase is not at hand.
  ///   - cache: The sealed originals of notes that lie there encrypted with OpenPGP.
  ///   - clock: The time.
  public init(
    store: consuming MailStore, state: consuming StateFolder, opener: consuming Opener?,
    isLocked: Bool = false, cache: SealedCache? = nil, clock: Clock
  ) {
    self.store = store
    self.state = state
    self.opener = opener
    self.cache = cache
    self.isLocked = isLocked
    self.clock = clock
  }
}

// MARK: - Which notes there are

extension History {
  /// Every note, newest first, each once: the copy whose state is the further one counts.
  ///
  /// - Parameter folders: Only notes that lie in these.
  /// - Returns: What names and places tell; nothing is opened but files whose name is not memo's.
  ///   One that was removed meanwhile may be among them.
  /// - Throws: `HistoryError.store` when a folder cannot be read.
  public borrowing func entries(
    in folders: Set<MailStore.FolderName>
  ) throws(HistoryError) -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    for number in 1...Self.mostLooks {
      let (found, isComplete) = try watchedLook()
      let ids = number == 1 ? [] : Set(found.compactMap(\.id))
      entries = found + entries.filter { $0.id.map { !ids.contains($0) } ?? false }
      if isComplete { break }
    }
    return entries.filter { folders.contains($0.folder) }
      .sorted { ($0.captured, $0.file.fileName) > ($1.captured, $1.file.fileName) }
  }

  private borrowing func files(
    in folder: MailStore.FolderName
  ) throws(HistoryError) -> [MaildirFolder.Entry] {
    do throws(MessageStoreError) {
      switch folder {
      case .outbox: return try store.outbox.entries()
      case .sent: return try store.sent.entries()
      case .failed: return try store.failed.entries()
      }
    } catch {
      throw .store(error)
    }
  }

  private borrowing func entry(
    of file: MaildirFolder.Entry, in folder: MailStore.FolderName
  ) -> HistoryEntry? {
    if let id = file.note?.id {
      return HistoryEntry(folder: folder, file: file, id: id, captured: id.milliseconds)
    }
    // A name that a mail client gave it: the message itself has to tell.
    guard let outer = try? read(file, in: folder) else { return nil }
    let id = outer.idOfMessageID
    let captured = id?.milliseconds ?? (outer.date?.secondsSinceEpoch ?? 0) * 1000
    return HistoryEntry(folder: folder, file: file, id: id, captured: captured)
  }

  /// The notes that a reference may mean; one is the answer, none or several are not.
  public static func matches(
    _ reference: NoteReference, among entries: [HistoryEntry]
  ) -> [HistoryEntry] {
    switch reference {
    case .nth(let number): entries.dropFirst(number - 1).prefix(1).map { $0 }
    case .ending(let digits): entries.filter { $0.id?.digits.hasSuffix(digits) ?? false }
    }
  }
}

// MARK: - While others rename and move

extension History {
  // Design: one look can miss a file that is renamed or moved meanwhile: it has passed the place of
  // the new name and not yet come to that of the old one. So a look counts for all of them only
  // where no folder changed during it; else a few looks together do.
  private static let mostLooks = 4
  /// How often a note is followed while one thing is done to it.
  private static let mostMoves = 8
  /// Times of modification are as coarse as the kernel's tick; twice its longest, and more.
  private static let tickMilliseconds: Int64 = 50

  /// One look, and whether no name can have changed during it.
  private borrowing func watchedLook() throws(HistoryError) -> ([HistoryEntry], Bool) {
    let began = clock.milliseconds()
    let before = try lastChanges()
    let found = try look()
    let isOld = before.allSatisfy { abs(began - $0 / 1_000_000) > Self.tickMilliseconds }
    let after = try lastChanges()
    return (found, isOld && before == after)
  }

  private borrowing func lastChanges() throws(HistoryError) -> [Int64] {
    do throws(MessageStoreError) {
      return try store.outbox.lastChanges() + store.sent.lastChanges() + store.failed.lastChanges()
    } catch {
      throw .store(error)
    }
  }

  /// Every note that one look finds, each once.
  private borrowing func look() throws(HistoryError) -> [HistoryEntry] {
    var known: Set<NoteID> = []
    var entries: [HistoryEntry] = []
    // A note on its way between two is taken from the first of them.
    for folder in [MailStore.FolderName.sent, .failed, .outbox] {
      for file in try files(in: folder) {
        guard let entry = entry(of: file, in: folder) else { continue }
        if let id = entry.id {
          guard known.insert(id).inserted else { continue }
        }
        entries.append(entry)
      }
    }
    return entries
  }

  private borrowing func find(_ id: NoteID) throws(HistoryError) -> HistoryEntry? {
    for _ in 0..<Self.mostLooks {
      if let found = try look().first(where: { $0.id == id }) { return found }
    }
    return nil
  }

  /// Does something with a note; again where it lies now, if somebody moved it meanwhile.
  private borrowing func following<Result>(
    _ entry: HistoryEntry, _ body: (HistoryEntry) throws(HistoryError) -> Result
  ) throws(HistoryError) -> Result {
    var now = entry
    for _ in 0..<Self.mostMoves {
      do throws(HistoryError) {
        return try body(now)
      } catch .vanished {
        guard let id = entry.id, let found = try find(id) else { throw .vanished }
        now = found
      }
    }
    throw .vanished
  }
}

// MARK: - What became of the accounts

extension History {
  borrowing func look(
    at account: String?, _ settingsModified: Int64, _ report: inout StatusReport
  ) {
    let known = state.account(account)
    if let accepted = known.lastAccepted {
      report.lastAccepted = max(report.lastAccepted ?? accepted, accepted)
    }
    if let hold = known.currentHold(
      now: clock.seconds, settingsModified: settingsModified, isAsked: false)
    {
      report.held.append(StatusReport.HeldAccount(account: account, hold: hold))
    }
    report.lastUnattendedRun = state.lastUnattendedRun()
  }

  /// When a key expires, if that is within 30 days, as the sender last saw it.
  borrowing func soonExpiry(of key: String) -> Int64? {
    guard let expires = state.keyExpiry(key)?.expires, expires < clock.seconds + 30 * 86400 else {
      return nil
    }
    return expires
  }
}

// MARK: - What a note says

extension History {
  /// What a note says and what became of it.
  ///
  /// - Parameters:
  ///   - entry: The note.
  ///   - decrypt: Makes the message of an ASCII armor, for a note that nothing else opens.
  /// - Returns: The message as it was composed, with what became of it.
  /// - Throws: `HistoryError.encrypted` where only gpg could open it and `decrypt` is not given.
  public borrowing func content(
    of entry: HistoryEntry,
    decrypting decrypt: (([UInt8]) throws(HistoryError) -> Message)? = nil
  ) throws(HistoryError) -> HistoryContent {
    try following(entry) { (entry) throws(HistoryError) in
      let outer = try read(entry.file, in: entry.folder)
      return HistoryContent(
        message: try readable(outer, entry.id, decrypt), state: try state(of: entry, outer),
        account: outer.header.first(named: SealedMessage.accountField)?.decodedText)
    }
  }

  /// The message of a note as it was composed, whatever the form its file has.
  ///
  /// gpg is never started for it: a note encrypted with OpenPGP is read from its sealed original.
  ///
  /// - Throws: `HistoryError.encrypted` where that is not kept; otherwise as `content(of:)`.
  public borrowing func readable(_ entry: HistoryEntry) throws(HistoryError) -> Message {
    try following(entry) { (entry) throws(HistoryError) in
      try readable(try read(entry.file, in: entry.folder), entry.id, nil)
    }
  }

  /// What became of a note, told by its place and name, and by the reason kept for it.
  public borrowing func state(of entry: HistoryEntry) throws(HistoryError) -> HistoryEntry.State {
    try following(entry) { (entry) throws(HistoryError) in
      try state(of: entry, entry.folder == .failed ? read(entry.file, in: .failed) : nil)
    }
  }

  private borrowing func state(
    of entry: HistoryEntry, _ outer: Message?
  ) throws(HistoryError) -> HistoryEntry.State {
    let kept = entry.id.flatMap { state.reason(for: $0) }
    switch entry.folder {
    case .sent: return .sent
    case .failed: return .failed(outer.flatMap { Reason($0.header) } ?? kept)
    case .outbox:
      guard let name = entry.file.note else { return .waiting(until: clock.seconds, kept) }
      let modified: Int64
      do throws(MessageStoreError) {
        modified = try store.outbox.status(of: entry.file).modified
      } catch {
        throw HistoryError(error)
      }
      let due = Schedule.due(name, modified: modified, now: clock.seconds)
      return name.unanswered > 0
        ? .perhapsDelivered(until: due, kept) : .waiting(until: due, kept)
    }
  }

  /// When a note was last tried, in seconds since 1970; nil for one that was not yet.
  public borrowing func lastTry(of entry: HistoryEntry) throws(HistoryError) -> Int64? {
    try following(entry) { (entry) throws(HistoryError) in try lastTryHere(of: entry) }
  }

  private borrowing func lastTryHere(of entry: HistoryEntry) throws(HistoryError) -> Int64? {
    do throws(MessageStoreError) {
      switch entry.folder {
      case .sent: return try store.sent.status(of: entry.file).modified
      case .failed: return try store.failed.status(of: entry.file).modified
      case .outbox:
        guard let name = entry.file.note, name.failures > 0 || name.unanswered > 0 else {
          return nil
        }
        return try store.outbox.status(of: entry.file).modified
      }
    } catch {
      throw HistoryError(error)
    }
  }

  /// The file of a note, octet for octet.
  public borrowing func file(of entry: HistoryEntry) throws(HistoryError) -> [UInt8] {
    try following(entry) { (entry) throws(HistoryError) in try fileHere(of: entry) }
  }

  private borrowing func fileHere(of entry: HistoryEntry) throws(HistoryError) -> [UInt8] {
    do throws(MessageStoreError) {
      switch entry.folder {
      case .outbox: return try store.outbox.read(entry.file, limit: sizeLimit)
      case .sent: return try store.sent.read(entry.file, limit: sizeLimit)
      case .failed: return try store.failed.read(entry.file, limit: sizeLimit)
      }
    } catch {
      throw HistoryError(error)
    }
  }

  private borrowing func read(
    _ file: MaildirFolder.Entry, in folder: MailStore.FolderName
  ) throws(HistoryError) -> Message {
    let entry = HistoryEntry(folder: folder, file: file, id: nil, captured: 0)
    let bytes = try fileHere(of: entry)
    do throws(MessageFormatError) {
      return try Message(parsing: bytes)
    } catch {
      throw .damaged
    }
  }

  /// The message as it was composed; gpg is asked only by `decrypt`.
  borrowing func readable(
    _ outer: Message, _ id: NoteID?, _ decrypt: (([UInt8]) throws(HistoryError) -> Message)?
  ) throws(HistoryError) -> Message {
    if SealedMessage.isSealed(outer) { return try open(outer, id) }
    guard let armor = outer.openPGPArmor else { return outer }
    if let id, let kept = cache?.message(of: id, limit: sizeLimit),
      let message = try? open(kept, id)
    {
      return message
    }
    guard let decrypt else { throw .encrypted }
    let message = try decrypt(armor)
    // Two files whose names were swapped must not be taken for one another.
    if let id, message.noteID != id { throw .damaged }
    return message.unprotected()
  }

  private borrowing func open(_ outer: Message, _ id: NoteID?) throws(HistoryError) -> Message {
    do throws(SealingError) {
      switch opener {
      case .none: throw SealingError.otherRecipient
      case .some(let opener): return try opener.open(outer, expecting: id)
      }
    } catch .otherRecipient {
      throw isLocked ? .locked : .sealed
    } catch {
      throw .damaged
    }
  }
}

extension HistoryError {
  init(_ error: MessageStoreError) {
    self = error == .vanished ? .vanished : .store(error)
  }
}
