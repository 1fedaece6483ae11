internal import Configuration
public import Outbox

/// What is said about notes on their way.
public enum DeliverySentence: Sendable {
  /// A note was delivered.
  case accepted(id: String)
  /// A note waits on, for this reason.
  case waits(id: String, Reason)
  /// A note may have been delivered.
  case perhapsDelivered(id: String, Reason)
  /// A note was given up.
  case failed(id: String, Reason)
  /// A note is sealed for a key that is not at hand.
  case notOurs(id: String)
  /// An account is paused; nil is the one without a name.
  case paused(account: String?, Reason)
  /// What to do about a paused account, nil when there is nothing better than to read the reason.
  case pauseHint(Reason)
  /// An account on hold is not tried.
  case stillHeld(account: String?, until: String, Reason)
  /// An account has sent all that its limit allows.
  case limited(account: String?, until: String)
  /// The server could not be reached.
  case offline(Reason)
  /// This machine could not do its part.
  case local(Reason)
  /// A delivered or failed note could not be given the form it is to be kept in.
  case notProtected(Reason)
  /// The outbox cannot be locked, so nothing is sent.
  case cannotLock(String)
  /// A key of the account's settings is missing.
  case missingKey(account: String?, key: String)
  /// The address in a key of the account's settings is none.
  case badAddress(account: String?, key: String)
  /// The address in a key of the account's settings has other letters before its @.
  case localPartNotASCII(account: String?, key: String)
  /// A key of the settings asks for what is not built.
  case notBuilt(line: Int, key: String)
  /// A note names an account that is not in the settings.
  case accountGone(id: String, account: String)
  /// What follows would be sent by this account, to this server.
  case plan(account: String?, server: String)
  /// A note would be sent now.
  case planNow(id: String)
  /// A note would be sent later.
  case planLater(id: String, until: String)
  /// A system call failed without which nothing goes on.
  case systemFailed(String)
}

extension English {
  /// The English words.
  public func text(_ sentence: DeliverySentence) -> String {
    switch sentence {
    case .accepted(let id): "\(id) sent"
    case .waits(let id, let reason): "\(id) waits: \(text(reason))"
    case .perhapsDelivered(let id, let reason):
      "\(id) may have been delivered: \(text(reason)); it is tried again later"
    case .failed(let id, let reason): "\(id) failed: \(text(reason))"
    case .notOurs(let id): "\(id) is sealed for a key that is not on this machine"
    case .paused(let account, let reason):
      "\(name(account)) cannot send: \(text(reason)); its notes wait"
    case .pauseHint(let reason): pauseHint(reason)
    case .stillHeld(let account, let until, let reason):
      "\(name(account)) waits until \(until): \(text(reason)); 'memo flush --now' tries at once"
    case .limited(let account, let until):
      "\(name(account)) has reached its limit; the next note goes \(until)"
    case .offline(let reason): "not sent, notes wait: \(text(reason))"
    case .local(let reason): "not sent, notes wait: \(text(reason))"
    case .notProtected(let reason): "history not encrypted with OpenPGP yet: \(text(reason))"
    case .cannotLock(let why): "nothing sent: the outbox cannot be locked: \(why)"
    case .missingKey(let account, let key): "\(name(account)) has no '\(key)' in its settings"
    case .badAddress(let account, let key):
      "'\(key)' of \(name(account)) is not an address that can be used"
    case .localPartNotASCII(let account, let key):
      "'\(key)' of \(name(account)) has other letters than ASCII before the @, which memo cannot send"
    case .notBuilt(let line, let key):
      "configuration line \(line): '\(key)' is known, but not built into this version yet"
    case .accountGone(let id, let account):
      "\(id) waits: no account is named '\(account)' any more"
    case .plan(let account, let server): "by \(name(account)) to \(server)"
    case .planNow(let id): "  \(id) now"
    case .planLater(let id, let until): "  \(id) \(until)"
    case .systemFailed(let why): "cannot go on: \(why)"
    }
  }

  func name(_ account: String?) -> String { account.map { "account '\($0)'" } ?? "the account" }

