public import MessageFormat
public import MessageStore
public import Outbox

/// A note as its place and name tell of it, without opening it.
public struct HistoryEntry: Sendable, Equatable {
  /// The folder it lies in.
  public let folder: MailStore.FolderName
  /// Its file.
  public let file: MaildirFolder.Entry
  /// Its identity: of the file's name, else of the outer Message-ID; nil where neither tells one.
  public let id: NoteID?
  /// When it was captured, in milliseconds since 1970, by which the history is ordered.
  public let captured: Int64

  /// What became of a note.
  public enum State: Sendable, Equatable {
    /// The server took it.
    case sent
    /// It waits: until when (seconds since 1970), and why, where that is known.
    case waiting(until: Int64, Reason?)
    /// It was given whole to the server, which did not answer; it is tried again then.
    case perhapsDelivered(until: Int64, Reason?)
    /// It was given up, and why, where that is known.
    case failed(Reason?)
  }
}

/// What a note says.
public struct HistoryContent: Sendable {
  /// The message as it was composed.
  public let message: Message
  /// What became of the note.
  public let state: HistoryEntry.State
  /// The account the note names, nil for the default one.
  public let account: String?
}

/// Why a note's content cannot be shown.
public enum HistoryError: Error, Equatable, Sendable {
  /// It is gone, by its owner's hand or a mail client's.
  case vanished
  /// The key it is sealed to is not at hand.
  case sealed
  /// It is encrypted with OpenPGP, and its sealed original is not kept here.
  case encrypted
  /// It is encrypted with OpenPGP, and gpg did not open it.
  case notDecrypted(OpenPGPDecryption.Failure)
  /// The key it is sealed to has a passphrase, which is not at hand.
  case locked
  /// Its file does not open, or is no message.
  case damaged
  /// The store failed.
  case store(MessageStoreError)
}
