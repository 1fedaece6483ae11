import Configuration
import MessageStore
import Outbox
import Posix
import Wording

// Design: the sender is a program of its own, started and forgotten. It is not started where it
// could do nothing: that would be a process for every note, for nothing.

/// Has the notes sent, or says once a day why they cannot be.
struct SenderStart {
  private let home: Home
  private let account: Account?
  private var language: any Language { home.language }

  init(_ home: Home, _ account: Account?) {
    self.home = home
    self.account = account
  }

  /// Starts the sender after a capture, unless one is at work or there is no use in it.
  func run() {
    if let fault {
      tell(.savedButUnsendable(fault))
      return
    }
    guard home.settings.delivery.afterCapture, !isPaused else { return }
    // Asked after the note is durable: a sender that is leaving looks once more after letting go.
    guard !MailStore.hasSender(at: home.paths.mail), let path = home.senderPath else { return }
    // The note is safe all the same; without a sender it waits for the next one.
    try? ChildProcess.startDetached(
      path, ["flush", "--linger"], environment: home.memo.environment)
  }

  /// Why notes cannot be sent as things are set up, in words.
  private var fault: String? {
    if case .broken(let error) = home.loaded { return language.text(error) }
    if let unbuilt = home.settings.unbuiltFeatures.first {
      return language.text(.notBuilt(line: unbuilt.line, key: unbuilt.key.name))
    }
    guard let account else { return language.text(.noAccount) }
    do throws(ReadyAccount.Fault) {
      _ = try ReadyAccount(account)
      return nil
    } catch {
      return language.text(error, of: account.name)
    }
  }

  /// Whether the account cannot send as it is.
  private var isPaused: Bool {
    guard let state = try? StateFolder(home.paths.state),
      let hold = state.account(account?.name).currentHold(
        now: home.memo.clock.seconds, settingsModified: home.loaded.modified, isAsked: true),
      hold.kind == .paused
    else { return false }
    tell(.savedButUnsendable(language.text(.paused(account: account?.name, hold.reason))))
    return true
  }

  private func tell(_ sentence: CaptureSentence) {
    let words = language.text(sentence)
    let day = home.memo.clock.seconds / 86400
    // Without a state folder it is told each time: better too often than never.
    if let state = try? StateFolder(home.paths.state), !state.shouldTell(words, day: day) {
      return
    }
    home.say(words)
  }
}

extension Home {
  /// The sender, beside this program, else where `$MEMO_SEND` says.
  var senderPath: String? {
    if let own = Hardening.executablePath, let slash = own.lastIndex(of: "/") {
      let beside = own[...slash] + "memo-send"
      if Machine.isExecutable(String(beside)) { return String(beside) }
    }
    return memo.environment["MEMO_SEND"].flatMap { Machine.isExecutable($0) ? $0 : nil }
  }
}
