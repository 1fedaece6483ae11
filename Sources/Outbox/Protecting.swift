internal import MessageFormat
public import MessageStore
internal import Posix
internal import Sealing

// Design: a note changes its form only after its verdict, by an exchange of whole files, the new one
// durable before: whatever a crash cuts off, one of the two is there, whole. That the exchange itself
// is durable is waited for once for many notes, and before it is written down that they are settled.
// Nothing here ever fails a note or holds up another: what did not work is done by a later run.

extension Sender {
  /// The most notes that change their form in one run, beside those that it sends.
  private static let mostProtected = 50
  /// The most files that are looked into for that.
  private static let mostExamined = 500

  /// Gives a note that was just accepted the form it is to be kept in.
  ///
  /// - Parameters:
  ///   - entry: Its file as it was named in the outbox.
  ///   - message: The message in the clear, with From and To.
  ///   - wire: The message as it was sent; nil where that is not known.
  borrowing func protect(
    accepted entry: MaildirFolder.Entry, _ message: Message, sent wire: Message?
  ) {
    guard protection.form != .sealed, let name = entry.note else { return }
    let sent = MaildirFolder.Entry(
      part: .cur, fileName: Self.nameInSent(name).description)
    let known = protection.encryptsWire ? wire : nil
    nowOrLater(name.id) { () throws(ProtectionFailure) in
      try protect(sent, name.id, in: .sent, message: message, encrypted: known)
    }
  }

  /// Gives a note that was just given up, and tells its reason, the form it is to be kept in.
  borrowing func protect(failed entry: MaildirFolder.Entry, _ id: NoteID) {
    guard protection.form != .sealed else { return }
    nowOrLater(id) { () throws(ProtectionFailure) in
      try protect(entry, id, in: .failed)
      try storing { () throws(MessageStoreError) in try store.failed.sync() }
    }
  }

  /// Does something for one note; where it fails, a later run looks at that note again.
  private borrowing func nowOrLater(
    _ id: NoteID, _ body: () throws(ProtectionFailure) -> Void
  ) {
    do throws(ProtectionFailure) {
      try body()
    } catch {
      tellUnprotected(error)
      var progress = state.protectionProgress() ?? ProtectionProgress(protection)
      progress.isUnfinished = true
      progress.lower(below: id)
      state.setProtectionProgress(progress)
    }
  }

  /// Whether a run has notes to give another form, as far as is known without looking.
  public static func hasUnprotected(
    _ state: borrowing StateFolder, _ protection: Protection
  ) -> Bool {
    guard protection.form != .sealed else { return false }
    guard let progress = state.protectionProgress() else { return true }
    return progress.isUnfinished || progress.mode != ProtectionProgress(protection).mode
  }

  /// Gives notes of sent/ and failed/ the form they are to be kept in where they still have that of
  /// the outbox: after a crash, trouble with gpg, or a change of the settings.
  ///
  /// Bounded, so that a long history takes several runs.
  public borrowing func protectLeftOver() throws(MessageStoreError) {
    guard protection.form != .sealed else { return state.setProtectionProgress(nil) }
    let fresh = ProtectionProgress(protection)
    var progress = state.protectionProgress() ?? fresh
    if progress.mode != fresh.mode { progress = fresh }
    var left = Foremost<LeftOver>(atMost: Self.mostExamined) { $0.id < $1.id }
    let settled = progress.settled
    for folder in [MailStore.FolderName.sent, .failed] {
      try forEachNote(in: folder) { id, entry in
        guard let name = entry.note, isOurs(name), settled.map({ $0 < id }) ?? true else {
          return
        }
        left.add(LeftOver(id: id, entry: entry, folder: folder))
      }
    }
    let notes = left.inOrder()
    progress.isUnfinished = left.hasMore
    let before = progress
    protect(notes, &progress)
    if let waiting = try store.outbox.entries().compactMap(\.note?.id).min() {
      progress.lower(below: waiting)
    }
    if progress != before || before != state.protectionProgress() {
      // First what the notes are, then that they are settled.
      try store.sent.sync()
      try store.failed.sync()
      state.setProtectionProgress(progress)
    }
  }

  private borrowing func protect(
    _ notes: [LeftOver], _ progress: inout ProtectionProgress
  ) {
    var count = 0
    for note in notes {
      if isStopping() || count == Self.mostProtected {
        progress.isUnfinished = true
        return
      }
      do throws(ProtectionFailure) {
        if try protect(note.entry, note.id, in: note.folder) { count += 1 }
      } catch {
        tellUnprotected(error)
        guard case .store(let error) = error, error.isOfOneFile || error == .vanished else {
          progress.isUnfinished = true
          return
        }
      }
      progress.settled = note.id
    }
  }

