import Configuration
import MessageFormat
import MessageStore
import Outbox
import Posix
import Sealing
import Submission
import Wording

/// One run of the sender: what is due goes, account by account.
struct Flush {
  /// How a run ended.
  struct Result {
    /// The exit status it would have.
    var status = ExitStatus.success
    /// When a note is to be tried next, in seconds since 1970; nil when none waits.
    var nextTry: Int64?
    /// The notes it knew and left: any other one came after it looked last.
    var left: Set<NoteID> = []
  }

  private let program: MemoSend
  private let options: FlushOptions
  private let paths: Paths
  private let loaded: LoadedSettings
  /// In seconds since 1970.
  private let began: Int64
  private var language: any Language { program.messenger.language }

  /// A run with the settings as they are now.
  init(_ program: MemoSend, _ paths: Paths, _ options: FlushOptions) {
    self.program = program
    self.options = options
    self.paths = paths
    loaded = LoadedSettings(at: paths)
    began = program.clock.seconds
  }

  func run() throws(ExitStatus) -> Result {
    let accounts = try readyAccounts()
    guard try hasWork() else {
      try tidyHistory()
      return Result()
    }
    let reporter = Reporter(program, paths, options)
    var sender = try makeSender(reporter)
    if options.isDryRun { return try plan(sender, accounts) }
    // After letting the lock go it looks once more: a capture that saw the lock held counts on it.
    // What was left before stays for another run: its account is on hold, or gone.
    var left = try waiting(sender)
    while let lock = try lock(sender) {
      try send(&sender, accounts, reporter)
      left = try waiting(sender)
      lock.release()
      if try waiting(sender).isSubset(of: left) || reporter.endsRun || StopRequest.isMade { break }
    }
    reporter.finish()
    return Result(
      status: reporter.status, nextTry: try nextTry(sender, accounts), left: left)
  }

  private func stop(_ words: String, _ status: ExitStatus) -> ExitStatus {
    if isToBeTold(words) { program.messenger.say(words) }
    return status
  }

  /// Whether somebody is there, or a timer's mail would not say the same every minute: once a day
  /// is enough.
  private func isToBeTold(_ words: String) -> Bool {
    guard !StandardStream.messages.isTerminal, !options.isVerbose, !options.isDryRun,
      let state = try? StateFolder(paths.state)
    else { return true }
    return state.shouldTell(words, day: program.clock.seconds / 86400)
  }

  private func storing<Value: ~Copyable>(
    _ body: () throws(MessageStoreError) -> Value
  ) throws(ExitStatus) -> Value {
    do throws(MessageStoreError) {
      return try body()
    } catch {
      throw stop(language.text(error), .tryAgain)
    }
  }
}

/// An account that can send, with all its settings.
private struct SendingAccount {
  let account: Account
  let ready: ReadyAccount
}

// MARK: - What it takes

extension Flush {
  private func readyAccounts() throws(ExitStatus) -> [SendingAccount] {
    switch loaded {
    case .none: throw stop(language.text(.noAccount), .configuration)
    case .broken(let error): throw stop(language.text(error), .configuration)
    case .loaded(let settings, _):
      if let unbuilt = settings.unbuiltFeatures.first {
        // A note must not go otherwise than its owner asked for.
        throw stop(
          language.text(.notBuilt(line: unbuilt.line, key: unbuilt.key.name)), .configuration)
      }
      guard !settings.accounts.isEmpty else {
        throw stop(language.text(.noAccount), .configuration)
      }
      return try settings.accounts.map { (account) throws(ExitStatus) in try ready(account) }
    }
  }

  private func ready(_ account: Account) throws(ExitStatus) -> SendingAccount {
    do throws(ReadyAccount.Fault) {
      return SendingAccount(
        account: account, ready: try ReadyAccount(account, aLabels: DomainName.inALabels))
    } catch {
      throw stop(language.text(error, of: account.name), .configuration)
    }
  }

  /// Whether anything waits, or a killed sender left the reason of a note it gave up to be
  /// written; where there is no work, no key is needed either.
  private func hasWork() throws(ExitStatus) -> Bool {
    let hasNotes = try storing { () throws(MessageStoreError) in
      try MailStore.outbox(at: paths.mail).containsEntry()
    }
    if hasNotes { return true }
    let state = try stateFolder()
    if Sender.hasUnprotected(state, try protection()) { return true }
    // A damaged file is never written to: its reason stays where it is.
    return state.notesWithReason().contains { state.reason(for: $0)?.kind != .damaged }
  }

