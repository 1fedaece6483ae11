internal import CGPGME

/// Why a message could not be encrypted.
public enum OpenPGPFailure: Error, Equatable, Sendable {
  /// There is no gpg that gpgme can use.
  case notInstalled
  /// The key is not in the keyring.
  case keyMissing
  /// The key has expired.
  case keyExpired
  /// The key was revoked.
  case keyRevoked
  /// The key was made in what is the future by this machine's clock.
  case keyNotYetValid
  /// The key was disabled by its owner.
  case keyDisabled
  /// The key has no part to encrypt to: it is for signing only.
  case keyCannotEncrypt
  /// The secret key to sign with is not here, or may not sign.
  case cannotSign
  /// The secret key to sign with is locked, and nobody is there to unlock it.
  case locked
  /// gpg took longer than this many seconds.
  case timedOut(seconds: Int)
  /// What gpg gave is not a whole encrypted message.
  case badOutput
  /// gpg or gpgme failed, with the code of `gpgme_err_code(3)` and its words for it.
  case engine(code: Int, words: String)

  /// From an error value of gpgme.
  init(_ error: gpgme_error_t) {
    let code = gpgme_err_code(error)
    switch code {
    case GPG_ERR_INV_ENGINE, GPG_ERR_UNSUPPORTED_PROTOCOL: self = .notInstalled
    case GPG_ERR_NO_PUBKEY: self = .keyMissing
    case GPG_ERR_NO_SECKEY, GPG_ERR_UNUSABLE_SECKEY: self = .cannotSign
    case GPG_ERR_NO_PIN_ENTRY, GPG_ERR_CANCELED, GPG_ERR_FULLY_CANCELED, GPG_ERR_BAD_PASSPHRASE,
      GPG_ERR_PIN_BLOCKED, GPG_ERR_NO_PASSPHRASE, GPG_ERR_NO_AGENT, GPG_ERR_AGENT:
      self = .locked
    default:
      self = .engine(
        code: Int(code.rawValue), words: unsafe String(cString: gpgme_strerror(error)))
    }
  }
}
