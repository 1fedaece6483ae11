public import Posix

// Design: the certificate is made from the key on disk, and its link is the commit: whoever
// finds a certificate finds the key durable, and two first captures at once end with one
// identity, since a link never replaces.

/// The folder with key.pem and certificate.pem: who this machine's notes are sealed for.
public struct IdentityFolder: ~Copyable {
  /// Why there is no identity to seal to or to open with.
  public enum Failure: Error, Equatable, Sendable {
    /// A file or folder of it cannot be read or written.
    case file(path: String, Errno)
    /// There is a certificate, but the key that opens what is sealed to it is gone.
    case keyMissing(path: String)
    /// The key is kept elsewhere, and there is no certificate to seal to.
    case certificateMissing(path: String)
    /// A file of it is not what it should be.
    case unusable(path: String, SealingError)
    /// The key is under a passphrase, and there is none, or a wrong one.
    case passphrase(PassphraseSource.Failure)
    /// Another process changes the identity just now.
    case busy(path: String)
  }

  /// Its path.
  public let path: String
  let folder: Directory
  static let keyName = "key.pem"
  static let certificateName = "certificate.pem"

  /// Opens the folder, made where it is missing.
  public init(_ path: String) throws(Failure) {
    self.path = path
    do throws(Errno) {
      folder = try Directory.making(path: path)
    } catch {
      throw .file(path: path, error)
    }
  }

  borrowing func failure(_ name: String, _ error: Errno) -> Failure {
    .file(path: path + "/" + name, error)
  }
}

// MARK: - Sealing

extension IdentityFolder {
  /// Whom to seal to; at the first call ever, a new identity.
  ///
  /// - Parameters:
  ///   - keyIsElsewhere: Whether this machine only captures, and has the certificate alone.
  ///   - now: The time, in seconds since 1970, from which a new certificate is good.
  ///   - random: For the names of unfinished files.
  /// - Returns: The identity's certificate, ready to seal to.
  /// - Throws: `keyMissing` when there is a certificate and no key; what keeps an identity from
  ///   being made.
  public borrowing func recipient(
    keyIsElsewhere: Bool, now: Int64, random: Randomness
  ) throws(Failure) -> Recipient {
    if let certificate = try read(Self.certificateName) {
      if !keyIsElsewhere { try requireKey() }
      return try recipient(certificate)
    }
    guard !keyIsElsewhere else {
      throw .certificateMissing(path: path + "/" + Self.certificateName)
    }
    let key = try keyOnDisk(making: random)
    return try recipient(try certificateOnDisk(of: key, now: now, random))
  }

  private borrowing func recipient(_ certificate: [UInt8]) throws(Failure) -> Recipient {
    do throws(SealingError) {
      return try Recipient(certificate: certificate)
    } catch {
      throw .unusable(path: path + "/" + Self.certificateName, error)
    }
  }

  private borrowing func requireKey() throws(Failure) {
    do throws(Errno) {
      _ = try folder.status(of: Self.keyName)
    } catch .noSuchFile {
      throw .keyMissing(path: path + "/" + Self.keyName)
    } catch {
      throw failure(Self.keyName, error)
    }
  }
}

// MARK: - The first capture

extension IdentityFolder {
  /// The key on disk, whoever made it.
  private borrowing func keyOnDisk(making random: Randomness) throws(Failure) -> SecretBytes {
    if let key = try readKey() { return key }
    let made: SecretBytes
    do throws(SealingError) {
      made = try PrivateKey.make()
    } catch {
      throw .unusable(path: path + "/" + Self.keyName, error)
    }
    try made.withBytes { (bytes: Span<UInt8>) throws(Failure) in
      try publish(bytes, as: Self.keyName, random)
    }
    // Another first capture may have been quicker: the key on disk is the identity's.
    guard let key = try readKey() else { throw failure(Self.keyName, .noSuchFile) }
    return key
  }

