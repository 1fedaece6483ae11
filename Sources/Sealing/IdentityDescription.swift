public import Posix

/// What there is of an identity, as a person wants to know it.
public struct IdentityDescription: Sendable, Equatable {
  /// What protects the private key.
  public enum Key: Sendable, Equatable {
    /// It is not there.
    case missing
    /// It lies there as it is.
    case plain
    /// It is under a passphrase.
    case underPassphrase
    /// It is no key that can be used.
    case unusable
  }

  /// SHA-256 of the certificate, in hexadecimal digits; nil where there is none.
  public let fingerprint: String?
  /// The identifier by which notes name the key, in hexadecimal digits.
  public let keyIdentifier: String?
  /// When the certificate was made, in seconds since 1970.
  public let made: Int64?
  /// The private key.
  public let key: Key
  /// The identifiers of the keys before this one.
  public let oldKeys: [String]
}

extension IdentityFolder {
  /// What there is; no passphrase is needed for it.
  public borrowing func description() throws(Failure) -> IdentityDescription {
    let pem = try read(Self.certificateName)
    let (key, old) = (try keyState(), try oldKeyNames())
    guard let pem else {
      return IdentityDescription(
        fingerprint: nil, keyIdentifier: nil, made: nil, key: key, oldKeys: old)
    }
    do throws(SealingError) {
      let library = try Library()
      let certificate = try Certificate(pem.span, on: try Curve(library))
      guard let der = PEM.decode(.certificate, in: pem.span) else { throw .certificateUnreadable }
      return IdentityDescription(
        fingerprint: hexadecimal(try Digest.sha256.of(der.copy().span, using: library)),
        keyIdentifier: hexadecimal(
          try RecipientIdentifier.subjectKeyIdentifier(
            of: certificate.publicKey.span, using: library)),
        made: certificate.notBefore, key: key, oldKeys: old)
    } catch {
      throw .unusable(path: path + "/" + Self.certificateName, error)
    }
  }

  private borrowing func keyState() throws(Failure) -> IdentityDescription.Key {
    guard let pem = try readKey() else { return .missing }
    do throws(SealingError) {
      _ = try UnlockedKey(pem)
      return .plain
    } catch {
      return error == .keyLocked ? .underPassphrase : .unusable
    }
  }

  /// Whether the private key is there, under a passphrase.
  public borrowing func isLocked() throws(Failure) -> Bool { try keyState() == .underPassphrase }

  /// The certificate's file.
  ///
  /// - Throws: `certificateMissing`, or why it cannot be read.
  public borrowing func certificateFile() throws(Failure) -> [UInt8] {
    guard let pem = try read(Self.certificateName) else {
      throw .certificateMissing(path: path + "/" + Self.certificateName)
    }
    return pem
  }

  /// The key's file, as it lies there.
  ///
  /// - Throws: `keyMissing`, or why it cannot be read.
  public borrowing func keyFile() throws(Failure) -> SecretBytes {
    guard let pem = try readKey() else { throw .keyMissing(path: path + "/" + Self.keyName) }
    return pem
  }
}
