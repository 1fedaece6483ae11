import Configuration
import History
import MessageFormat
import MessageStore
import Outbox
import Posix
import Sealing
import Wording

// Design: a key pressed twice must not send twice. So one at a time, and not right after the last
// try: of a note that was delivered, the notes that were just made of it tell, as they refer to it.

/// Sends notes again: a delivered one as a new note, any other as itself.
struct ResendCommand {
  private let home: Home
  private let names: NoteNames
  private var language: any Language { home.language }
  private var now: Int64 { home.memo.clock.seconds }

  /// After the last try of a note, in milliseconds.
  private static let shortestPause: Int64 = 1500

  init(_ home: Home, _ names: NoteNames) {
    self.home = home
    self.names = names
  }

  func run() throws(ExitStatus) -> ExitStatus {
    let store = try home.store()
    let state = try home.state()
    let history = try home.history(opening: true)
    let lock = try lock(store)
    let entries = try home.entries(of: history, in: Set(MailStore.FolderName.allCases))
    var accounts: Set<String?> = []
    let status = home.forEach(names, of: history, among: entries) {
      (entry, name) throws(ExitStatus) in
      try refuseTooSoon(entry, name, history, entries)
      accounts.insert(try resend(entry, name, history, store, state))
    }
    lock?.release()
    for name in accounts { SenderStart(home, home.settings.account(named: name)).run() }
    return status
  }

  /// Sends a note again from where it lies; the account it is sent by.
  private func resend(
    _ entry: HistoryEntry, _ name: NoteName, _ history: borrowing History,
    _ store: borrowing MailStore, _ state: borrowing StateFolder
  ) throws(ExitStatus) -> String? {
    switch entry.folder {
    case .sent: try sendAnew(entry, history)
    case .failed: try bringBack(entry, name, history, store, state)
    case .outbox: try makeDue(entry, history, store)
    }
  }

  /// Keeps a second one at the same time away; where nothing can be locked it is done without.
  private func lock(_ store: borrowing MailStore) throws(ExitStatus) -> FileLock? {
    do throws(MessageStoreError) {
      if let lock = try store.lockResending() { return lock }
    } catch {
      return nil
    }
    home.say(language.text(.resendingElsewhere))
    throw .tryAgain
  }

  private func trouble(_ error: HistoryError, _ name: NoteName) -> ExitStatus {
    home.say(language.text(.notResent(name.text, error)))
    return switch error {
    case .locked: .noPermission
    case .vanished, .sealed, .encrypted, .notDecrypted, .damaged: .noInput
    case .store: .tryAgain
    }
  }
}

// MARK: - Too soon

extension ResendCommand {
  private func refuseTooSoon(
    _ entry: HistoryEntry, _ name: NoteName, _ history: borrowing History,
    _ entries: [HistoryEntry]
  ) throws(ExitStatus) {
    let isTooSoon: Bool
    do throws(HistoryError) {
      let tried = try history.lastTry(of: entry)
      isTooSoon = tried.map(isRecent) ?? false || wasJustMadeAnew(entry, history, entries)
    } catch {
      throw trouble(error, name)
    }
    guard isTooSoon else { return }
    home.say(language.text(.resentJustNow(name.text)))
    throw .tryAgain
  }

  /// Whether a time in whole seconds, rounded down, may be that short ago.
  ///
  /// One a little ahead, as after a clock was set, is taken for one that is.
  private func isRecent(_ seconds: Int64) -> Bool {
    abs(home.memo.clock.milliseconds() - seconds * 1000) < Self.shortestPause + 1000
  }

  private func wasJustMadeAnew(
    _ entry: HistoryEntry, _ history: borrowing History, _ entries: [HistoryEntry]
  ) -> Bool {
    guard entry.folder == .sent, let messageID = try? history.readable(entry).messageID
    else { return false }
    let since = home.memo.clock.milliseconds() - Self.shortestPause
    for other in entries.prefix(while: { $0.captured > since }) where other != entry {
      let field = try? history.readable(other).header.first(named: "References")
      if field?.decodedText.hasSuffix(messageID) == true { return true }
    }
    return false
  }
}

// MARK: - Each to its place

extension ResendCommand {
  private func sendAnew(
    _ entry: HistoryEntry, _ history: borrowing History
  ) throws(ExitStatus) -> String? {
    let content = try home.content(of: entry, in: history)
    let (id, date) = try home.newIdentity()
    let note = Note(again: content.message, id: id, date: date, account: content.account)
    let correspondents = Correspondents(home.settings.account(named: content.account))
    try home.enqueue(
      note, try home.openOutbox(), try home.recipient(), from: correspondents)
    return content.account
  }

  private func bringBack(
    _ entry: HistoryEntry, _ name: NoteName, _ history: borrowing History,
    _ store: borrowing MailStore, _ state: borrowing StateFolder
  ) throws(ExitStatus) -> String? {
    guard let id = entry.id else { throw trouble(.damaged, name) }
    let (account, sealed) = try sealedAgain(entry, id, name, history)
    do throws(MessageStoreError) {
      try store.bringBack(
        entry.file, id, sealed: sealed, host: NoteFileName.hostLabel(Machine.hostName), now: now,
        keepingReasonsIn: state)
    } catch .vanished {
      // A mail client moved it right now: it is sent again from there.
      let entries = try home.entries(of: history, in: Set(MailStore.FolderName.allCases))
      guard let moved = entries.first(where: { $0.id == id }), moved != entry else {
        throw trouble(.vanished, name)
      }
      return try resend(moved, name, history, store, state)
    } catch {
      throw trouble(.store(error), name)
    }
    return account
  }

  /// The account of a failed note, and its sealed form where its file has another one.
  private func sealedAgain(
    _ entry: HistoryEntry, _ id: NoteID, _ name: NoteName, _ history: borrowing History
  ) throws(ExitStatus) -> (account: String?, sealed: Message?) {
    guard let outer = try? Message(parsing: history.file(of: entry)),
      !SealedMessage.isSealed(outer)
    else { return (try account(of: entry, name, history), nil) }
    let content = try home.content(of: entry, in: history)
    guard content.message.noteID == id else { throw trouble(.damaged, name) }
    return (content.account, try sealedAgain(content.message, lyingAs: outer))
  }

  private func account(
    of entry: HistoryEntry, _ name: NoteName, _ history: borrowing History
  ) throws(ExitStatus) -> String? {
    do throws(HistoryError) {
      return try history.content(of: entry).account
    } catch .sealed {
      // Its key is elsewhere, and so may be who sends it.
      return nil
    } catch {
      throw trouble(error, name)
    }
  }

  private func sealedAgain(
    _ message: Message, lyingAs outer: Message
  ) throws(ExitStatus) -> Message {
    let recipient = try home.recipient()
    do throws(SealingError) {
      return try recipient.seal(again: message, lyingAs: outer)
    } catch {
      throw home.stop(.notSaved(home.language.text(error)), .tryAgain)
    }
  }

  private func makeDue(
    _ entry: HistoryEntry, _ history: borrowing History, _ store: borrowing MailStore
  ) throws(ExitStatus) -> String? {
    do throws(MessageStoreError) {
      try store.makeDue(entry.file, now: now)
    } catch .vanished {
      // It is on its way this very moment.
    } catch {
      home.say(language.text(.cannotShow(.store(error))))
      throw .tryAgain
    }
    return (try? history.content(of: entry))?.account
  }
}
