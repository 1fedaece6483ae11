public import MessageFormat
public import MessageStore
internal import Posix

// Design: a note that waits or failed goes on as itself, since nobody has it: same Message-ID and
// Date, so that copies can be told for what they are. One that was delivered is another note.

extension MailStore {
  /// Lets a waiting note be due now, also one that was marked as deleted.
  ///
  /// Its counters stay: what was tried, was. Only the time of the last attempt is moved back.
  public borrowing func makeDue(
    _ entry: MaildirFolder.Entry, now: Int64
  ) throws(MessageStoreError) {
    guard let name = entry.note else { return }
    let modified = now - Schedule.wait(of: name)
    guard name.isTrashed else { return try outbox.setModified(entry, seconds: modified) }
    _ = try outbox.rename(entry, modified: modified) { name in
      var name = name
      name.flags = name.flags.map { String($0.filter { $0 != "T" }) }
      return name
    }
  }

  /// Brings a note that was given up back to the outbox, due now.
  ///
  /// Its delays begin anew. What is kept of A is 1: it may have been delivered, which nothing that
  /// comes takes back, and may be given to the server twice more. The reason is erased before the
  /// move, which makes this file the one that counts should a power cut leave it in both places;
  /// until the move it is kept beside, from where the next run would write it back.
  ///
  /// - Parameters:
  ///   - entry: Its file.
  ///   - id: The note.
  ///   - sealed: Its sealed form where the file has another one.
  ///   - host: This machine's label in file names.
  ///   - now: The time, in seconds since 1970.
  ///   - state: Keeps the reason until the note has moved.
  /// - Throws: When the store fails; the note is then where it was.
  public borrowing func bringBack(
    _ entry: MaildirFolder.Entry, _ id: NoteID, sealed: Message? = nil, host: String, now: Int64,
    keepingReasonsIn state: borrowing StateFolder
  ) throws(MessageStoreError) {
    try adopt(entry, id, host: host)
    guard let entry = try failed.find(id), var name = entry.note else { throw .vanished }
    try eraseReason(in: entry, id, state, sealed)
    (name.failures, name.unanswered) = (0, min(name.unanswered, 1))
    let modified = now - Schedule.wait(of: name)
    _ = try failed.move(entry, into: outbox, modified: modified) { name in
      var name = name.moved(flags: "")
      (name.failures, name.unanswered) = (0, min(name.unanswered, 1))
      return name
    }
    state.setReason(nil, for: id)
  }

  /// Gives a file with a name of a mail client's making one of ours.
  private borrowing func adopt(
    _ entry: MaildirFolder.Entry, _ id: NoteID, host: String
  ) throws(MessageStoreError) {
    guard entry.note == nil else { return }
    try failed.rename(entry, to: NoteFileName(id: id, host: host))
  }

  private borrowing func eraseReason(
    in entry: MaildirFolder.Entry, _ id: NoteID, _ state: borrowing StateFolder,
    _ sealed: Message?
  ) throws(MessageStoreError) {
    let content = try failed.read(entry, limit: 64 << 20)
    guard let message = try? Message(parsing: content) else { return }
    let reason = Reason(message.header)
    guard reason != nil || sealed != nil else { return }
    if let reason { state.setReason(reason, for: id) }
    var waiting = sealed ?? message
    waiting.header = Reason.removed(from: waiting.header)
    try failed.replace(entry, with: waiting.bytes(lineEnds: .lf))
  }
}