  /// Lets go what is kept no longer when nothing else is to be done, which needs no key.
  private func tidyHistory() throws(ExitStatus) {
    let state = try stateFolder()
    guard !options.isDryRun, retention.isDue(state, now: program.clock.seconds) else { return }
    try storing { () throws(MessageStoreError) in
      let store = try MailStore(paths.mail)
      guard let lock = try store.lock() else { return }
      try retention.apply(
        to: store, state, runOptions, now: program.clock.seconds,
        isStopping: { StopRequest.isMade })
      lock.release()
    }
  }

  private var retention: Retention { Retention(loaded.settings.history, paths) }

  private func makeSender(_ reporter: Reporter) throws(ExitStatus) -> Sender {
    let store = try storing { () throws(MessageStoreError) in try MailStore(paths.mail) }
    return Sender(
      store: store, state: try stateFolder(), opener: try opener(), clock: program.clock,
      random: program.random, options: runOptions, protection: try protection(),
      isStopping: { StopRequest.isMade }, report: reporter.report)
  }

  private var runOptions: Sender.Options {
    let delivery = loaded.settings.delivery
    var run = Sender.Options(host: NoteFileName.hostLabel(Machine.hostName))
    run.anyHost = delivery.hosts == .any
    run.now = options.now
    run.isAsked = options.isAsked
    run.giveUpSeconds = delivery.giveUp.components.seconds
    run.pace = delivery.pace.map { $0.lowerBound.milliseconds...$0.upperBound.milliseconds }
    return run
  }

  private func protection() throws(ExitStatus) -> Protection {
    Protection(loaded.settings, paths, program, try stateFolder())
  }

  private func stateFolder() throws(ExitStatus) -> StateFolder {
    do throws(Errno) {
      return try StateFolder(paths.state)
    } catch {
      throw stop(language.text(MessageStoreError.file(path: paths.state, error)), .tryAgain)
    }
  }

  private func opener() throws(ExitStatus) -> Opener {
    do throws(IdentityFolder.Failure) {
      return try IdentityFolder(paths.identity).opener(passphraseSource)
    } catch {
      throw stop(language.text(error), .configuration)
    }
  }

  /// A person is asked only by a run of his own, that he watches.
  private var passphraseSource: PassphraseSource {
    let isWatched =
      options.mayAsk && StandardStream.messages.isTerminal && StandardStream.input.isTerminal
    return PassphraseSource(
      command: loaded.settings.identity.passphraseCommand, environment: program.environment,
      question: isWatched ? language.text(.ask(path: paths.identity + "/key.pem")) : nil)
  }

  private func lock(_ sender: borrowing Sender) throws(ExitStatus) -> FileLock? {
    do throws(MessageStoreError) {
      return try sender.lock()
    } catch {
      throw stop(language.text(.cannotLock(language.text(error))), .configuration)
    }
  }

  private func waiting(_ sender: borrowing Sender) throws(ExitStatus) -> Set<NoteID> {
    do throws(MessageStoreError) {
      return try sender.waitingIDs()
    } catch {
      throw stop(language.text(error), .tryAgain)
    }
  }
}

// MARK: - The run

extension Flush {
  private func send(
    _ sender: inout Sender, _ accounts: [SendingAccount], _ reporter: Reporter
  ) throws(ExitStatus) {
    do throws(MessageStoreError) {
      try sender.tidy()
      for account in accounts where try sender.hasDueNotes() {
        guard !isHeld(account.account, sender, reporter) else { continue }
        try send(&sender, account, reporter)
      }
      try sender.protectLeftOver()
      try sender.apply(retention)
      try tellOrphans(sender, Set(accounts.compactMap(\.account.name)), reporter)
    } catch {
      throw stop(language.text(error), .tryAgain)
    }
  }

  private func send(
    _ sender: inout Sender, _ account: SendingAccount, _ reporter: Reporter
  ) throws(MessageStoreError) {
    reporter.account = account.account.name
    var agent = SubmissionAgent(
      account.account, account.ready, loaded.settings.delivery, program)
    var sending = Sender.Account(
      name: account.account.name, isDefault: isDefault(account.account), from: account.ready.from,
      to: account.ready.to)
    sending.limit = account.account.sendingLimit
    try sender.send(for: sending, with: &agent)
    agent.finish()
  }

  private func isDefault(_ account: Account) -> Bool { account == loaded.settings.defaultAccount }

  private func hold(
    of account: Account, _ sender: borrowing Sender
  ) -> AccountState.Hold? {
    let hold = sender.state(of: account.name).currentHold(
      now: program.clock.seconds,
      settingsModified: account.settingsModified(loaded.modified), isAsked: options.isAsked)
    // What the network was before it changed says nothing of it now.
    if options.networkChanged, let hold, hold.kind == .offline, hold.since < began { return nil }
    return hold
  }