  private func pauseHint(_ reason: Reason) -> String {
    switch reason.kind {
    case .trouble(.loginRefused):
      "check user and password; many providers want an app password. Then: memo flush --now"
    case .trouble(.certificate):
      "check the name in 'server'; for a certificate of your own set 'ca-file'"
    case .trouble(.noTLS): "'smtp://' needs STARTTLS; perhaps this server wants 'smtps://'"
    case .trouble(.noSecret): "run the password-command by hand and see what it prints"
    case .trouble(.envelopeRefused): "check 'from' and 'to'; then: memo flush --now"
    default: "when it is mended: memo flush --now"
    }
  }
}

// MARK: - Reasons

extension English {
  /// The English words.
  public func text(_ reason: Reason) -> String {
    var words = text(reason.kind)
    if let reply = reason.reply { words += ": " + quoted(reply) }
    if !reason.detail.isEmpty { words += " (\(reason.detail))" }
    return words
  }

  /// The server's own words, all of them, on one line.
  private func quoted(_ reply: Reply) -> String {
    let lines = reply.lines.filter { !$0.isEmpty }
    return "\(reply.code) " + (lines.isEmpty ? "(no text)" : lines.joined(separator: " / "))
  }

  private func text(_ kind: Reason.Kind) -> String {
    switch kind {
    case .deferred(let stage): "the server refused it for now \(at(stage))"
    case .rejected(let stage): "the server refused it \(at(stage))"
    case .trouble(let cause): text(cause)
    case .unknown(let cause): "sent whole, and no answer came: \(text(cause))"
    case .tooOld: "the server refused it for too long"
    case .unanswered: "sent 3 times, no answer"
    case .damaged: "its file is damaged"
    }
  }

  private func at(_ stage: Outcome.Stage) -> String {
    switch stage {
    case .mail: "at the sender's address"
    case .rcpt: "at the recipient's address"
    case .data: "before the text"
    case .message: "after the text"
    }
  }

  private func text(_ cause: Trouble.Cause) -> String {
    switch cause {
    case .keyMissing: "the identity key is not on this machine"
    case .keyLocked: "the identity key is locked"
    case .file: "a file of the note cannot be read or renamed"
    case .resources: "this machine is short of memory or descriptors"
    case .aborted: "the message could not be handed over"
    case .openPGPMissing: "gpg is not installed"
    case .openPGPKeyMissing: "the key of '[gpg] key' is not in gpg's keyring"
    case .openPGPKeyExpired: "the OpenPGP key has expired"
    case .openPGPKeyRevoked: "the OpenPGP key is revoked"
    case .openPGPKeyNotYetValid: "the OpenPGP key is not valid yet by this machine's clock"
    case .openPGPKeyDisabled: "the OpenPGP key is disabled in gpg's keyring"
    case .openPGPKeyCannotEncrypt: "the OpenPGP key is for signing only"
    case .openPGPCannotSign: "gpg has no secret key here to sign with"
    case .openPGPLocked: "the OpenPGP key is locked and nobody is there to unlock it for signing"
    case .openPGPTimeout: "gpg did not answer in time"
    case .openPGPNotDecrypted: "its file is encrypted with OpenPGP, and gpg does not decrypt it"
    case .openPGPFailed: "gpg could not encrypt it"
    case .notConfigured: "no account is set up"
    case .badAddress: "an address of the account cannot be used"
    case .noSecret: "there is no password"
    case .noTLS: "the server offers no encryption"
    case .certificate: "the server's certificate is not trusted"
    case .noLogin: "the server offers no login that memo knows"
    case .loginRefused: "the server refused the login"
    case .accountRefused: "the server refuses the account"
    case .envelopeRefused: "two notes in a row were refused alike"
    case .resolver: "the server's name was not found"
    case .connect: "no connection to the server"
    case .handshake: "the TLS handshake failed"
    case .unavailable: "the server is not available"
    case .connectionLost: "the connection was lost"
    case .timeout: "the server fell silent"
    case .protocolError: "the server's answer is not SMTP"
    }
  }
}
