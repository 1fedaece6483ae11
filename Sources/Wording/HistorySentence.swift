public import History
public import Outbox

/// What is said about the history and how things stand.
public enum HistorySentence: Sendable {
  /// The badge of a note that waits; why, where it is known.
  case badgeWaiting(until: String?, Reason?)
  /// The badge of a note that may have been delivered.
  case badgePerhaps
  /// The badge of a note that was given up.
  case badgeFailed(Reason?)
  /// In place of a note's first line: sealed for a key that is not at hand.
  case sealed
  /// In place of a note's first line: only gpg could open it.
  case encrypted
  /// In place of a note's first line: sealed for a key whose passphrase is not at hand.
  case locked
  /// In place of a note's first line: it does not open.
  case damaged
  /// In place of a first line: the note has none.
  case noText
  /// No note is meant by a reference.
  case noSuchNote(String)
  /// Several notes are meant by a reference.
  case ambiguous(String)
  /// There is no note at all.
  case noNotes
  /// Why a note cannot be shown.
  case cannotShow(HistoryError)
  /// How a note is shown whose key is locked.
  case decryptHint
  /// A file of the note: its name and size in octets.
  case attachment(name: String, size: Int)
  /// The note's state in a line, for show.
  case state(HistoryEntry.State, until: String?)
  /// Output could not be written.
  case outputFailed(String)

  /// How many notes wait, and when the next is due.
  case statusWaiting(Int, nextDue: String?)
  /// How many of them may have been delivered.
  case statusPerhaps(Int)
  /// How many were given up.
  case statusFailed(Int)
  /// How many were delivered, and when the last.
  case statusSent(Int, last: String?)
  /// An account that is on hold.
  case statusHeld(account: String?, until: String, Reason)
  /// Notes wait for gpg or the OpenPGP key.
  case statusOpenPGP(Reason)
  /// The OpenPGP key expires soon, or has.
  case statusKeyExpires(String, isPast: Bool)
  /// Whatever waits is tried again only when somebody asks for it.
  case statusNothingRetries
  /// The key has a passphrase, and nothing that sends by itself could get it.
  case statusKeyLocked
  /// What is wrong with the settings or the identity, in words.
  case statusTrouble(String)
}

extension English {
  /// The English words.
  public func text(_ sentence: HistorySentence) -> String {
    switch sentence {
    case .badgeWaiting(let until, let reason): waiting(until, reason)
    case .badgePerhaps: "perhaps delivered"
    case .badgeFailed(let reason): reason.map { "failed: \(text($0))" } ?? "failed"
    case .sealed: "(sealed for a key that is not here)"
    case .encrypted: "(encrypted)"
    case .locked: "(locked)"
    case .damaged: "(damaged)"
    case .noText: "(no text)"
    case .noSuchNote(let reference): "no note has the id \(reference)"
    case .ambiguous(let reference): "several notes have an id that ends in \(reference)"
    case .noNotes: "there are no notes yet"
    case .cannotShow(let error): text(error)
    case .decryptHint: "run 'memo show' on a terminal, where gpg can ask for the passphrase"
    case .attachment(let name, let octets): "[attached: \(name), \(size(octets))]"
    case .state(let state, let until): self.state(state, until)
    case .outputFailed(let why): "cannot write the output: \(why)"
    case .statusWaiting(let number, let due): statusWaiting(number, due)
    case .statusPerhaps(let number):
      "\(count(number, "of them was", "of them were")) perhaps delivered"
    case .statusFailed(let number): "\(count(number, "note", "notes")) failed: memo log --failed"
    case .statusSent(let number, let last):
      "\(count(number, "note", "notes")) sent" + (last.map { ", the last one \($0)" } ?? "")
    case .statusHeld(let account, let until, let reason):
      "\(name(account)) waits until \(until): \(text(reason))"
    case .statusOpenPGP(let reason):
      "notes wait: \(text(reason))" + (hint(reason).map { "; \($0)" } ?? "")
    case .statusKeyExpires(let when, let isPast):
      "the OpenPGP key \(isPast ? "expired" : "expires") \(when): "
        + "gpg --quick-set-expire FINGERPRINT 2y"
    case .statusNothingRetries:
      "nothing tries again by itself: no 'memo watch', timer or cron runs here; see memo-send(8)"
    case .statusKeyLocked:
      "the key has a passphrase and there is no passphrase-command: notes wait for 'memo flush' by hand"
    case .statusTrouble(let why): why
    }
  }

  private func waiting(_ until: String?, _ reason: Reason?) -> String {
    var words = "waiting"
    if let reason { words += ": \(text(reason))" }
    if let until { words += ", next try \(until)" }
    return words
  }

  private func statusWaiting(_ number: Int, _ due: String?) -> String {
    guard number > 0 else { return "nothing waits" }
    return "\(count(number, "note waits", "notes wait"))" + (due.map { ", next due \($0)" } ?? "")
  }

  private func state(_ state: HistoryEntry.State, _ until: String?) -> String {
    switch state {
    case .sent: "sent"
    case .waiting(_, let reason): waiting(until, reason)
    case .perhapsDelivered(_, let reason):
      "perhaps delivered" + (reason.map { ": \(text($0))" } ?? "")
    case .failed(let reason): reason.map { "failed: \(text($0))" } ?? "failed"
    }
  }

  func text(_ error: HistoryError) -> String {
    switch error {
    case .vanished: "the note is gone"
    case .sealed: "the note is sealed for a key that is not on this machine"
    case .encrypted: "the note is encrypted with OpenPGP"
    case .notDecrypted(let failure): text(failure)
    case .locked: "the note is sealed, and the key is locked"
    case .damaged: "the note's file is damaged"
    case .store(let error): text(error)
    }
  }

  private func text(_ failure: OpenPGPDecryption.Failure) -> String {
    switch failure {
    case .notInstalled: "the note is encrypted with OpenPGP, and gpg is not installed"
    case .noSecretKey: "the note is encrypted with OpenPGP for a key whose secret half is not here"
    case .locked: "the note is encrypted with OpenPGP, and the key is locked"
    case .timedOut(let seconds): "gpg did not decrypt the note within \(seconds) s"
    case .damaged: "the note's file is damaged: gpg does not vouch for it"
    case .failed: "gpg could not decrypt the note"
    }
  }
}