  /// The certificate on disk of the key on disk, whoever made it.
  private borrowing func certificateOnDisk(
    of key: borrowing SecretBytes, now: Int64, _ random: Randomness
  ) throws(Failure) -> [UInt8] {
    let made: [UInt8]
    do throws(SealingError) {
      made = try SelfSignedCertificate.make(for: key, notBefore: now)
    } catch {
      throw .unusable(path: path + "/" + Self.keyName, error)
    }
    try publish(made.span, as: Self.certificateName, random)
    guard let certificate = try read(Self.certificateName) else {
      throw failure(Self.certificateName, .noSuchFile)
    }
    return certificate
  }

  private borrowing func publish(
    _ bytes: Span<UInt8>, as name: String, _ random: Randomness
  ) throws(Failure) {
    let staging: String
    do throws(Errno) {
      staging = ".\(name)." + (try random.bytes(8).map { String($0, radix: 16) }.joined())
    } catch {
      throw failure(name, error)
    }
    do throws(Directory.PublishingError) {
      try folder.publish(bytes, as: name, staging: folder, stagingName: staging)
    } catch {
      switch error {
      case .exists:
        // Theirs is as good, once it is durable.
        do throws(Errno) { try folder.sync() } catch { throw failure(name, error) }
      case .notPublished(let cause), .notDurable(let cause): throw failure(name, cause)
      }
    }
  }
}

// MARK: - Opening

extension IdentityFolder {
  /// Whether an identity was made: there is a certificate.
  public borrowing func exists() throws(Failure) -> Bool {
    try read(Self.certificateName) != nil
  }

  /// Whoever opens what is sealed to this identity, now or before.
  ///
  /// - Parameter source: Where a passphrase comes from; it is asked once, and only if need be.
  /// - Returns: The opener, which knows the old keys too.
  /// - Throws: `keyMissing`; `unusable` with `keyLocked` when the key has a passphrase that nobody
  ///   gives, or with `passphraseWrong`; `passphrase`.
  public borrowing func opener(_ source: PassphraseSource = .none) throws(Failure) -> Opener {
    let key = try unlocked(source)
    let certificate = try read(Self.certificateName)
    let older = try oldKeys(key.copyOfPassphrase())
    do throws(SealingError) {
      return try Opener(key, certificate, older: older)
    } catch {
      throw .unusable(path: path + "/" + Self.keyName, error)
    }
  }

  /// The key, open.
  ///
  /// - Throws: As `opener(_:)`.
  public borrowing func unlocked(_ source: PassphraseSource) throws(Failure) -> UnlockedKey {
    guard let key = try readKey() else { throw .keyMissing(path: path + "/" + Self.keyName) }
    do throws(SealingError) {
      return try UnlockedKey(key)
    } catch .keyLocked {
      return try unlocked(key, source)
    } catch {
      throw .unusable(path: path + "/" + Self.keyName, error)
    }
  }

  private borrowing func unlocked(
    _ key: borrowing SecretBytes, _ source: PassphraseSource
  ) throws(Failure) -> UnlockedKey {
    let given: SecretBytes?
    do throws(PassphraseSource.Failure) { given = try source.passphrase() } catch {
      throw .passphrase(error)
    }
    guard let passphrase = given else {
      throw .unusable(path: path + "/" + Self.keyName, .keyLocked)
    }
    do throws(SealingError) {
      return try UnlockedKey(key, passphrase: passphrase)
    } catch {
      if error == .passphraseWrong, source.isCommand { throw .passphrase(.commandWrong) }
      throw .unusable(path: path + "/" + Self.keyName, error)
    }
  }

  /// The key's file, nil where there is none.
  borrowing func readKey() throws(Failure) -> SecretBytes? {
    do throws(Errno) {
      return try SecretFile.read(Self.keyName, in: folder)
    } catch .noSuchFile {
      return nil
    } catch {
      throw failure(Self.keyName, error)
    }
  }

  borrowing func read(_ name: String) throws(Failure) -> [UInt8]? {
    do throws(Errno) {
      return try folder.read(name, limit: SecretFile.sizeLimit)
    } catch .noSuchFile {
      return nil
    } catch {
      throw failure(name, error)
    }
  }
}
