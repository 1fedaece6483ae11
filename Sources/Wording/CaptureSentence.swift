public import Capture
public import Posix

/// What is said about a note being captured.
public enum CaptureSentence: Sendable {
  /// The note has no text and no attachment.
  case empty
  /// The text is larger than allowed, in octets.
  case tooLarge(limit: Int)
  /// Standard input cannot be read.
  case inputUnreadable(Errno)
  /// A file cannot be attached.
  case attachment(AttachedFile.Failure)
  /// No note was saved, for this reason in words.
  case notSaved(String)
  /// The note is queued, but a power cut may still undo it; why, in words.
  case notDurable(String)
  /// The note is safe, and cannot be sent as things stand; why, in words.
  case savedButUnsendable(String)
  /// The note is safe, but its id could not be printed.
  case idNotPrinted(Errno)
  /// The message of a dry run could not be printed.
  case notPrinted(Errno)
  /// No home directory is known.
  case noHome
  /// No account is set up yet.
  case noAccount
  /// No random octets are to be had.
  case noRandomness(Errno)
  /// How to type a note on a terminal.
  case typingHint
  /// The editor gave no text.
  case editor(EditorSession.Failure)
  /// The text of a note that was not saved lies in this file.
  case textKept(path: String)
  /// The text of a note that was not saved could not be kept either.
  case textNotKept(Errno)
  /// The editor's file lies on a disk, in this folder.
  case editorFolderOnDisk(path: String)
  /// The editor's folder could not be removed.
  case editorFolderLeft(path: String, Errno)
}

extension English {
  /// The English words.
  public func text(_ sentence: CaptureSentence) -> String {
    switch sentence {
    case .empty: "nothing to send: the note is empty"
    case .tooLarge(let limit): "not saved: the note is larger than max-size, \(size(limit))"
    case .inputUnreadable(let error): "not saved: cannot read standard input: \(error.text)"
    case .attachment(let failure): text(failure)
    case .notSaved(let why): "not saved: \(why)"
    case .notDurable(let why): "saved, but not proven safe from a power cut: \(why)"
    case .savedButUnsendable(let why): "saved, but cannot be sent: \(why)"
    case .idNotPrinted(let error): "saved, but the id could not be printed: \(error.text)"
    case .notPrinted(let error): "cannot print the message: \(error.text)"
    case .noHome: "no home directory: HOME is not set and the passwd file names none"
    case .noAccount: "no account is set up in the configuration file"
    case .noRandomness(let error): "no random numbers: \(error.text)"
    case .typingHint: "type the note; Ctrl-D on a line of its own saves it, Ctrl-C discards it"
    case .editor(let failure): text(failure)
    case .textKept(let path): "your text is in \(path)"
    case .textNotKept(let error): "your text could not be kept in a file: \(error.text)"
    case .editorFolderOnDisk(let path):
      "the text lies on a disk while you edit it, in \(path): there is no memory-backed folder"
    case .editorFolderLeft(let path, let error):
      "cannot remove the editor's folder \(path): \(error.text)"
    }
  }

  private func text(_ failure: AttachedFile.Failure) -> String {
    switch failure {
    case .unreadable(let path, let error): "not saved: cannot attach \(path): \(error.text)"
    case .notAFile(let path): "not saved: cannot attach \(path): not a regular file"
    case .tooLarge(let path, let limit):
      "not saved: cannot attach \(path): with it the note is larger than max-size, \(size(limit))"
    }
  }

  private func text(_ failure: EditorSession.Failure) -> String {
    switch failure {
    case .folder(let error): "not saved: cannot make a file for the editor: \(error.text)"
    case .notStarted(let error): "not saved: cannot start the editor: \(error.text)"
    case .failed(.exited(let status), let file):
      "not saved: the editor ended with status \(status); your text is in \(file)"
    case .failed(.signalled(let signal), let file):
      "not saved: the editor was ended by signal \(signal); your text is in \(file)"
    case .unreadable(let error, let file):
      "not saved: cannot read what the editor wrote: \(error.text); it is in \(file)"
    case .tooLarge(let limit, let file):
      "not saved: the note is larger than max-size, \(size(limit)); it is in \(file)"
    }
  }
}
