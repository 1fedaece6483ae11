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
  private let program: MemoSend
  private let options: FlushOptions
  private let paths: Paths
  private let loaded: LoadedSettings
  private var language: any Language { program.messenger.language }

  init(_ program: MemoSend, _ options: FlushOptions) throws(ExitStatus) {
    self.program = program
    self.options = options
    do throws(ConfigurationError) {
      let environment = program.environment
      paths = try Paths(
        environment: environment.variables, homeFromPasswd: Machine.homeFromPasswordFile())
    } catch {
      program.messenger.say(program.messenger.language.text(error))
      throw .configuration
    }
    loaded = LoadedSettings(at: paths)
  }

  func run() throws(ExitStatus) -> ExitStatus {
    let accounts = try readyAccounts()
    let reporter = Reporter(program.messenger, options)
    guard var sender = try makeSender(reporter) else { return .success }
    if options.isDryRun { return try plan(sender, accounts) }
    // After letting the lock go it looks once more: a capture that saw the lock held counts on it.
    while let lock = try lock(sender) {
      try send(&sender, accounts, reporter)
      lock.release()
      if try due(sender).isEmpty || reporter.endsRun { break }
    }
    return reporter.status
  }

  private func stop(_ words: String, _ status: ExitStatus) -> ExitStatus {
    program.messenger.say(words)
    return status
  }
}

// MARK: - What it takes

extension Flush {
  private func readyAccounts() throws(ExitStatus) -> [(Account, ReadyAccount)] {
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
      return try settings.accounts.map { (account) throws(ExitStatus) in
        do throws(ReadyAccount.Fault) {
          return (account, try ReadyAccount(account))
        } catch {
          throw stop(language.text(error, of: account.name), .configuration)
        }
      }
    }
  }

  /// A sender, nil when the outbox is empty: then no key is needed either.
  private func makeSender(_ reporter: Reporter) throws(ExitStatus) -> Sender? {
    do throws(MessageStoreError) {
      let store = try MailStore(paths.mail)
      guard try !store.outbox.entries().isEmpty else { return nil }
    } catch {
      throw stop(language.text(error), .tryAgain)
    }
    let opener = try opener()
    var run = Sender.Options(host: NoteFileName.hostLabel(Machine.hostName))
    run.anyHost = loaded.settings.delivery.hosts == .any
    run.now = options.now
    run.giveUpSeconds = loaded.settings.delivery.giveUp.components.seconds
    do throws(MessageStoreError) {
      let store = try MailStore(paths.mail)
      let state = try stateFolder()
      return Sender(
        store: store, state: state, opener: opener, clock: program.clock, options: run,
        report: reporter.report)
    } catch {
      throw stop(language.text(error), .tryAgain)
    }
  }

  private func stateFolder() throws(MessageStoreError) -> StateFolder {
    do throws(Errno) {
      return try StateFolder(paths.state)
    } catch {
      throw .file(path: paths.state, error)
    }
  }

  private func opener() throws(ExitStatus) -> Opener {
    do throws(IdentityFolder.Failure) {
      return try IdentityFolder(paths.identity).opener()
    } catch {
      throw stop(language.text(error), .configuration)
    }
  }

  private func lock(_ sender: borrowing Sender) throws(ExitStatus) -> FileLock? {
    do throws(MessageStoreError) {
      return try sender.lock()
    } catch {
      throw stop(language.text(.cannotLock(language.text(error))), .configuration)
    }
  }

  private func due(_ sender: borrowing Sender) throws(ExitStatus) -> [MaildirFolder.Entry] {
    do throws(MessageStoreError) {
      return try sender.dueNotes()
    } catch {
      throw stop(language.text(error), .tryAgain)
    }
  }
}

// MARK: - The run

extension Flush {
  private func send(
    _ sender: inout Sender, _ accounts: [(Account, ReadyAccount)], _ reporter: Reporter
  ) throws(ExitStatus) {
    do throws(MessageStoreError) {
      try sender.tidy()
      let isDefault = loaded.settings.defaultAccount
      for (account, ready) in accounts where try !sender.dueNotes().isEmpty {
        guard !isPaused(account, sender, reporter) else { continue }
        reporter.account = account.name
        var agent = SubmissionAgent(account, ready, loaded.settings.delivery, program)
        try sender.send(
          for: Sender.Account(
            name: account.name, isDefault: account == isDefault, from: ready.from, to: ready.to),
          with: &agent)
        agent.finish()
      }
      try tellOrphans(sender, Set(accounts.compactMap(\.0.name)), reporter)
    } catch {
      throw stop(language.text(error), .tryAgain)
    }
  }

  private func isPaused(
    _ account: Account, _ sender: borrowing Sender, _ reporter: Reporter
  ) -> Bool {
    guard !options.now,
      let pause = sender.state(of: account.name).currentPause(
        now: program.clock.seconds, configurationModified: loaded.modified)
    else { return false }
    reporter.stillPaused(account.name, until: when(pause.until), pause.reason)
    return true
  }

  /// Notes whose account was taken out of the settings wait for it to come back.
  private func tellOrphans(
    _ sender: borrowing Sender, _ known: Set<String>, _ reporter: Reporter
  ) throws(MessageStoreError) {
    for entry in try sender.dueNotes() {
      guard let id = entry.note?.id, let account = sender.account(namedBy: entry),
        !known.contains(account)
      else { continue }
      reporter.orphan(id, account)
    }
  }

  private func plan(
    _ sender: borrowing Sender, _ accounts: [(Account, ReadyAccount)]
  ) throws(ExitStatus) -> ExitStatus {
    for entry in try due(sender) {
      guard let id = entry.note?.id else { continue }
      let named = sender.account(namedBy: entry)
      guard
        let (account, ready) = accounts.first(where: { account, _ in
          named == nil ? account == loaded.settings.defaultAccount : account.name == named
        })
      else { continue }
      let words = language.text(
        .wouldSend(id: id.description, account: account.name, server: "\(ready.server)"))
      do throws(Errno) {
        try StandardStream.output.write(Array((words + "\n").utf8))
      } catch {
        throw stop(language.text(.outputFailed(error.text)), .ioError)
      }
    }
    return .success
  }

  private func when(_ seconds: Int64) -> String {
    let now = program.clock.seconds
    return language.when(
      LocalTime(secondsSinceEpoch: seconds, zoneOffset: program.clock.zoneOffset(seconds)),
      now: LocalTime(secondsSinceEpoch: now, zoneOffset: program.clock.zoneOffset(now)))
  }
}