  private func isHeld(
    _ account: Account, _ sender: borrowing Sender, _ reporter: Reporter
  ) -> Bool {
    guard !options.now, let hold = hold(of: account, sender) else { return false }
    reporter.stillHeld(account.name, until: when(hold.until), hold)
    return true
  }

  /// Notes whose account was taken out of the settings wait for it to come back.
  private func tellOrphans(
    _ sender: borrowing Sender, _ known: Set<String>, _ reporter: Reporter
  ) throws(MessageStoreError) {
    guard reporter.tellsPerson else { return }
    for entry in try sender.dueNotes() {
      guard let id = entry.note?.id, let account = sender.account(namedBy: entry),
        !known.contains(account)
      else { continue }
      reporter.orphan(id, account)
    }
  }

  /// When a note is to be tried next, the holds and limits of its account counted in.
  private func nextTry(
    _ sender: borrowing Sender, _ accounts: [SendingAccount]
  ) throws(ExitStatus) -> Int64? {
    var blocked: [String?: Int64] = [:]
    for account in accounts.map(\.account) {
      let until =
        hold(of: account, sender)?.until ?? sender.limitedUntil(account.name, account.sendingLimit)
      guard let until, until > program.clock.seconds else { continue }
      blocked[account.name] = until
      if isDefault(account) { blocked[nil] = until }
    }
    do throws(MessageStoreError) {
      return try sender.nextTry(blocked: blocked)
    } catch {
      throw stop(language.text(error), .tryAgain)
    }
  }

  private func when(_ seconds: Int64) -> String {
    let now = program.clock.seconds
    return language.when(
      LocalTime(secondsSinceEpoch: seconds, zoneOffset: program.clock.zoneOffset(seconds)),
      now: LocalTime(secondsSinceEpoch: now, zoneOffset: program.clock.zoneOffset(now)))
  }
}

// MARK: - The plan

extension Flush {
  /// Tells what would be sent, when, by which account, and how the conversation would go.
  private func plan(
    _ sender: borrowing Sender, _ accounts: [SendingAccount]
  ) throws(ExitStatus) -> Result {
    let notes: [MaildirFolder.Entry]
    do throws(MessageStoreError) {
      notes = try sender.waitingNotes()
    } catch {
      throw stop(language.text(error), .tryAgain)
    }
    var lines: [String] = []
    for account in accounts {
      let mine = notes.filter { entry in
        let named = sender.account(namedBy: entry)
        return named == nil ? isDefault(account.account) : named == account.account.name
      }
      guard !mine.isEmpty else { continue }
      lines.append(
        language.text(.plan(account: account.account.name, server: "\(account.ready.server)")))
      for note in mine { lines.append(planned(note, account, sender)) }
      lines += conversation(account)
    }
    do throws(Errno) {
      try StandardStream.output.write(Array(lines.map { $0 + "\n" }.joined().utf8))
    } catch {
      throw stop(language.text(.outputFailed(error.text)), .ioError)
    }
    return Result()
  }

  private func planned(
    _ note: MaildirFolder.Entry, _ account: SendingAccount, _ sender: borrowing Sender
  ) -> String {
    let id = note.note.map { "\($0.id)" } ?? note.fileName
    let now = program.clock.seconds
    let held = options.now ? nil : hold(of: account.account, sender)?.until
    let due = max(sender.dueTime(of: note) ?? now, held ?? now)
    return language.text(
      due <= now || options.now ? .planNow(id: id) : .planLater(id: id, until: when(due)))
  }

  private func conversation(_ account: SendingAccount) -> [String] {
    let isSTARTTLS = account.ready.server.security == .startTLS
    let envelope = account.ready
    let commands =
      (isSTARTTLS ? ["EHLO", "STARTTLS", "(TLS)"] : ["(TLS)"])
      + ["EHLO", "AUTH PLAIN ***", "MAIL FROM:<\(envelope.from.address)>"]
      + ["RCPT TO:<\(envelope.to.address)>", "DATA", ".", "QUIT"]
    return commands.map { "  C: " + $0 }
  }
}

extension Duration {
  /// In whole milliseconds.
  fileprivate var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}

extension Account {
  fileprivate var sendingLimit: SendingLimit? {
    limit.map { SendingLimit(count: $0.count, seconds: $0.interval.components.seconds) }
  }

  /// When the settings or the file with the password changed last: that ends a pause.
  fileprivate func settingsModified(_ settings: Int64) -> Int64 {
    guard let passwordFile, let file = try? FileDescriptor(passwordFile, .read),
      let status = try? file.status()
    else { return settings }
    return max(settings, status.modified)
  }
}
