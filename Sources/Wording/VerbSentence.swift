public import History
public import MessageStore
public import Outbox
public import Posix

/// What is said about the verbs that do something with notes there are.
public enum VerbSentence: Sendable {
  /// So many notes could not be looked into.
  case notSearched(Int)
  /// No note has the words.
  case nothingFound
  /// A note was tried or sent again a moment ago.
  case resentJustNow(String)
  /// Another process sends notes again at this moment.
  case resendingElsewhere
  /// A note cannot be sent again.
  case notResent(String, HistoryError)
  /// What came of cancelling a note.
  case cancellation(String, Cancellation)
  /// A note was not cancelled, or it is not sure that it is.
  case notCancelled(String, MessageStoreError)
  /// The text of a note is on the clipboard, by this program.
  case copied(by: String)
  /// The terminal was asked to take it.
  case copiedByTerminal
  /// There is no way to a clipboard.
  case noClipboard
  /// What would make one.
  case clipboardHint
  /// A text is too long for a terminal, in octets.
  case tooLongForTerminal(Int, limit: Int)
  /// A note has no files to save.
  case noFiles
  /// A file cannot be saved.
  case cannotSave(folder: String, Errno)
}

extension English {
  /// The English words.
  public func text(_ sentence: VerbSentence) -> String {
    switch sentence {
    case .notSearched(let number):
      "\(count(number, "note was", "notes were")) not searched: encrypted, damaged, or sealed "
        + "for a key that is not here"
    case .nothingFound: "no note has all of these words"
    case .resentJustNow(let name):
      "\(name) was tried or sent again a moment ago: not sent once more"
    case .resendingElsewhere: "another 'memo resend' is at work: nothing sent again"
    case .notResent(let name, let error): "\(name) cannot be sent again: \(text(error))"
    case .cancellation(let name, let cancellation): "\(name): \(text(cancellation))"
    case .notCancelled(let name, let error): "\(name) may still be sent: \(text(error))"
    case .copied(let program): "copied with \(program)"
    case .copiedByTerminal:
      "given to the terminal (OSC 52), which does not tell whether it took it"
    case .noClipboard: "not copied: there is no clipboard within reach"
    case .clipboardHint:
      "it takes wl-copy, xclip or xsel on a desktop, or a terminal that knows OSC 52"
    case .tooLongForTerminal(let octets, let limit):
      "not copied: \(size(octets)) is more than a terminal takes, \(size(limit))"
    case .noFiles: "the note has no files"
    case .cannotSave(let folder, let error): "cannot save in \(folder): \(error.text)"
    }
  }

  private func text(_ cancellation: Cancellation) -> String {
    switch cancellation {
    case .cancelled: "cancelled"
    case .stopped: "it may have been delivered before; it will not be sent again"
    case .underWay:
      "too late: the server may have it, and its answer is awaited; cancel it again in a while "
        + "to keep it from being sent again"
    case .sent: "too late: it was sent"
    case .failed: "not waiting: it failed, and is not sent again"
    case .gone: "the note is gone"
    }
  }
}
