public import Posix

/// What is said about the notes in a mail client.
public enum ViewSentence: Sendable {
  /// The client is not in PATH, or not at its path.
  case noClient(String)
  /// The client could not be started.
  case clientNotStarted(String, Errno)
  /// The folder for it could not be made or filled.
  case notLaidOut(Errno)
  /// How to get along with less room.
  case fewerNotesHint
  /// The folder lies on a disk.
  case onDisk(path: String)
  /// Notes that do not open, and are shown as they are.
  case unopened(Int)
  /// Files that could not be read, and are left out.
  case unreadable(Int)
  /// Dovecot is not installed.
  case noMailboxServer
  /// How to get it.
  case mailboxServerHint
  /// Dovecot does not serve root.
  case noMailboxServerForRoot
  /// Dovecot did not run to its orderly end; its last words.
  case serverFailed(String)
  /// What to type in a client.
  case serverSettings(port: Int, password: String)
  /// The folder could not be removed.
  case folderLeft(path: String, Errno)
}

extension English {
  /// The English words.
  public func text(_ sentence: ViewSentence) -> String {
    switch sentence {
    case .noClient(let name):
      name.utf8.contains(UInt8(ascii: "/"))
        ? "cannot run '\(name)': there is no such program"
        : "cannot find '\(name)' in PATH: no note was opened"
    case .clientNotStarted(let name, let error): "cannot start '\(name)': \(error.text)"
    case .notLaidOut(let error): "cannot lay out the notes: \(error.text)"
    case .fewerNotesHint: "with -n 100 before the client's name it gets the newest 100 notes only"
    case .onDisk(let path):
      "the notes lie in clear on a disk while the client runs, in \(path): "
        + "there is no memory-backed folder"
    case .unopened(let number):
      "\(count(number, "note does", "notes do")) not open and \(number == 1 ? "is" : "are") shown "
        + "as stored: sealed for another key, or damaged"
    case .unreadable(let number):
      "\(count(number, "file", "files")) among the notes cannot be read: left out"
    case .noMailboxServer: "cannot find dovecot, which speaks IMAP: no note was opened"
    case .mailboxServerHint: "sudo apt-get install dovecot-imapd"
    case .noMailboxServerForRoot: "dovecot serves no mail to root: run this as an ordinary user"
    case .serverFailed(let words): words.isEmpty ? "dovecot failed" : "dovecot failed: \(words)"
    case .serverSettings(let port, let password): serverSettings(port, password)
    case .folderLeft(let path, let error):
      "cannot remove the notes that lie in clear in \(path): \(error.text)"
    }
  }

  private func serverSettings(_ port: Int, _ password: String) -> String {
    """
    In the mail client, add an account with these settings, by hand:
      incoming server      IMAP, 127.0.0.1, port \(port)
      connection security  none: the connection does not leave this machine
      user name            memo
      password             \(password)
      outgoing server      none is needed; give any
    Ctrl-C here ends it, and removes the notes. The password is good until then.
    """
  }
}