  private borrowing func forEachNote(
    in folder: MailStore.FolderName, _ body: (NoteID, MaildirFolder.Entry) -> Void
  ) throws(MessageStoreError) {
    if folder == .sent {
      try store.sent.forEachNote(body, where: { _ in true })
    } else {
      try store.failed.forEachNote(body, where: { _ in true })
    }
  }

  private borrowing func tellUnprotected(_ failure: ProtectionFailure) {
    switch failure {
    case .trouble(let trouble): report(.notProtected(trouble))
    case .store(.vanished), .later: break
    case .store(let error): report(.storeFailed(error))
    }
  }
}

// MARK: - One note

/// Why a note keeps the form it has.
private enum ProtectionFailure: Error {
  case trouble(Trouble)
  case store(MessageStoreError)
  /// Another step comes first.
  case later
}

extension Sender {
  /// Gives a note of sent/ or failed/ the form it is to be kept in, unless it has it.
  ///
  /// - Parameters:
  ///   - entry: Its file.
  ///   - id: The note.
  ///   - folder: Where it lies.
  ///   - known: The message in the clear; nil to open the file for it.
  ///   - encrypted: The message as it was sent encrypted, nil to encrypt it anew.
  /// - Returns: Whether its file was changed.
  /// - Throws: Why it keeps the form it has.
  @discardableResult
  private borrowing func protect(
    _ entry: MaildirFolder.Entry, _ id: NoteID, in folder: MailStore.FolderName,
    message known: Message? = nil, encrypted: Message? = nil
  ) throws(ProtectionFailure) -> Bool {
    let content = try storing { () throws(MessageStoreError) in
      try folder == .sent
        ? store.sent.read(entry, limit: options.sizeLimit)
        : store.failed.read(entry, limit: options.sizeLimit)
    }
    guard let outer = try? Message(parsing: content), SealedMessage.isSealed(outer),
      let message = known ?? opened(outer, id)
    else { return false }
    // Its reason is written into the file first; that is done by tidying.
    if folder == .failed, Reason(outer.header) == nil, state.reason(for: id) != nil {
      throw .later
    }
    let kept = try form(of: message, outer, encrypted)
    try storing { () throws(MessageStoreError) in
      let bytes = kept.bytes(lineEnds: .lf)
      if folder == .sent {
        try replace(entry, of: store.sent, holding: content, with: bytes, id)
      } else {
        try replace(entry, of: store.failed, holding: content, with: bytes, id)
      }
    }
    return true
  }

  private borrowing func replace(
    _ entry: MaildirFolder.Entry, of folder: borrowing MaildirFolder, holding content: [UInt8],
    with bytes: [UInt8], _ id: NoteID
  ) throws(MessageStoreError) {
    if protection.form == .openPGP {
      try protection.cache?.keep(entry, of: folder, holding: content, as: id)
    }
    try folder.replace(entry, with: bytes, durable: .later)
  }

  private borrowing func opened(_ outer: Message, _ id: NoteID) -> Message? {
    guard var message = try? opener.open(outer, expecting: id) else { return nil }
    for name in ["From", "To"] where message.header.first(named: name) == nil {
      if let field = outer.header.first(named: name) { message.header.append(field) }
    }
    return message
  }

  /// The message as it is to be kept, with what the sealed one tells outside and is never sent.
  private borrowing func form(
    of message: Message, _ outer: Message, _ encrypted: Message?
  ) throws(ProtectionFailure) -> Message {
    var kept = message
    if protection.form == .openPGP {
      if let encrypted { kept = encrypted } else { kept = try encrypt(message) }
    }
    if let account = outer.header.first(named: SealedMessage.accountField) {
      kept.header.append(account)
    }
    for field in Reason(outer.header)?.fields ?? [] { kept.header.append(field) }
    return kept
  }

  private borrowing func encrypt(_ message: Message) throws(ProtectionFailure) -> Message {
    do throws(Trouble) {
      return try protection.encrypt(message, .history)
    } catch {
      throw .trouble(error)
    }
  }

  private func storing<Value>(
    _ body: () throws(MessageStoreError) -> Value
  ) throws(ProtectionFailure) -> Value {
    do throws(MessageStoreError) { return try body() } catch { throw .store(error) }
  }
}

// MARK: - Many notes

/// A note whose form may have to change.
private struct LeftOver {
  let id: NoteID
  let entry: MaildirFolder.Entry
  let folder: MailStore.FolderName
}
