import History
import MessageStore
import Outbox
import Posix
import Wording

/// Removes notes that wait, for good, as long as it is not too late.
struct CancelCommand {
  private let home: Home
  private let names: NoteNames

  init(_ home: Home, _ names: NoteNames) {
    self.home = home
    self.names = names
  }

  func run() throws(ExitStatus) -> ExitStatus {
    let store = try home.store()
    let state = try home.state()
    let history = try home.history(opening: false)
    let entries = try home.entries(of: history, in: Set(MailStore.FolderName.allCases))
    return home.forEach(names, of: history, among: entries) { (entry, name) throws(ExitStatus) in
      let cancellation = try cancel(entry, name, store)
      if let id = entry.id, cancellation == .cancelled || cancellation == .stopped {
        state.setReason(nil, for: id)
      }
      // That it is done needs no word.
      guard cancellation != .cancelled else { return }
      home.say(home.language.text(.cancellation(name.text, cancellation)))
      switch cancellation {
      case .cancelled, .stopped: return
      case .underWay: throw .tryAgain
      case .sent, .failed: throw .attention
      case .gone: throw .noInput
      }
    }
  }

  private func cancel(
    _ entry: HistoryEntry, _ name: NoteName, _ store: borrowing MailStore
  ) throws(ExitStatus) -> Cancellation {
    do throws(MessageStoreError) {
      switch (entry.folder, entry.id) {
      case (.sent, _): return .sent
      case (.failed, _): return .failed
      case (.outbox, let id?): return try store.cancel(id)
      case (.outbox, nil):
        // A file that no sender can send.
        try store.outbox.removeExactly(entry.file)
        return .cancelled
      }
    } catch .vanished {
      return .gone
    } catch {
      home.say(home.language.text(.notCancelled(name.text, error)))
      throw .ioError
    }
  }
}
