/// Why something could not be sealed, opened or made.
///
/// It carries no octet of a note, key or passphrase.
public enum SealingError: Error, Hashable, Sendable {
  /// Not CMS AuthEnvelopedData: another content type, or no ContentInfo at all.
  case notSealed

  /// Sealed for another key: well formed, and its recipient identifier is not ours.
  case otherRecipient

  /// Begins as a sealed note, but is cut short, altered, or not in the form this module reads.
  ///
  /// No octet of the content has been given out.
  case damaged

  /// The private key is no PEM, or no key on the curve P-256.
  case keyUnreadable

  /// The private key is encrypted and no passphrase was given.
  case keyLocked

  /// The private key is encrypted with another passphrase.
  case passphraseWrong

  /// The certificate is no PEM, no X.509 certificate, or not for a key on the curve P-256.
  case certificateUnreadable

  /// The certificate is not the private key's.
  case keyDoesNotMatch

  /// The kernel gave no random octets; the value is that of `errno`.
  case noRandomness(errno: Int32)

  /// The library failed, as it does when memory is short.
  ///
  /// The code is that of `ERR_get_error(3)`, or 0.
  case library(code: UInt)
}
