internal import MessageFormat
internal import MessageStore
internal import Posix

// Design: a backlog goes oldest first and at a pace that servers bear; a note written while it is
// worked off goes next, since somebody is waiting for that one.

/// Whose turn it is in a run.
struct Turns {
  /// When the run began, in milliseconds since 1970.
  let began: Int64
  /// How many notes were tried.
  var tried = 0
  /// The first of the notes to be tried, the next one last.
  private var notes: [MaildirFolder.Entry] = []
  /// When the folder was looked at last.
  private var looked: Int64?
  /// Notes of other accounts.
  private(set) var others: Set<NoteID> = []

  init(began: Int64) { self.began = began }

  /// How many are still to be tried.
  private(set) var left = 0
  /// How many are held at once.
  static let most = 200

  /// Whether it is time to look for new notes: once a second, and when there is nothing else.
  func shouldLook(_ now: Int64) -> Bool {
    guard let looked else { return true }
    return notes.isEmpty || now < looked || now >= looked + 1000
  }

  /// Takes what is due now.
  mutating func look(_ due: DueNotes, _ now: Int64) {
    looked = now
    left = due.count
    let notes = due.inOrder()
    // What was written since the run began is taken first.
    self.notes = notes.filter { !isFresh($0) }.reversed() + notes.filter { isFresh($0) }.reversed()
  }

  /// The next note; it is this one's turn only once.
  mutating func next() -> MaildirFolder.Entry? {
    guard let note = notes.popLast() else { return nil }
    left -= 1
    return note
  }

  /// Whether a note was written since the run began.
  func isFresh(_ note: MaildirFolder.Entry) -> Bool {
    note.note.map { $0.id.milliseconds >= began } ?? false
  }

  /// The note is another account's, or no longer there.
  mutating func passedOver(_ note: MaildirFolder.Entry) {
    if let id = note.note?.id { others.insert(id) }
  }
}

extension Sender {
  /// The note whose turn it is, nil when nothing is due.
  mutating func next(_ turns: inout Turns) throws(MessageStoreError) -> MaildirFolder.Entry? {
    let now = clock.milliseconds()
    if turns.shouldLook(now) {
      let due = try dueNotes(atMost: Turns.most, began: turns.began, passingOver: turns.others)
      turns.look(due, now)
    }
    return turns.next()
  }

  /// Waits before a note of a backlog, not before the first one or one just written.
  borrowing func pause(before note: MaildirFolder.Entry, _ turns: inout Turns) {
    guard let pace = options.pace, turns.tried > 0, !turns.isFresh(note) else { return }
    let octets = (try? random.bytes(2)) ?? [0, 0]
    let part = Int64(octets[0]) << 8 | Int64(octets[1])
    clock.wait(pace.lowerBound + (pace.upperBound - pace.lowerBound) * part / 65_536)
  }
}
