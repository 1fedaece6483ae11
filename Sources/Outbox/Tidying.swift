internal import MessageFormat
public import MessageStore
internal import Posix

// Design: what crashes can leave behind is mended at the start of the next run, by looking at
// what is there. Only a file of the outbox is ever dropped, and only when sent/ has its note.

extension Sender {
  /// Mends what an earlier run left half done, and removes unfinished captures by their age.
  public borrowing func tidy() throws(MessageStoreError) {
    var waiting: [NoteID: MaildirFolder.Entry] = [:]
    for entry in try store.outbox.entries() {
      if let id = entry.note?.id { waiting[id] = entry }
    }
    try dropDelivered(among: waiting)
    try settleFailed(among: waiting)
    for entry in waiting.values { try giveUpUnanswered(entry) }
    try finishReasons()
    let now = clock.seconds
    try store.outbox.sweep(now: now)
    try store.sent.sweep(now: now)
    try store.failed.sweep(now: now)
  }

  /// A note in outbox/ and in sent/, after a power cut in the middle of the move: it is delivered.
  private borrowing func dropDelivered(
    among waiting: [NoteID: MaildirFolder.Entry]
  ) throws(MessageStoreError) {
    var delivered: Set<NoteID> = []
    try store.sent.forEachNote({ id, _ in delivered.insert(id) }, where: { waiting[$0] != nil })
    for id in delivered {
      guard let entry = waiting[id] else { continue }
      try ignoringVanished { () throws(MessageStoreError) in try store.outbox.remove(entry) }
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
      try ignoringVanished { () throws(MessageStoreError) in
        if try hasReason(twin) {
          try store.outbox.remove(entry)
        } else {
          try store.failed.remove(twin)
        }
      }
    }
  }

  /// A note given whole to the server as often as is sensible, by a sender that was then killed.
  private borrowing func giveUpUnanswered(
    _ entry: MaildirFolder.Entry
  ) throws(MessageStoreError) {
    guard let name = entry.note, name.unanswered >= Schedule.mostUnanswered else { return }
    try ignoringVanished { () throws(MessageStoreError) in
      try giveUp(entry, Reason(.unanswered))
    }
  }

  private borrowing func ignoringVanished(
    _ body: () throws(MessageStoreError) -> Void
  ) throws(MessageStoreError) {
    do throws(MessageStoreError) {
      try body()
    } catch .vanished {
      // Somebody else was quicker.
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
    for id in state.notesWithReason() {
      if try store.outbox.find(id) != nil { continue }
      if let failed = try store.failed.find(id), let reason = state.reason(for: id) {
        guard reason.kind != .damaged, try !hasReason(failed) else { continue }
        try writeReason(reason, into: failed)
      } else {
        state.setReason(nil, for: id)
      }
    }
  }
}
