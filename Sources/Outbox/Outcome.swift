// Design: eight outcomes, as the sender must tell them apart to know what follows: which of
// them count against the note, which against the account, and which against nobody. Words for
// them are made in the programs only.

/// What became of one attempt to deliver a message.
public enum Outcome: Sendable, Equatable {
  /// The server took the message: 250 after the final dot. RFC 5321 §4.2.5.
  case accepted(Reply)

  /// The server refused it for now: a 4yz reply to MAIL, RCPT, DATA or the final dot.
  case deferred(Reply, at: Stage)

  /// The server refused it for good.
  case rejected(Reply, at: Stage)

  /// All data was given and no reply settles what became of it.
  case unknown(Trouble)

  /// The connection was lost or fell silent after the greeting, before the commit point.
  case interrupted(Trouble)

  /// The account as it is cannot send: login, certificate, missing AUTH or STARTTLS.
  case account(Trouble)

  /// The server could not be reached, or said that it is not available.
  case offline(Trouble)

  /// This machine could not do its part: key, memory, file, own read error.
  case local(Trouble)

  /// The command of a mail transaction that a reply answers.
  ///
  /// RFC 5321 §3.3.
  public enum Stage: String, Sendable, CaseIterable {
    /// MAIL FROM.
    case mail
    /// RCPT TO.
    case rcpt
    /// DATA, before the message is given.
    case data
    /// The final dot, after the whole message.
    case message
  }
}

/// Why an attempt came to nothing that settles the note, as data.
public struct Trouble: Sendable, Equatable {
  /// The kind of trouble.
  public let cause: Cause

  /// The reply that told of it, where a server spoke.
  public let reply: Reply?

  /// A word of the library or the system about it, never note text, address or secret.
  public let detail: String

  /// Trouble of a kind, with the reply and detail known of it.
  public init(_ cause: Cause, reply: Reply? = nil, detail: String = "") {
    self.cause = cause
    self.reply = reply
    self.detail = detail
  }

  /// The kinds of trouble, in the order in which an attempt can meet them.
  public enum Cause: String, Sendable, CaseIterable {
    // This machine.
    /// The identity's private key is not on this machine.
    case keyMissing
    /// The identity's private key needs a passphrase that is not at hand.
    case keyLocked
    /// A file of the note could not be read, or a rename failed.
    case file
    /// The process ran out of memory or descriptors.
    case resources
    /// The message could not be handed over as it is, such as a failed read.
    case aborted
    /// There is no gpg.
    case openPGPMissing
    /// The OpenPGP key is not in the keyring.
    case openPGPKeyMissing
    /// The OpenPGP key has expired.
    case openPGPKeyExpired
    /// The OpenPGP key was revoked.
    case openPGPKeyRevoked
    /// The OpenPGP key is of the future.
    case openPGPKeyNotYetValid
    /// The OpenPGP key was disabled by its owner.
    case openPGPKeyDisabled
    /// The OpenPGP key cannot be encrypted to.
    case openPGPKeyCannotEncrypt
    /// The OpenPGP key cannot sign here.
    case openPGPCannotSign
    /// The OpenPGP key is locked, and nobody is there to unlock it.
    case openPGPLocked
    /// gpg did not end in time.
    case openPGPTimeout
    /// A note that came back into the outbox encrypted cannot be decrypted now.
    case openPGPNotDecrypted
    /// gpg failed otherwise.
    case openPGPFailed

    // The account.
    /// No account is configured, or a key of it is missing.
    case notConfigured
    /// The configured `from` or `to` is not an address that can go into an envelope.
    case badAddress
    /// `password-command`, `password-file` or `token-command` gave no secret.
    case noSecret
    /// The server does not offer STARTTLS, or refused it.
    case noTLS
    /// The server's certificate could not be verified.
    case certificate
    /// The server offers no login, or none that memo knows.
    case noLogin
    /// The server refused the login.
    case loginRefused
    /// The server answers that the account may not send, or not now.
    case accountRefused
    /// Two notes in a row were refused with the same reply at MAIL or RCPT.
    case envelopeRefused

    // The network and the server.
    /// The server's name was not found.
    case resolver
    /// The connection could not be made.
    case connect
    /// The TLS handshake failed, without certificate trouble.
    case handshake
    /// The server greeted with a refusal, or said 421.
    case unavailable
    /// The connection was lost.
    case connectionLost
    /// The server fell silent.
    case timeout
    /// The server's answer is not SMTP.
    case protocolError
  }
}
