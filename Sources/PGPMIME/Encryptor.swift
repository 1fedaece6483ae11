public import MessageFormat

// Design: the key is named by its full fingerprint and belongs to the reader of the note, who is its
// writer: it is used whatever trust the keyring gives it, since naming it is the trust. What the
// keyring says against a key (expired, revoked, made tomorrow) still counts.
//
// Design: gpgme offers no way to ask gpg for RFC 4880 data. gpg 2.2 knows no other; gpg 2.4 writes
// OCB packets only to a key that itself says it reads them, as Debian's do not.

/// Encrypts messages to their owner with OpenPGP, many of them with one context.
///
/// RFC 3156, RFC 9788.
public final class Encryptor {
  private let engine: Engine
  private let fingerprint: String

  /// Prepares gpgme; no key is looked at yet.
  ///
  /// - Parameters:
  ///   - fingerprint: The full fingerprint of the owner's key, as digits.
  ///   - isAttended: Whether a person is at the terminal, who may be asked for a passphrase.
  ///   - timeoutSeconds: How long gpg may take for one message.
  ///   - keyringHome: The folder of the keyring; nil for the one that gpg uses by itself.
  /// - Throws: `notInstalled`, or gpgme's failure.
  public init(
    to fingerprint: String, isAttended: Bool, timeoutSeconds: Int, keyringHome: String? = nil
  ) throws(OpenPGPFailure) {
    engine = try Engine.make(
      isAttended: isAttended, timeoutSeconds: timeoutSeconds, keyringHome: keyringHome)
    self.fingerprint = fingerprint
  }

  /// The message encrypted, its header protected.
  ///
  /// Outside stay From, To, Date, Message-ID and Memo-ID, and `[...]` for a subject.
  ///
  /// - Parameters:
  ///   - message: The message as it would go in the clear.
  ///   - isSigned: Whether it is signed, inside the encryption. RFC 3156 §6.2.
  ///   - now: The time, in seconds since 1970, to tell what is wrong with a key.
  /// - Returns: The message to be sent or kept.
  /// - Throws: Why it could not be; nothing that is not encrypted is ever given back.
  public func encrypt(
    _ message: Message, isSigned: Bool, now: Int64
  ) throws(OpenPGPFailure) -> Message {
    let outer = Self.outerHeader(of: message)
    let inside = message.protected(outer: outer).bytes(lineEnds: .crlf)
    let armor = try armor(inside, isSigned, now)
    guard let result = ArmoredMessage(armor), result.isEncrypted else {
      throw .badOutput
    }
    return Message(openPGP: armor, header: outer, id: message.noteID)
  }

  private func armor(
    _ octets: [UInt8], _ isSigned: Bool, _ now: Int64
  ) throws(OpenPGPFailure) -> [UInt8] {
    do throws(OpenPGPFailure) {
      let signer = isSigned ? try engine.key(fingerprint, secret: true) : nil
      return try engine.encrypt(octets, to: fingerprint, signer: signer)
    } catch {
      throw explained(error, now)
    }
  }

  /// gpg says of every key that it cannot use the same: the key itself tells why.
  private func explained(_ failure: OpenPGPFailure, _ now: Int64) -> OpenPGPFailure {
    switch failure {
    case .timedOut, .notInstalled, .locked, .badOutput: return failure
    default: break
    }
    do throws(OpenPGPFailure) {
      return try engine.key(fingerprint, secret: false).fault(now: now) ?? failure
    } catch {
      return error == .keyMissing ? error : failure
    }
  }

  /// When the key expires, in seconds since 1970; nil for never.
  public func keyExpiry() throws(OpenPGPFailure) -> Int64? {
    try engine.key(fingerprint, secret: false).expires
  }

  private static func outerHeader(of message: Message) -> Header {
    var header = Header()
    for name in ["From", "To", "Date", "Message-ID", "Memo-ID"] {
      if let field = message.header.first(named: name) { header.append(field) }
      if name == "Message-ID" { header.append(HeaderField("Subject", unstructured: "[...]")) }
    }
    return header
  }
}
