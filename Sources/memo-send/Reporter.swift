import Characters
import MessageFormat
import Outbox
import Posix
import Wording

// Design: a run that a timer started says only what needs a person; on a terminal the person is
// there, and is told of every note that did not go.

/// Tells what a run does, and keeps what its exit status has to say.
final class Reporter {
  private let messenger: Messenger
  private let isVerbose: Bool
  private let isWatched = StandardStream.messages.isTerminal
  private var language: any Language { messenger.language }
  /// The account being sent for.
  var account: String?
  /// How the program is to end.
  private(set) var status = ExitStatus.success
  /// Whether the network or this machine is in trouble, so that looking again is no use.
  private(set) var endsRun = false
  private var told: Set<String> = []

  init(_ messenger: Messenger, _ options: FlushOptions) {
    self.messenger = messenger
    isVerbose = options.isVerbose
  }

  /// Takes an event of the run.
  func report(_ event: Sender.Event) {
    switch event {
    case .tried(let id, let outcome): tried("\(id)", outcome)
    case .failed(let id, let reason): say(.failed(id: "\(id)", reason))
    case .notOurs(let id): if isVerbose || isWatched { say(.notOurs(id: "\(id)")) }
    case .paused(let reason): paused(reason)
    case .storeFailed(let error):
      endsRun = true
      messenger.say(language.text(error))
    }
  }

  /// A paused account was not tried.
  func stillPaused(_ account: String?, until: String, _ reason: Reason) {
    guard isVerbose || isWatched else { return }
    sayOnce(.stillPaused(account: account, until: until, reason))
  }

  /// A note's account is not in the settings.
  func orphan(_ id: NoteID, _ account: String) {
    guard isVerbose || isWatched else { return }
    sayOnce(.accountGone(id: "\(id)", account: account))
  }

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
      say(.local(reason))
    }
  }

  private func paused(_ reason: Reason) {
    status = reason.kind == .trouble(.loginRefused) ? .noPermission : .configuration
    say(.paused(account: account, reason))
    messenger.hint(language.text(.pauseHint(reason)))
  }

  private func say(_ sentence: DeliverySentence) { messenger.say(language.text(sentence)) }

  private func sayOnce(_ sentence: DeliverySentence) {
    let words = language.text(sentence)
    if told.insert(words).inserted { messenger.say(words) }
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
