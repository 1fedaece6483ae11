internal import MessageFormat
public import MessageStore
internal import Posix

// Design: an outbox can hold very many notes, after a month offline or an import. What is kept of
// them while one looks through it are 16 octets each, and the names of the few whose turn is next.

/// The notes that are due, of which only the first are held.
struct DueNotes {
  private let limit: Int
  private let began: Int64
  private var backlog: [MaildirFolder.Entry] = []
  private var fresh: [MaildirFolder.Entry] = []
  /// The last of the backlog that is held, once there are more.
  private var latest: NoteID?

  /// How many are due.
  private(set) var count = 0

  /// No notes yet.
  ///
  /// - Parameters:
  ///   - limit: How many are held at most of the backlog, and of the fresh ones.
  ///   - began: Those that were captured later, in milliseconds since 1970, are the fresh ones.
  init(atMost limit: Int, began: Int64) {
    self.limit = limit
    self.began = began
  }

  /// Takes a note that is due.
  mutating func add(_ entry: MaildirFolder.Entry, _ id: NoteID) {
    count += 1
    guard id.milliseconds < began else {
      if fresh.count < limit { fresh.append(entry) }
      return
    }
    if let latest, latest < id { return }
    backlog.append(entry)
    guard backlog.count >= 2 * limit else { return }
    backlog.sort(by: Sender.isEarlier)
    backlog.removeLast(backlog.count - limit)
    latest = backlog.last?.note?.id
  }

  /// Drops a note that is held.
  mutating func remove(_ id: NoteID) {
    let held = backlog.count + fresh.count
    backlog.removeAll { $0.note?.id == id }
    fresh.removeAll { $0.note?.id == id }
    if backlog.count + fresh.count < held { count -= 1 }
  }

  /// Those that are held, oldest first, the fresh ones last.
  func inOrder() -> [MaildirFolder.Entry] {
    backlog.sorted(by: Sender.isEarlier).prefix(limit) + fresh.sorted(by: Sender.isEarlier)
  }
}

// MARK: - Looking

extension Sender {
  /// The notes to be tried now, oldest first.
  public borrowing func dueNotes() throws(MessageStoreError) -> [MaildirFolder.Entry] {
    try dueNotes(atMost: 1 << 30, began: .max, passingOver: []).inOrder()
  }

  /// Whether a note is to be tried now.
  public borrowing func hasDueNotes() throws(MessageStoreError) -> Bool {
    let now = clock.seconds
    return try store.outbox.containsEntry { (entry) throws(MessageStoreError) in
      guard let name = entry.note, !seen.contains(name.id) else { return false }
      return try mayGo(entry, name, now)
    }
  }

  /// The notes to be tried now, of very many only the first.
  ///
  /// Of two files of one note, as a power cut can leave them in the middle of a rename, the one
  /// that tells of more attempts counts, and the other one never.
  borrowing func dueNotes(
    atMost limit: Int, began: Int64, passingOver others: Set<NoteID>
  ) throws(MessageStoreError) -> DueNotes {
    let now = clock.seconds
    var due = DueNotes(atMost: limit, began: began)
    var ids: Set<NoteID> = []
    var twins: Set<NoteID> = []
    try store.outbox.forEachEntry { (entry) throws(MessageStoreError) in
      guard let name = entry.note, !seen.contains(name.id), !others.contains(name.id) else {
        return
      }
      guard ids.insert(name.id).inserted else {
        twins.insert(name.id)
        return
      }
      if try mayGo(entry, name, now) { due.add(entry, name.id) }
    }
    for id in twins {
      due.remove(id)
      guard let entry = try furthest(id), let name = entry.note else { continue }
      if try mayGo(entry, name, now) { due.add(entry, id) }
    }
    return due
  }

  /// The file of a note that tells of the most attempts.
  private borrowing func furthest(_ id: NoteID) throws(MessageStoreError) -> MaildirFolder.Entry? {
    var furthest: MaildirFolder.Entry?
    try store.outbox.forEachEntry { entry in
      guard let name = entry.note, name.id == id, isOurs(name) else { return }
      if furthest.map({ Self.isEarlier(entry, $0) }) ?? true { furthest = entry }
    }
    return furthest
  }

  private borrowing func mayGo(
    _ entry: MaildirFolder.Entry, _ name: NoteFileName, _ now: Int64
  ) throws(MessageStoreError) -> Bool {
    guard isOurs(name), !name.isTrashed else { return false }
    do throws(MessageStoreError) {
      let status = try store.outbox.status(of: entry)
      guard status.isRegularFile else { return false }
      return options.now || Schedule.due(name, modified: status.modified, now: now) <= now
    } catch .vanished {
      return false
    }
  }

  /// The order of capture, and of two files of one note the one with more attempts first.
  static func isEarlier(_ one: MaildirFolder.Entry, _ other: MaildirFolder.Entry) -> Bool {
    guard let first = one.note, let second = other.note else { return one.note != nil }
    guard first.id == second.id else { return first.id < second.id }
    return (first.unanswered, first.failures) > (second.unanswered, second.failures)
  }
}
