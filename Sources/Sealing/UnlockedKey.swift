public import Posix

/// A private key that is open, to be used, or to be written in another form.
public struct UnlockedKey: ~Copyable {
  let library: Library
  let curve: Curve
  let scalar: Scalar
  /// The point, not compressed.
  let publicKey: [UInt8]
  /// What it was under, nil for nothing.
  let passphrase: SecretBytes?

  /// Reads a key on P-256 in PEM that is not encrypted.
  ///
  /// - Throws: `keyUnreadable`; `keyLocked` when it is encrypted; `library`.
  public init(_ pem: borrowing SecretBytes) throws(SealingError) {
    let library = try Library()
    let curve = try Curve(library)
    let scalar = try PrivateKey.read(pem, on: curve, using: library)
    self = try UnlockedKey(library, curve, scalar, under: nil)
  }

  /// Reads a key on P-256 in PEM that may be encrypted.
  ///
  /// - Throws: As without a passphrase, and `passphraseWrong`.
  public init(
    _ pem: borrowing SecretBytes, passphrase: borrowing SecretBytes
  ) throws(SealingError) {
    let library = try Library()
    let curve = try Curve(library)
    let scalar = try PrivateKey.read(pem, passphrase: passphrase, on: curve, using: library)
    let copy = passphrase.withBytes { SecretBytes(copying: $0) }
    self = try UnlockedKey(library, curve, scalar, under: copy)
  }

  /// A new key that is to be written under the same passphrase as another one.
  static func make(like other: borrowing UnlockedKey) throws(SealingError) -> UnlockedKey {
    let library = try Library()
    let curve = try Curve(library)
    let scalar = try curve.makeKey()
    return try UnlockedKey(library, curve, scalar, under: other.copyOfPassphrase())
  }

  private init(
    _ library: consuming Library, _ curve: consuming Curve, _ scalar: consuming Scalar,
    under passphrase: consuming SecretBytes?
  ) throws(SealingError) {
    publicKey = try curve.publicKey(of: scalar)
    self.library = library
    self.curve = curve
    self.scalar = scalar
    self.passphrase = passphrase
  }

  borrowing func copyOfPassphrase() -> SecretBytes? {
    switch passphrase {
    case .none: nil
    case .some(let passphrase): passphrase.withBytes { SecretBytes(copying: $0) }
    }
  }

  /// The identifier by which notes name it, 20 octets.
  public borrowing func identifier() throws(SealingError) -> [UInt8] {
    try RecipientIdentifier.subjectKeyIdentifier(of: publicKey.span, using: library)
  }
}

// MARK: - As files

extension UnlockedKey {
  /// DER of a PrivateKeyInfo.
  borrowing func info() throws(SealingError) -> SecretBytes {
    PrivateKey.write(try scalar.octets(), publicKey: publicKey)
  }

  /// PKCS#8 in PEM that needs no passphrase, RFC 5958 §2.
  public borrowing func plainPEM() throws(SealingError) -> SecretBytes {
    try info().withBytes { PEM.encode(.privateKey, $0) }
  }

  /// PKCS#8 in PEM under a passphrase, RFC 5958 §3.
  public borrowing func pem(
    under passphrase: borrowing SecretBytes
  ) throws(SealingError) -> SecretBytes {
    let der = try PassphraseProtection.encrypt(try info(), with: passphrase, using: library)
    return PEM.encode(.encryptedPrivateKey, der.span)
  }

  /// In PEM, as it was found: under its passphrase, or under none.
  borrowing func pem() throws(SealingError) -> SecretBytes {
    switch passphrase {
    case .none: try plainPEM()
    case .some(let passphrase): try pem(under: passphrase)
    }
  }

  /// With a certificate, as a PKCS#12 file under a passphrase.
  ///
  /// - Throws: `certificateUnreadable`; `keyDoesNotMatch` when it is another key's.
  public borrowing func pkcs12(
    certificate pem: [UInt8], passphrase: borrowing SecretBytes, _ strength: PKCS12.Strength
  ) throws(SealingError) -> [UInt8] {
    guard try Certificate(pem.span, on: curve).publicKey == publicKey else {
      throw .keyDoesNotMatch
    }
    guard let der = PEM.decode(.certificate, in: pem.span) else { throw .certificateUnreadable }
    return try PKCS12.encode(
      try info(), der.copy(), passphrase: passphrase, strength, using: library)
  }
}
