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
    /// Whether notes are tried that are not due yet, and by accounts that are on hold.
    public var now = false
    /// Whether a person is there, who has just made a note.
    public var isAsked = false
    /// After how many seconds of waiting a deferred note is given up.
    public var giveUpSeconds: Int64 = 5 * 86400
    /// The milliseconds between two notes of a backlog; nil for none.
    public var pace: ClosedRange<Int64>?
    /// The largest file that is read, in octets.
    public var sizeLimit = 64 << 20

    /// The options of a plain run on this machine.
    public init(host: String) { self.host = host }

    /// Whether a note is one that this machine is to see to.
    func isOurs(_ name: NoteFileName) -> Bool {
      anyHost || name.host.isEmpty || name.host == host
    }
  }

  /// What a run tells as it goes.
  public enum Event: Sendable, Equatable {
    /// A note is about to be tried; so many wait behind it.
    case trying(NoteID, left: Int)
    /// A note was tried, with this outcome.
    case tried(NoteID, Outcome)
    /// A note was given up, for this reason.
    case failed(NoteID, Reason)
    /// A file cannot be opened with our key, and stays where it is.
    case notOurs(NoteID)
    /// The account is on hold from now on.
    case held(AccountState.Hold)
    /// The account has sent all that its limit allows, until then (seconds since 1970).
    case limited(until: Int64)
    /// A note that came back in another form cannot be sealed, and stays as it is.
    case notSealed(NoteID, Trouble)
    /// A note that has its verdict stays sealed for now.
    case notProtected(Trouble)
    /// The store failed a note, which stays where it is.
    case storeFailed(MessageStoreError)
  }

  let store: MailStore
  let state: StateFolder
  let opener: Opener
  let clock: Clock
  let random: Randomness
  let options: Options
  let protection: Protection
  let isStopping: () -> Bool
  let report: (Event) -> Void
  /// Notes already tried in this run: none is tried twice.
  var seen: Set<NoteID> = []

  /// A sender over a store whose lock the caller holds while it sends.
  ///
  /// - Parameters:
  ///   - store: The notes.
  ///   - state: What is remembered beside them.
  ///   - opener: Opens what is sealed.
  ///   - clock: The time, and the way to wait.
  ///   - random: For the pace.
  ///   - options: What kind of run it is.
  ///   - protection: How notes go and are kept.
  ///   - isStopping: Whether the program was told to stop; asked between two notes.
  ///   - report: Gets each event.
  public init(
    store: consuming MailStore, state: consuming StateFolder, opener: consuming Opener,
    clock: Clock, random: Randomness, options: Options, protection: Protection = Protection(),
    isStopping: @escaping () -> Bool = { false }, report: @escaping (Event) -> Void
  ) {
    self.store = store
    self.state = state
    self.opener = opener
    self.clock = clock
    self.random = random
    self.options = options
    self.protection = protection
    self.isStopping = isStopping
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
    /// How many notes it may send in a time, nil where there is no limit.
    public var limit: SendingLimit?

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

  /// Every note of this machine that waits, oldest first.
  public borrowing func waitingNotes() throws(MessageStoreError) -> [MaildirFolder.Entry] {
    try store.outbox.entries()
      .filter { entry in entry.note.map { isOurs($0) && !$0.isTrashed } ?? false }
      .sorted { $0.fileName < $1.fileName }
  }

  /// The identities of these notes.
  public borrowing func waitingIDs() throws(MessageStoreError) -> Set<NoteID> {
    var ids: Set<NoteID> = []
    try store.outbox.forEachEntry { entry in
      if let name = entry.note, isOurs(name), !name.isTrashed { ids.insert(name.id) }
    }
    return ids
  }

  /// From when on a note may be tried, in seconds since 1970; nil when it is gone.
  public borrowing func dueTime(of entry: MaildirFolder.Entry) -> Int64? {
    guard let name = entry.note, let status = try? store.outbox.status(of: entry) else {
      return nil
    }
    return Schedule.due(name, modified: status.modified, now: clock.seconds)
  }

  /// Until when an account's limit lets nothing go, in seconds since 1970; nil without one.
  public borrowing func limitedUntil(_ account: String?, _ limit: SendingLimit?) -> Int64? {
    let now = clock.seconds
    // After a clock was set back a run has to look: it begins to count anew.
    guard let limit, let bucket = state.account(account).bucket, bucket.time <= now else {
      return nil
    }
    let next = bucket.nextToken(limit)
    return next > now ? next : nil
  }

  /// What is remembered of an account.
  public borrowing func state(of account: String?) -> AccountState { state.account(account) }

  /// Begins a run: every note may be tried once more.
  public mutating func beginRun() { seen = [] }

  /// Sends every note of an account that is due, and those that come meanwhile.
  ///
  /// Ends early when the account, the network or this machine is in trouble, when the account's
  /// limit is reached, and when the program is told to stop.
  public mutating func send<Agent: DeliveryAgent & ~Copyable>(
    for account: Account, with agent: inout Agent
  ) throws(MessageStoreError) {
    try work(for: account, with: &agent)
    try store.outbox.sync()
    if protection.form != .sealed { try store.sent.sync() }
  }

  private mutating func work<Agent: DeliveryAgent & ~Copyable>(
    for account: Account, with agent: inout Agent
  ) throws(MessageStoreError) {
    var turns = Turns(began: clock.milliseconds())
    var interruptions = 0
    while !isStopping(), let note = try next(&turns) {
      pause(before: note, &turns)
      guard !isStopping(), hasToken(account) else { return }
      guard let outcome = try attempt(note, turns.left, for: account, with: &agent) else {
        turns.passedOver(note)
        continue
      }
      turns.tried += 1
      takeToken(account)
      if case .interrupted = outcome { interruptions += 1 } else { interruptions = 0 }
      if outcome.endsRun || interruptions == 2 { return }
    }
  }

  /// Whether the account's limit allows a note now.
  private borrowing func hasToken(_ account: Account) -> Bool {
    guard let limit = account.limit else { return true }
    let bucket = changeBucket(of: account, limit) { $0.fill(limit, now: clock.seconds) }
    if bucket.hasToken { return true }
    report(.limited(until: bucket.nextToken(limit)))
    return false
  }

  /// Counts a note that was tried; those of other accounts, only looked at, do not count.
  private borrowing func takeToken(_ account: Account) {
    guard let limit = account.limit else { return }
    _ = changeBucket(of: account, limit) { _ = $0.take(limit, now: clock.seconds) }
  }

  private borrowing func changeBucket(
    of account: Account, _ limit: SendingLimit, _ change: (inout TokenBucket) -> Void
  ) -> TokenBucket {
    var accountState = state.account(account.name)
    var bucket = accountState.bucket ?? TokenBucket(full: limit, now: clock.seconds)
    change(&bucket)
    accountState.bucket = bucket
    state.setAccount(account.name, accountState)
    return bucket
  }

  /// When a note is to be tried next, in seconds since 1970; nil when none waits.
  ///
  /// - Parameters:
  ///   - blocked: Accounts that may not send, and until when.
  ///   - retry: The seconds after which a note is looked at again that could not be tried.
  /// - Returns: A time after now, as all that is due was tried.
  /// - Throws: When the folder cannot be read.
  public borrowing func nextTry(
    blocked: [String?: Int64], retry: Int64 = 300
  ) throws(MessageStoreError) -> Int64? {
    let now = clock.seconds
    var next: Int64?
    try store.outbox.forEachEntry { entry in
      guard let name = entry.note, isOurs(name), !name.isTrashed,
        let status = try? store.outbox.status(of: entry), status.isRegularFile
      else { return }
      var due = Schedule.due(name, modified: status.modified, now: now)
      if due <= now { due = now + retry }
      // Whose it is takes reading the file, and is of no matter where another is due before.
      guard due < next ?? .max else { return }
      if !blocked.isEmpty, let until = blocked[account(namedBy: entry)] { due = max(due, until) }
      next = min(next ?? due, due)
    }
    return next
  }

  /// Whether this machine sends the note.
  borrowing func isOurs(_ name: NoteFileName) -> Bool { options.isOurs(name) }
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
