internal import CGPGME

/// A key of the keyring, as gpg tells of it.
///
/// The corresponding C type is `gpgme_key_t`.
@safe final class KeyHandle {
  /// The object itself, for a call that uses it.
  let object: gpgme_key_t

  /// Takes over a reference to a key.
  init(_ object: gpgme_key_t) { unsafe self.object = object }

  deinit { unsafe gpgme_key_unref(object) }

  /// What makes the key unusable, nil when nothing does.
  ///
  /// - Parameter now: The time, in seconds since 1970.
  /// - Returns: The first fault that is found.
  func fault(now: Int64) -> OpenPGPFailure? {
    let key = unsafe object.pointee
    if unsafe key.revoked != 0 { return .keyRevoked }
    if unsafe key.expired != 0 { return .keyExpired }
    if unsafe key.disabled != 0 { return .keyDisabled }
    if let made = subkeys.first?.timestamp, made > now { return .keyNotYetValid }
    if unsafe key.can_encrypt != 0 { return nil }
    let parts = subkeys.filter(\.canEncrypt)
    if parts.isEmpty { return .keyCannotEncrypt }
    if parts.allSatisfy(\.isRevoked) { return .keyRevoked }
    if parts.allSatisfy({ $0.timestamp > now }) { return .keyNotYetValid }
    return parts.allSatisfy { $0.isRevoked || $0.isExpired } ? .keyExpired : .keyCannotEncrypt
  }

  /// When nothing can be encrypted to it any more, in seconds since 1970; nil for never.
  var expires: Int64? {
    let usable = subkeys.filter { $0.canEncrypt && !$0.isRevoked }
    // The part that lasts longest counts, and no part outlives the key itself.
    let part = usable.contains { $0.expires == nil } ? nil : usable.compactMap(\.expires).max()
    guard let whole = subkeys.first?.expires else { return part }
    return part.map { min($0, whole) } ?? whole
  }

  /// A part of the key, the first of which is the key itself.
  private struct Part {
    let canEncrypt: Bool
    let isRevoked: Bool
    let isExpired: Bool
    let timestamp: Int64
    let expires: Int64?
  }

  private var subkeys: [Part] {
    var parts: [Part] = []
    var next = unsafe object.pointee.subkeys
    while let subkey = unsafe next {
      let part = unsafe subkey.pointee
      unsafe parts.append(
        Part(
          canEncrypt: part.can_encrypt != 0, isRevoked: part.revoked != 0,
          isExpired: part.expired != 0, timestamp: Int64(part.timestamp),
          expires: part.expires > 0 ? Int64(part.expires) : nil))
      unsafe next = part.next
    }
    return parts
  }
}
