internal import MessageFormat
internal import MessageStore

// Design: what the owner deletes is to be gone, its sealed original too. An original is forgotten
// only after two looks at every folder, since one can miss a file that is renamed meanwhile; and
// never while the folders look empty, as they do when their disk is not there.

extension SealedCache {
  /// The most originals that are looked into in one run.
  private static let mostSwept = 10_000
  /// The most files under names of others' making that are read in one run.
  private static let mostRead = 1000

  /// Forgets the originals of notes that lie in no folder any more; of very many only a part.
  ///
  /// - Parameters:
  ///   - store: The notes.
  ///   - last: Up to where the last run came, nil to begin anew.
  ///   - options: The largest file that is read.
  /// - Returns: Up to where this one came; nil when it came to the end.
  /// - Throws: When a folder cannot be read; nothing is forgotten then.
  func sweep(
    _ store: borrowing MailStore, after last: NoteID?, _ options: Sender.Options
  ) throws(MessageStoreError) -> NoteID? {
    var kept = Foremost<NoteID>(atMost: Self.mostSwept, by: <)
    forEachID { id in
      if last.map({ $0 < id }) ?? true { kept.add(id) }
    }
    let ids = kept.inOrder()
    var look = Look(missing: Set(ids), mostRead: Self.mostRead, sizeLimit: options.sizeLimit)
    for _ in 0..<2 where !look.missing.isEmpty { try look.repeat(store) }
    if look.isCredible { for id in look.missing { remove(id) } }
    return kept.hasMore ? ids.last : nil
  }
}

/// Looks for some notes in all folders.
private struct Look {
  /// Those that were not found.
  private(set) var missing: Set<NoteID>
  private var count = 0
  private var strangers = 0
  private let mostRead: Int
  private let sizeLimit: Int

  init(missing: Set<NoteID>, mostRead: Int, sizeLimit: Int) {
    self.missing = missing
    self.mostRead = mostRead
    self.sizeLimit = sizeLimit
  }

  /// Whether what was not found is gone.
  var isCredible: Bool { count > 0 && strangers <= mostRead }

  /// Looks once: first where a note may leave by another's hand, then where it comes to.
  mutating func `repeat`(_ store: borrowing MailStore) throws(MessageStoreError) {
    strangers = 0
    try look(through: store.failed)
    try look(through: store.outbox)
    try look(through: store.sent)
  }

  private mutating func look(through folder: borrowing MaildirFolder) throws(MessageStoreError) {
    try folder.forEachEntry { entry in
      count += 1
      if let id = entry.note?.id ?? stranger(entry, in: folder) { missing.remove(id) }
    }
  }

  /// The note in a file that a mail client gave a name of its own.
  private mutating func stranger(
    _ entry: MaildirFolder.Entry, in folder: borrowing MaildirFolder
  ) -> NoteID? {
    strangers += 1
    guard strangers <= mostRead, let content = try? folder.read(entry, limit: sizeLimit) else {
      return nil
    }
    return (try? Message(parsing: content))?.idOfMessageID
  }
}
