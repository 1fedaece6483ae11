public import MessageFormat
public import MessageStore

// Design: the sender's commit point is a rename of the very name that is removed here, so one of
// the two comes first and the other finds nothing. A name with A = 0 is thus a note that no server
// has whole, and once it is removed none will get it. With A ≥ 1 nobody can know; while a sender
// is at work it may be waiting for the answer, which must find its note.

/// What came of cancelling a note.
public enum Cancellation: Sendable, Equatable {
  /// It is gone, and was never given whole to a server.
  case cancelled
  /// It is gone and will not be sent again, but may have been delivered before.
  case stopped
  /// The server may have it, and a sender may await the answer: it stays.
  case underWay
  /// A server took it.
  case sent
  /// It was given up already.
  case failed
  /// There is no such note any more.
  case gone
}

extension MailStore {
  /// Removes a waiting note for good, if it is not too late.
  ///
  /// - Returns: What came of it, durable by then.
  /// - Throws: When the store fails.
  public borrowing func cancel(_ id: NoteID) throws(MessageStoreError) -> Cancellation {
    // Under its old name and under its new one it can be missed while it is renamed.
    for _ in 0..<10 {
      if try sent.find(id) != nil { return .sent }
      if let cancellation = try removeWaiting(id) { return cancellation }
      if try failed.find(id) != nil { return .failed }
    }
    return try sent.find(id) == nil ? .gone : .sent
  }

  /// Removes every file of a note from the outbox; nil when there is none.
  private borrowing func removeWaiting(
    _ id: NoteID
  ) throws(MessageStoreError) -> Cancellation? {
    var cancellation: Cancellation?
    while let entry = try outbox.find(id), let name = entry.note {
      if name.unanswered > 0 {
        // Asked after the name was seen: who begins later has to rename it first.
        if isSending() { return .underWay }
        cancellation = .stopped
      }
      do throws(MessageStoreError) {
        try outbox.removeExactly(entry)
        cancellation = cancellation ?? .cancelled
      } catch .vanished {
        // The sender or a mail client renamed it: look again.
        if cancellation == .stopped { cancellation = nil }
      }
    }
    return cancellation
  }
}
