import Configuration
import History
import MessageFormat
import MessageStore
import Outbox
import Posix
import Sealing
import Wording

extension Home {
  /// The notes of this user; what is sealed stays so when the key is not at hand.
  ///
  /// - Parameter opening: Whether they are to be read, for which a locked key's passphrase is
  ///   asked for once.
  /// - Returns: The history.
  /// - Throws: When the store cannot be read, or the passphrase that was given is wrong.
  func history(opening: Bool) throws(ExitStatus) -> History {
    let opener: Opener?
    var isLocked = false
    do throws(IdentityFolder.Failure) {
      opener = try IdentityFolder(paths.identity).opener(opening ? passphraseSource : .none)
    } catch {
      opener = nil
      isLocked = try tellLocked(error)
    }
    return History(
      store: try store(), state: try state(), opener: opener, isLocked: isLocked,
      cache: SealedCache(paths.sealedCache), clock: memo.clock)
  }

  /// The folders of this user's notes.
  func store() throws(ExitStatus) -> MailStore {
    do throws(MessageStoreError) {
      return try MailStore(paths.mail)
    } catch {
      throw unreadable(error)
    }
  }

  /// What is remembered beside the notes.
  func state() throws(ExitStatus) -> StateFolder {
    do throws(Errno) {
      return try StateFolder(paths.state)
    } catch {
      throw unreadable(.file(path: paths.state, error))
    }
  }

  private func unreadable(_ error: MessageStoreError) -> ExitStatus {
    say(language.text(.cannotShow(.store(error))))
    return .tryAgain
  }

  /// Whether the key is locked; a passphrase that was given and is wrong ends it all.
  private func tellLocked(_ failure: IdentityFolder.Failure) throws(ExitStatus) -> Bool {
    switch failure {
    case .unusable(_, .keyLocked): return true
    case .unusable(_, .passphraseWrong), .passphrase(.terminal):
      say(language.text(failure))
      throw .noPermission
    case .passphrase:
      say(language.text(failure))
      return true
    default: return false
    }
  }

  /// Every note in some folders, newest first.
  func entries(
    of history: borrowing History, in folders: Set<MailStore.FolderName>
  ) throws(ExitStatus) -> [HistoryEntry] {
    do throws(HistoryError) {
      return try history.entries(in: folders)
    } catch {
      say(language.text(.cannotShow(error)))
      throw .tryAgain
    }
  }

  /// A time, short, as the user's clock shows it.
  func when(_ seconds: Int64) -> String {
    language.when(local(seconds), now: local(memo.clock.seconds))
  }

  /// When a note is tried next, nil when that is not in the future.
  func nextTry(_ seconds: Int64?) -> String? {
    guard let seconds, seconds > memo.clock.seconds else { return nil }
    return when(seconds)
  }

  private func local(_ seconds: Int64) -> LocalTime {
    LocalTime(secondsSinceEpoch: seconds, zoneOffset: memo.clock.zoneOffset(seconds))
  }
}

extension HistoryEntry.State {
  /// The state's name for programs.
  var name: String {
    switch self {
    case .sent: "sent"
    case .waiting: "waiting"
    case .perhapsDelivered: "perhaps-delivered"
    case .failed: "failed"
    }
  }

  /// When the note is tried next, in seconds since 1970.
  var nextTry: Int64? {
    switch self {
    case .sent, .failed: nil
    case .waiting(let until, _), .perhapsDelivered(let until, _): until
    }
  }

  /// Why it waits or was given up.
  var reason: Reason? {
    switch self {
    case .sent: nil
    case .waiting(_, let reason), .perhapsDelivered(_, let reason), .failed(let reason): reason
    }
  }
}
