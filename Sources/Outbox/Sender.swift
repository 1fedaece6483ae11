public import MessageFormat
public import MessageStore
public import Posix
public import Sealing

// Design: one note after the other. Whatever happens to one is on disk before the next is
// touched, so the sender can be killed anywhere: memo-outbox(7) tells where each crash leads.

/// Sends what is due in an outbox, an account at a time.
public struct Sender: ~Copyable {
  /// How a run differs from another.
  public struct Options: Sendable {
    /// This machine's label in file names: only its own notes are sent.
    public var host: String
    /// Whether notes of other machines are sent too.
    public var anyHost = false
    /// Whether notes are tried that are not due yet.
    public var now = false
    /// After how many seconds of waiting a deferred note is given up.
    public var giveUpSeconds: Int64 = 5 * 86400
    /// The largest file that is read, in octets.
    public var sizeLimit = 64 << 20

    /// The options of a plain run on this machine.
    public init(host: String) { self.host = host }
  }

  /// What a run tells as it goes.
  public enum Event: Sendable, Equatable {
    /// A note was tried, with this outcome.
    case tried(NoteID, Outcome)
    /// A note was given up, for this reason.
    case failed(NoteID, Reason)
    /// A file cannot be opened with our key, and stays where it is.
    case notOurs(NoteID)
    /// The account is paused, for this reason.
    case paused(Reason)
    /// The store failed in the middle of a note's disposition.
    case storeFailed(MessageStoreError)
  }

  let store: MailStore
  let state: StateFolder
  let opener: Opener
  let clock: Clock
  let options: Options
  let report: (Event) -> Void
  /// Notes already tried in this run: none is tried twice.
  var seen: Set<NoteID> = []

  /// A sender over a store whose lock the caller holds.
  public init(
    store: consuming MailStore, state: consuming StateFolder, opener: consuming Opener,
    clock: Clock, options: Options, report: @escaping (Event) -> Void
  ) {
    self.store = store
    self.state = state
    self.opener = opener
    self.clock = clock
    self.options = options
    self.report = report
  }

  /// An account to send for.
  public struct Account: Sendable {
    /// Its name, nil for the one without.
    public let name: String?
    /// Whether notes that name no account are its own.
    public let isDefault: Bool
    /// The mailbox in the From field.
    public let from: Mailbox
    /// The mailbox in the To field.
    public let to: Mailbox

    /// An account that is complete enough to send.
    public init(name: String?, isDefault: Bool, from: Mailbox, to: Mailbox) {
      self.name = name
      self.isDefault = isDefault
      self.from = from
      self.to = to
    }

    /// Whether a note that names this account, or none, is its own.
    func owns(_ noteAccount: String?) -> Bool {
      noteAccount == name || (noteAccount == nil && isDefault)
    }
  }
}

// MARK: - The run

extension Sender {
  /// Becomes the only sender of the store; nil when another process is.
  public borrowing func lock() throws(MessageStoreError) -> FileLock? { try store.lock() }

  /// The account that a note names, nil when it names none or cannot be read.
  public borrowing func account(namedBy entry: MaildirFolder.Entry) -> String? {
    guard let content = try? store.outbox.read(entry, limit: options.sizeLimit),
      let outer = try? Message(parsing: content)
    else { return nil }
    return outer.header.first(named: SealedMessage.accountField)?.decodedText
  }

  /// What is remembered of an account.
  public borrowing func state(of account: String?) -> AccountState { state.account(account) }

  /// Sends every note of an account that is due, oldest first, and those that come meanwhile.
  ///
  /// Ends early when the account, the network or this machine is in trouble.
  public mutating func send<Agent: DeliveryAgent & ~Copyable>(
    for account: Account, with agent: inout Agent
  ) throws(MessageStoreError) {
    var interruptions = 0
    var notes = try dueNotes()
    while !notes.isEmpty {
      for note in notes {
        guard let outcome = try attempt(note, for: account, with: &agent) else { continue }
        if case .interrupted = outcome { interruptions += 1 } else { interruptions = 0 }
        if outcome.endsRun || interruptions == 2 { return }
      }
      notes = try dueNotes()
    }
  }

  /// The notes to be tried now, oldest first.
  public borrowing func dueNotes() throws(MessageStoreError) -> [MaildirFolder.Entry] {
    let now = clock.seconds
    var due: [MaildirFolder.Entry] = []
    var ids = seen
    for entry in try store.outbox.entries().sorted(by: { $0.fileName < $1.fileName }) {
      guard let name = entry.note, isOurs(name), !name.isTrashed, !ids.contains(name.id),
        try isDue(entry, name, now)
      else { continue }
      ids.insert(name.id)
      due.append(entry)
    }
    return due
  }

  private borrowing func isOurs(_ name: NoteFileName) -> Bool {
    options.anyHost || name.host.isEmpty || name.host == options.host
  }

  private borrowing func isDue(
    _ entry: MaildirFolder.Entry, _ name: NoteFileName, _ now: Int64
  ) throws(MessageStoreError) -> Bool {
    do throws(MessageStoreError) {
      let status = try store.outbox.status(of: entry)
      guard status.isRegularFile else { return false }
      return options.now || Schedule.due(name, modified: status.modified, now: now) <= now
    } catch .vanished {
      return false
    }
  }
}

extension Outcome {
  /// Whether the next note would meet the same trouble.
  var endsRun: Bool {
    switch self {
    case .account, .offline, .local: true
    case .accepted, .deferred, .rejected, .unknown, .interrupted: false
    }
  }
}
