internal import MessageFormat
public import MessageStore
internal import Posix
internal import Sealing

// Design: what crashes can leave behind is mended at the start of the next run, by looking at
// what is there. Only a file of the outbox is ever dropped, and only when sent/ has its note.

extension Sender {
  /// Mends what an earlier run left half done, and removes unfinished captures by their age.
  ///
  /// What cannot be mended is reported, and stays for the next run.
  ///
  /// - Throws: When a folder cannot be read.
  public borrowing func tidy() throws(MessageStoreError) {
    let waiting = try look()
    try dropDelivered(among: waiting.ids)
    try settleFailed(among: waiting)
    for entry in waiting.unanswered { giveUpUnanswered(entry) }
    for id in state.notesWithReason() where !waiting.ids.contains(id) { finishReason(of: id) }
    let now = clock.seconds
    mend { () throws(MessageStoreError) in try store.outbox.sweep(now: now) }
    mend { () throws(MessageStoreError) in try store.sent.sweep(now: now) }
    mend { () throws(MessageStoreError) in try store.failed.sweep(now: now) }
  }

  /// A note under a name of a mail client's making gets one of ours back, by its Message-ID.
  ///
  /// One that its owner marked for deletion stays as it is: it is cancelled.
  private borrowing func adopt(_ entry: MaildirFolder.Entry) {
    let flags = entry.fileName.utf8.split(separator: UInt8(ascii: ":")).dropFirst().last
    guard flags?.contains(UInt8(ascii: "T")) != true,
      let content = try? store.outbox.read(entry, limit: options.sizeLimit),
      let outer = try? Message(parsing: content), let id = outer.idOfMessageID,
      SealedMessage.isSealed(outer) || outer.noteID == id
    else { return }
    mend { () throws(MessageStoreError) in
      guard try store.outbox.find(id) == nil else { return }
      try store.outbox.rename(entry, to: NoteFileName(id: id, host: options.host))
    }
  }

  /// What waits, a note under a strange name already adopted.
  private borrowing func look() throws(MessageStoreError) -> Waiting {
    let (waiting, strangers) = try lookOnce()
    guard !strangers.isEmpty else { return waiting }
    for entry in strangers { adopt(entry) }
    return try lookOnce().0
  }

  private borrowing func lookOnce() throws(MessageStoreError) -> (Waiting, [MaildirFolder.Entry]) {
    var waiting = Waiting()
    var strangers: [MaildirFolder.Entry] = []
    try store.outbox.forEachEntry { entry in
      guard let name = entry.note else { return strangers.append(entry) }
      waiting.ids.insert(name.id)
      // Another machine may be at work on its own.
      guard isOurs(name) else {
        waiting.foreign.insert(name.id)
        return
      }
      if name.unanswered >= Schedule.mostUnanswered { waiting.unanswered.append(entry) }
    }
    return (waiting, strangers)
  }

  /// A note in outbox/ and in sent/, after a power cut in the middle of the move: it is delivered.
  private borrowing func dropDelivered(among ids: Set<NoteID>) throws(MessageStoreError) {
    var copies: [NoteID: MaildirFolder.Entry] = [:]
    try store.sent.forEachNote({ copies[$0] = $1 }, where: ids.contains)
    for (id, copy) in copies {
      mend { () throws(MessageStoreError) in
        // A folder or a link of that name is no note.
        guard try store.sent.status(of: copy).isRegularFile else { return }
        try dropWaiting(id)
      }
    }
  }

  /// Drops every file of a note from the outbox.
  private borrowing func dropWaiting(_ id: NoteID) throws(MessageStoreError) {
    while let entry = try store.outbox.find(id) { try store.outbox.remove(entry) }
  }

  /// A note in outbox/ and in failed/: the failed one is the stale half when it tells no reason,
  /// as after being brought back; else the one in the outbox is.
  private borrowing func settleFailed(among waiting: Waiting) throws(MessageStoreError) {
    var twins: [NoteID: MaildirFolder.Entry] = [:]
    try store.failed.forEachNote(
      { twins[$0] = $1 },
      where: { waiting.ids.contains($0) && !waiting.foreign.contains($0) })
    for (id, twin) in twins {
      mend { () throws(MessageStoreError) in
        switch try hasReason(twin) {
        case true: try dropWaiting(id)
        case false: try store.failed.remove(twin)
        // What cannot be read is not proof enough to drop the other one.
        case nil: return
        }
      }
    }
  }

  /// A note given whole to the server as often as is sensible, by a sender that was then killed.
  private borrowing func giveUpUnanswered(_ entry: MaildirFolder.Entry) {
    guard let name = entry.note, name.unanswered >= Schedule.mostUnanswered else { return }
    mend { () throws(MessageStoreError) in try giveUp(entry, Reason(.unanswered)) }
  }

  /// Writes a reason into the file in failed/ whose verdict was recorded right before a crash, or
  /// forgets it where its note waits no more.
  private borrowing func finishReason(of id: NoteID) {
    mend { () throws(MessageStoreError) in
      guard let failed = try store.failed.find(id), let reason = state.reason(for: id) else {
        return state.setReason(nil, for: id)
      }
      guard reason.kind != .damaged else { return }
      switch try hasReason(failed) {
      case true: state.setReason(nil, for: id)
      case false:
        try writeReason(reason, into: failed)
        protect(failed: failed, id)
      case nil: return
      }
    }
  }

  /// Does something about one note; no note's trouble is another one's.
  private borrowing func mend(_ body: () throws(MessageStoreError) -> Void) {
    do throws(MessageStoreError) {
      try body()
    } catch .vanished {
      // Somebody else was quicker.
    } catch {
      report(.storeFailed(error))
    }
  }

  /// Whether a failed note's file tells why; nil when it is not one that can be read.
  private borrowing func hasReason(
    _ entry: MaildirFolder.Entry
  ) throws(MessageStoreError) -> Bool? {
    guard try store.failed.status(of: entry).isRegularFile else { return nil }
    let content = try store.failed.read(entry, limit: options.sizeLimit)
    guard let message = try? Message(parsing: content) else { return nil }
    return Reason(message.header) != nil
  }
}

/// What a look through the outbox found.
private struct Waiting {
  /// Every note.
  var ids: Set<NoteID> = []
  /// Those of other machines among them.
  var foreign: Set<NoteID> = []
  /// Those that were given to the server as often as is sensible.
  var unanswered: [MaildirFolder.Entry] = []
}
