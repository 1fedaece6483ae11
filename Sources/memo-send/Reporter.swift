import Characters
import Configuration
import MessageFormat
import Outbox
import Posix
import Wording

// Design: a run that a timer started says only what needs a person; on a terminal the person is
// there, and is told of every note that did not go.

/// Tells what a run does, and keeps what its exit status has to say.
final class Reporter {
  private let program: MemoSend
  private let isVerbose: Bool
  private let isWatched = StandardStream.messages.isTerminal
  private let state: StateFolder?
  private var messenger: Messenger { program.messenger }
  private var language: any Language { messenger.language }
  /// The account being sent for.
  var account: String?
  /// How the program is to end.
  private(set) var status = ExitStatus.success
  /// Whether the network or this machine is in trouble, so that looking again is no use.
  private(set) var endsRun = false
  private var told: Set<String> = []
  private var progress = Progress()

  init(_ program: MemoSend, _ paths: Paths, _ options: FlushOptions) {
    self.program = program
    isVerbose = options.isVerbose
    state = try? StateFolder(paths.state)
    if !isWatched && !options.lingers && !options.isDryRun { recordUnattendedRun() }
  }

  /// Takes an event of the run.
  func report(_ event: Sender.Event) {
    switch event {
    case .trying(_, let left): if isWatched && !isVerbose { progress.show(left: left) }
    case .tried(let id, let outcome): tried("\(id)", outcome)
    case .failed(let id, let reason): say(.failed(id: "\(id)", reason))
    case .notOurs(let id): tellPerson(.notOurs(id: "\(id)"))
    case .held(let hold): held(hold)
    case .limited(let until): tellPerson(.limited(account: account, until: when(until)))
    case .notProtected(let trouble): notProtected(trouble)
    case .notSealed(_, let trouble):
      local(Reason(.trouble(trouble.cause), detail: trouble.detail))
    case .storeFailed(let error): clearAndSay(language.text(error))
    }
  }

  /// An account on hold was not tried.
  func stillHeld(_ account: String?, until: String, _ hold: AccountState.Hold) {
    tellPerson(.stillHeld(account: account, until: until, hold.reason))
  }

  /// A note's account is not in the settings.
  func orphan(_ id: NoteID, _ account: String) {
    tellPerson(.accountGone(id: "\(id)", account: account))
  }

  /// Whether somebody is there to be told what passes by itself.
  var tellsPerson: Bool { isVerbose || isWatched }

  /// The run is over.
  func finish() { progress.clear() }

  private func tried(_ id: String, _ outcome: Outcome) {
    guard let reason = Reason(outcome) else {
      if isVerbose { tell(.accepted(id: id)) }
      return
    }
    switch outcome {
    case .accepted, .rejected, .account: break
    case .deferred, .interrupted: tellIfWatched(.waits(id: id, reason))
    case .unknown: tellIfWatched(.perhapsDelivered(id: id, reason))
    case .offline:
      endsRun = true
      tellIfWatched(.offline(reason))
    case .local:
      endsRun = true
      local(reason)
    }
  }

  /// Where nobody watches, a timer's mail tells of gpg once a day; the rest is rare.
  private func local(_ reason: Reason) {
    let words = language.text(.local(reason))
    guard isWatched || !reason.isAboutOpenPGP || shouldTell(words) else { return }
    clearAndSay(words)
    if let hint = language.hint(reason) { messenger.hint(hint) }
  }

  private func notProtected(_ trouble: Trouble) {
    let reason = Reason(.trouble(trouble.cause), detail: trouble.detail)
    let words = language.text(.notProtected(reason))
    // It is tried again by every run, and nothing waits for it.
    guard told.insert(words).inserted, isWatched || shouldTell(words) else { return }
    clearAndSay(words)
  }

  private func held(_ hold: AccountState.Hold) {
    guard hold.kind == .paused else { return }
    status = hold.reason.kind == .trouble(.loginRefused) ? .noPermission : .configuration
    let words = language.text(.paused(account: account, hold.reason))
    // A timer's mail every time the account is tried would be noise: once a day is enough.
    guard isWatched || shouldTell(words) else { return }
    clearAndSay(words)
    messenger.hint(language.text(.pauseHint(hold.reason)))
  }

  /// Once an hour is enough to tell `memo status` that somebody sees to the outbox.
  private func recordUnattendedRun() {
    switch state {
    case .some(let state):
      let now = program.clock.seconds
      guard now - (state.lastUnattendedRun() ?? 0) >= 3600 else { return }
      state.setLastUnattendedRun(now)
    case .none: break
    }
  }

  private func shouldTell(_ words: String) -> Bool {
    switch state {
    case .some(let state): state.shouldTell(words, day: program.clock.seconds / 86400)
    case .none: true
    }
  }

  private func when(_ seconds: Int64) -> String {
    let now = program.clock.seconds
    return language.when(
      LocalTime(secondsSinceEpoch: seconds, zoneOffset: program.clock.zoneOffset(seconds)),
      now: LocalTime(secondsSinceEpoch: now, zoneOffset: program.clock.zoneOffset(now)))
  }

  private func say(_ sentence: DeliverySentence) { clearAndSay(language.text(sentence)) }

  private func clearAndSay(_ words: String) {
    progress.clear()
    messenger.say(words)
  }

  /// Says something, once a run, to whoever watches.
  private func tellPerson(_ sentence: DeliverySentence) {
    let words = language.text(sentence)
    guard tellsPerson, told.insert(words).inserted else { return }
    clearAndSay(words)
  }

  /// Note by note on standard output, as that is what was asked for.
  private func tell(_ sentence: DeliverySentence) {
    let line = sanitised(language.text(sentence)) + "\n"
    // Where nobody listens the notes go all the same.
    try? StandardStream.output.write(Array(line.utf8))
  }

  private func tellIfWatched(_ sentence: DeliverySentence) {
    if isVerbose { tell(sentence) } else if isWatched { say(sentence) }
  }
}

/// A line on the terminal that counts the notes down and goes away again.
private struct Progress {
  private var isShown = false
  private var total = 0
  /// So few notes are gone before the line could be read.
  private static let fewest = 5

  /// Shows how many are left behind the one being tried.
  mutating func show(left: Int) {
    total = max(total, left + 1)
    guard total > Self.fewest else { return }
    isShown = true
    // CR and "erase to the end of the line", ECMA-48 §8.3.41.
    write("\r\u{1B}[K\(total - left)/\(total)")
  }

  /// Takes the line away.
  mutating func clear() {
    guard isShown else { return }
    isShown = false
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) { try? StandardStream.messages.write(Array(text.utf8)) }
}
