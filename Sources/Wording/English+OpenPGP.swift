public import Outbox

extension English {
  /// The English words.
  public func hint(_ reason: Reason) -> String? {
    guard case .trouble(let cause) = reason.kind else { return nil }
    switch cause {
    case .openPGPMissing: return "install gpg (Debian: gnupg), or take [gpg] out of the settings"
    case .openPGPKeyMissing:
      return "compare '[gpg] key' with: gpg --list-secret-keys --with-fingerprint"
    case .openPGPKeyExpired:
      return "gpg --quick-set-expire FINGERPRINT 2y, then: memo flush --now"
    case .openPGPKeyNotYetValid: return "check this machine's clock"
    case .openPGPKeyRevoked, .openPGPKeyCannotEncrypt, .openPGPKeyDisabled:
      return "choose another key: gpg --list-secret-keys --with-fingerprint"
    case .openPGPLocked:
      return "run 'memo flush' on a terminal, where gpg can ask, or set '[gpg] sign = no'"
    case .openPGPTimeout: return "gpgconf --kill gpg-agent, then: memo flush --now"
    case .openPGPNotDecrypted:
      return "run 'memo flush --now' on a terminal, where gpg can ask for the passphrase"
    default: return nil
    }
  }
}
