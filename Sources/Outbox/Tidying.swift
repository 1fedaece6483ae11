internal import MessageFormat
public import MessageStore
internal import Posix
internal import Sealing

// Design: what crashes can leave behind is mended at the start of the next run, by looking at
// what is there. Only a file of the outbox is ever dropped, and only when sent/ has its note.

extension Sender {
  /// Mends what an earlier run left half done, and removes unfinished captures by their age.
  public borrowing func tidy() throws(MessageStoreError) {
    var waiting: [NoteID: MaildirFolder.Entry] = [:]
    var renamed: [MaildirFolder.Entry] = []
    for entry in try store.outbox.entries() {
      if let id = entry.note?.id { waiting[id] = entry } else { renamed.append(entry) }
    }
    for entry in renamed { adopt(entry, among: waiting) }
    try dropDelivered(among: waiting)
    try settleFailed(among: waiting)
    for entry in waiting.values { giveUpUnanswered(entry) }
    try finishReasons()
    let now = clock.seconds
    try store.outbox.sweep(now: now)
    try store.sent.sweep(now: now)
    try store.failed.sweep(now: now)
  }

  /// A note under a name of a mail client's making gets one of ours back, by its Message-ID.
  private borrowing func adopt(
    _ entry: MaildirFolder.Entry, among waiting: [NoteID: MaildirFolder.Entry]
  ) {
    guard let content = try? store.outbox.read(entry, limit: options.sizeLimit),
      let outer = try? Message(parsing: content), SealedMessage.isSealed(outer),
      let id = outer.idOfMessageID, waiting[id] == nil
    else { return }
    settling { () throws(MessageStoreError) in
      try store.outbox.rename(entry, to: NoteFileName(id: id, host: options.host))
    }
  }

  /// A note in outbox/ and in sent/, after a power cut in the middle of the move: it is delivered.
  private borrowing func dropDelivered(
    among waiting: [NoteID: MaildirFolder.Entry]
  ) throws(MessageStoreError) {
    var delivered: Set<NoteID> = []
    try store.sent.forEachNote({ id, _ in delivered.insert(id) }, where: { waiting[$0] != nil })
    for id in delivered {
      guard let entry = waiting[id] else { continue }
      settling { () throws(MessageStoreError) in try store.outbox.remove(entry) }
    }
  }

  /// A note in outbox/ and in failed/: the failed one is the stale half when it tells no reason,
  /// as after being brought back; else the one in the outbox is.
  private borrowing func settleFailed(
    among waiting: [NoteID: MaildirFolder.Entry]
  ) throws(MessageStoreError) {
    var twins: [(NoteID, MaildirFolder.Entry)] = []
    try store.failed.forEachNote({ twins.append(($0, $1)) }, where: { waiting[$0] != nil })
    for (id, twin) in twins {
      guard let entry = waiting[id] else { continue }
      settling { () throws(MessageStoreError) in
        if try hasReason(twin) {
          try store.outbox.remove(entry)
        } else {
          try store.failed.remove(twin)
        }
      }
    }
  }

  /// A note given whole to the server as often as is sensible, by a sender that was then killed.
  private borrowing func giveUpUnanswered(_ entry: MaildirFolder.Entry) {
    guard let name = entry.note, name.unanswered >= Schedule.mostUnanswered else { return }
    settling { () throws(MessageStoreError) in
      try giveUp(entry, Reason(.unanswered))
    }
  }

  /// Settles one note; where that fails, the others are settled all the same.
  private borrowing func settling(_ body: () throws(MessageStoreError) -> Void) {
    do throws(MessageStoreError) {
      try body()
    } catch .vanished {
      // Somebody else was quicker.
    } catch {
      report(.storeFailed(error))
    }
  }

  private borrowing func hasReason(_ entry: MaildirFolder.Entry) throws(MessageStoreError) -> Bool {
    let content = try store.failed.read(entry, limit: options.sizeLimit)
    guard let message = try? Message(parsing: content) else { return true }
    return Reason(message.header) != nil
  }

  /// Writes reasons into files of failed/ whose verdict was recorded right before a crash, and
  /// forgets those of notes that wait no more.
  private borrowing func finishReasons() throws(MessageStoreError) {
    for id in state.notesWithReason() where try store.outbox.find(id) == nil {
      settling { () throws(MessageStoreError) in
        guard let failed = try store.failed.find(id), let reason = state.reason(for: id) else {
          return state.setReason(nil, for: id)
        }
        guard reason.kind != .damaged, try !hasReason(failed) else { return }
        try writeReason(reason, into: failed)
      }
    }
  }
}
