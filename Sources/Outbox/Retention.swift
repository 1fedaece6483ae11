internal import MessageFormat
public import MessageStore
internal import Posix

// Design: a clock that is wrong must not empty the history. So time counts only as far as notes
// bear it out: up to the third-last day on which one was captured. A clock that is years ahead
// removes nothing then, nor do the notes of one or two such days; and who writes nothing loses
// nothing. A number of notes needs no clock at all.
//
// A note is as old as the later of its capture and its delivery, which its UUID and its file tell:
// one that waited for long, or was sent again after it had failed, is not gone the moment it goes.

/// How long the notes of sent/ are kept.
///
/// Only a regular file in sent/ named as memo names notes is ever removed, only a note of this
/// machine, and none that its owner marked in a mail client (flag F).
public struct Retention: Sendable {
  /// Which notes stay.
  public enum Limit: Sendable, Equatable {
    /// All of them.
    case forever
    /// Those that are not older, in seconds.
    case age(seconds: Int64)
    /// The newest ones, so many.
    case count(Int)
  }

  let limit: Limit
  let cache: SealedCache?
  /// The most notes that are removed in one run.
  static let mostRemoved = 1000

  /// - Parameters:
  ///   - limit: Which notes stay.
  ///   - cache: Where their sealed originals are kept, which go with them; nil for nowhere.
  public init(_ limit: Limit, cache: SealedCache?) {
    self.limit = limit
    self.cache = cache
  }

  /// Whether it is time to look for what may go.
  public func isDue(_ state: borrowing StateFolder, now: Int64) -> Bool {
    guard limit != .forever || cache?.isThere == true else { return false }
    return state.retentionProgress()?.isOver(limit: "\(limit)", now: now) ?? true
  }

  /// Removes what is kept no longer, when it is time to look for it; of very much only a part.
  ///
  /// The caller holds the sender's lock. Killed anywhere, the next run goes on.
  ///
  /// - Parameters:
  ///   - store: The notes.
  ///   - state: What is remembered beside them.
  ///   - options: Whose notes this machine sees to.
  ///   - now: The time, in seconds since 1970.
  ///   - isStopping: Whether the program was told to stop.
  /// - Throws: What could not be read or removed first; it is tried again on the next day.
  public func apply(
    to store: borrowing MailStore, _ state: borrowing StateFolder, _ options: Sender.Options,
    now: Int64, isStopping: () -> Bool = { false }
  ) throws(MessageStoreError) {
    guard isDue(state, now: now) else { return }
    var progress = RetentionProgress(
      limit: "\(limit)", looked: now, swept: state.retentionProgress()?.swept)
    state.setRetentionProgress(progress)
    defer { state.setRetentionProgress(progress) }
    progress.isUnfinished = false
    progress.isUnfinished = try removeOld(store, options, now: now, isStopping)
    if let cache { progress.swept = try cache.sweep(store, after: progress.swept, options) }
  }
}

extension Sender {
  /// Removes notes that are kept no longer.
  public borrowing func apply(_ retention: Retention) throws(MessageStoreError) {
    try retention.apply(to: store, state, options, now: clock.seconds, isStopping: isStopping)
  }
}

// MARK: - Notes

extension Retention {
  /// Removes notes, and tells whether there are more.
  private func removeOld(
    _ store: borrowing MailStore, _ options: Sender.Options, now: Int64, _ isStopping: () -> Bool
  ) throws(MessageStoreError) -> Bool {
    guard let cutoff = try cutoff(store.sent, now: now) else { return false }
    // A power cut must not bring a note back to the outbox whose copy in sent/ is gone by then.
    try store.outbox.sync()
    var old = try oldNotes(store, options, before: cutoff)
    var gone: [NoteID] = []
    while !isStopping(), let entry = old.entries.popLast() {
      if let id = try remove(entry, from: store.sent) { gone.append(id) }
    }
    try store.sent.sync()
    for id in gone { cache?.remove(id) }
    return old.hasMore || !old.entries.isEmpty
  }

  /// The time, in milliseconds since 1970, before which notes are old; nil when none is.
  private func cutoff(
    _ sent: borrowing MaildirFolder, now: Int64
  ) throws(MessageStoreError) -> Int64? {
    switch limit {
    case .forever: return nil
    case .age(let seconds):
      var days = CaptureDays()
      try sent.forEachNote({ days.add($0, $1) }, where: { days.isNew($0) })
      return days.borneOut(now: now).map { ($0 - seconds) * 1000 }
    case .count(let count):
      var newest = Foremost<NoteID>(atMost: count, by: >)
      try sent.forEachNote({ id, _ in newest.add(id) }, where: \.hasTime)
      let last = newest.inOrder().last
      return newest.hasMore ? last?.milliseconds : nil
    }
  }

  private func oldNotes(
    _ store: borrowing MailStore, _ options: Sender.Options, before cutoff: Int64
  ) throws(MessageStoreError) -> (entries: [MaildirFolder.Entry], hasMore: Bool) {
    var waiting: Set<NoteID> = []
    try store.outbox.forEachNote({ id, _ in waiting.insert(id) }, where: { _ in true })
    var old: [MaildirFolder.Entry] = []
    let hasMore = try store.sent.containsEntry { (entry) throws(MessageStoreError) in
      guard let name = entry.note, name.id.hasTime, name.id.milliseconds < cutoff,
        !name.host.isEmpty, options.isOurs(name), !name.isFlagged, !waiting.contains(name.id),
        try store.sent.isOld(entry, before: cutoff)
      else { return false }
      if old.count == Self.mostRemoved { return true }
      old.append(entry)
      return false
    }
    return (old, hasMore)
  }

  /// Removes a note's file, unless a mail client has just renamed it: its flags may be others now.
  private func remove(
    _ entry: MaildirFolder.Entry, from sent: borrowing MaildirFolder
  ) throws(MessageStoreError) -> NoteID? {
    do throws(MessageStoreError) {
      try sent.removeExactly(entry, leaving: .later)
      return entry.note?.id
    } catch .vanished {
      return nil
    }
  }
}

extension MaildirFolder {
  /// Whether a file is one that was delivered before a time in milliseconds since 1970.
  fileprivate borrowing func isOld(
    _ entry: Entry, before cutoff: Int64
  ) throws(MessageStoreError) -> Bool {
    do throws(MessageStoreError) {
      let status = try status(of: entry)
      return status.isRegularFile && status.modified < cutoff / 1000
    } catch .vanished {
      return false
    }
  }
}

/// The days on which notes were captured.
private struct CaptureDays {
  private var days: Set<Int64> = []

  private static func day(_ id: NoteID) -> Int64 { id.milliseconds / 86_400_000 }

  func isNew(_ id: NoteID) -> Bool { id.hasTime && !days.contains(Self.day(id)) }

  /// Counts a note's day; the sender is not the only one who puts files there.
  mutating func add(_ id: NoteID, _ entry: MaildirFolder.Entry) {
    if entry.note != nil { days.insert(Self.day(id)) }
  }

  /// The time, in seconds since 1970, that the third-last of them bears out; nil without one.
  func borneOut(now: Int64) -> Int64? {
    days.sorted(by: >).dropFirst(2).first.map { min($0 * 86400, now) }
  }
}
