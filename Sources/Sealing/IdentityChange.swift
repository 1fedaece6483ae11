public import Posix

// Design: the files are changed one after the other, each by a rename of a file that is durable
// and was opened again. Old keys come before key.pem: whatever a crash leaves, the next change
// takes each of them with the passphrase it has, the one before or the new one.

extension IdentityFolder {
  /// The right to change the identity, which one process has at a time.
  public struct Change: ~Copyable {
    let lock: FileLock
  }

  private static let lockName = ".lock"
  private static let stagingName = ".unfinished"

  /// Begins a change; what one that was broken off left behind is removed.
  ///
  /// - Throws: `busy` while another process is at it.
  public borrowing func beginChange() throws(Failure) -> Change {
    do throws(Errno) {
      guard let lock = try FileLock.take(Self.lockName, in: folder) else {
        throw Errno.wouldBlock
      }
      // It may hold a key in clear.
      try Self.removeUnfinished(in: folder)
      if let old = try? Directory(Self.oldName, in: folder) { try Self.removeUnfinished(in: old) }
      return Change(lock: lock)
    } catch .wouldBlock {
      throw .busy(path: path)
    } catch {
      throw failure(Self.lockName, error)
    }
  }

  private static func removeUnfinished(in folder: borrowing Directory) throws(Errno) {
    do throws(Errno) { try folder.remove(stagingName) } catch .noSuchFile {}
  }
}

// MARK: - The passphrase

extension IdentityFolder {
  /// Puts the key, and the old ones, under a passphrase, or under none.
  ///
  /// - Parameters:
  ///   - change: The right to do it.
  ///   - key: The key, open; what opened it opens the old ones too.
  ///   - passphrase: The new one, nil for none.
  /// - Returns: The names of old keys that neither passphrase opens, and that stay as they are.
  /// - Throws: Why key.pem is still as it was; or that it was changed and may not be durable.
  public borrowing func protect(
    _ change: borrowing Change, _ key: borrowing UnlockedKey,
    under passphrase: borrowing SecretBytes?
  ) throws(Failure) -> [String] {
    var left: [String] = []
    if let old = try oldFolder() {
      for name in try oldKeyNames() {
        guard let opened = try oldKey(name, in: old, key.copyOfPassphrase(), or: passphrase) else {
          left.append(name)
          continue
        }
        try write(opened, under: passphrase, as: name + ".pem", in: old)
      }
    }
    try write(key, under: passphrase, as: Self.keyName, in: folder)
    return left
  }

  private borrowing func oldKey(
    _ name: String, in old: borrowing Directory, _ first: consuming SecretBytes?,
    or second: borrowing SecretBytes?
  ) throws(Failure) -> UnlockedKey? {
    let pem: SecretBytes
    do throws(Errno) { pem = try SecretFile.read(name + ".pem", in: old) } catch {
      throw failure(Self.oldName + "/" + name + ".pem", error)
    }
    if let key = try? UnlockedKey(pem) { return key }
    if let first, let key = try? UnlockedKey(pem, passphrase: first) { return key }
    switch second {
    case .none: return nil
    case .some(let second): return try? UnlockedKey(pem, passphrase: second)
    }
  }

  /// Writes a key in the place of a file, once what was written is proven to open again.
  private borrowing func write(
    _ key: borrowing UnlockedKey, under passphrase: borrowing SecretBytes?, as name: String,
    in place: borrowing Directory
  ) throws(Failure) {
    let pem: SecretBytes
    do throws(SealingError) {
      switch passphrase {
      case .none: pem = try key.plainPEM()
      case .some(let passphrase): pem = try key.pem(under: passphrase)
      }
    } catch {
      throw .unusable(path: path + "/" + name, error)
    }
    let publicKey = key.publicKey
    do throws(Errno) {
      try pem.withBytes { (bytes: Span<UInt8>) throws(Errno) in
        try place.replace(name, with: bytes, staging: place, stagingName: Self.stagingName) {
          () throws(Errno) in
          let written = try SecretFile.read(Self.stagingName, in: place)
          guard Self.opens(written, passphrase, publicKey) else { throw .inputOutput }
        }
      }
    } catch {
      throw failure(name, error)
    }
  }

  private static func opens(
    _ pem: borrowing SecretBytes, _ passphrase: borrowing SecretBytes?, _ publicKey: [UInt8]
  ) -> Bool {
    switch passphrase {
    case .none: (try? UnlockedKey(pem))?.publicKey == publicKey
    case .some(let passphrase):
      (try? UnlockedKey(pem, passphrase: passphrase))?.publicKey == publicKey
    }
  }
}

// MARK: - A new key

extension IdentityFolder {
  /// Puts a new key and its certificate in the place of the present ones, which are kept in old/.
  ///
  /// The present key is durable in old/ before the new one takes its place, and the certificate
  /// comes last. In between, notes are still sealed to the key before, which is among the old ones.
  /// After a crash there, the certificate alone is made.
  ///
  /// - Parameters:
  ///   - change: The right to do it.
  ///   - key: The present key, open; the new one gets the same passphrase.
  ///   - now: From when on the certificate is good, in seconds since 1970.
  /// - Throws: Why it came no further; the identity works in any case.
  public borrowing func rotate(
    _ change: borrowing Change, _ key: borrowing UnlockedKey, now: Int64
  ) throws(Failure) {
    guard try !isRotationUnfinished(key) else { return try certify(key, now) }
    try keep(key)
    let new: UnlockedKey
    do throws(SealingError) { new = try UnlockedKey.make(like: key) } catch {
      throw .unusable(path: path + "/" + Self.keyName, error)
    }
    try write(new, under: new.passphrase, as: Self.keyName, in: folder)
    try certify(new, now)
  }

  /// Whether the certificate is still that of the key before.
  private borrowing func isRotationUnfinished(
    _ key: borrowing UnlockedKey
  ) throws(Failure) -> Bool {
    let pem = try certificateFile()
    let own: [UInt8]
    do throws(SealingError) {
      let certificate = try Certificate(pem.span, on: key.curve)
      if certificate.publicKey == key.publicKey { return false }
      own = try RecipientIdentifier.subjectKeyIdentifier(
        of: certificate.publicKey.span, using: key.library)
    } catch {
      throw .unusable(path: path + "/" + Self.certificateName, error)
    }
    if try oldKeyNames().contains(hexadecimal(own)) { return true }
    throw .unusable(path: path + "/" + Self.certificateName, .keyDoesNotMatch)
  }

  /// Gives the present key and certificate second names in old/, durable when this returns.
  private borrowing func keep(_ key: borrowing UnlockedKey) throws(Failure) {
    let name: String
    do throws(SealingError) { name = hexadecimal(try key.identifier()) } catch {
      throw .unusable(path: path + "/" + Self.keyName, error)
    }
    do throws(Errno) {
      let old = try Directory.making(Self.oldName, in: folder)
      try keep(Self.keyName, as: name + ".pem", in: old)
      try keep(Self.certificateName, as: name + ".certificate.pem", in: old)
      try old.sync()
    } catch {
      throw failure(Self.oldName, error)
    }
  }

  private borrowing func keep(
    _ name: String, as newName: String, in old: borrowing Directory
  ) throws(Errno) {
    do throws(Errno) {
      try folder.link(name, into: old, as: newName)
    } catch .fileExists {
      // From a rotation that was broken off: the file is named after its key.
    }
  }

  private borrowing func certify(
    _ key: borrowing UnlockedKey, _ now: Int64
  ) throws(Failure) {
    let certificate: [UInt8]
    do throws(SealingError) {
      certificate = try SelfSignedCertificate.make(for: key, notBefore: now)
    } catch {
      throw .unusable(path: path + "/" + Self.keyName, error)
    }
    do throws(Errno) {
      try folder.replace(
        Self.certificateName, with: certificate.span, staging: folder,
        stagingName: Self.stagingName)
    } catch {
      throw failure(Self.certificateName, error)
    }
  }

  /// Removes an old key for good.
  ///
  /// - Parameters:
  ///   - change: The right to do it.
  ///   - name: Its identifier in hexadecimal digits; no note may be sealed for it any more.
  /// - Throws: When it cannot be removed.
  public borrowing func removeOldKey(
    _ change: borrowing Change, _ name: String
  ) throws(Failure) {
    guard let old = try oldFolder() else { return }
    do throws(Errno) {
      try old.remove(name + ".pem")
      do throws(Errno) { try old.remove(name + ".certificate.pem") } catch .noSuchFile {}
      try old.sync()
    } catch {
      throw failure(Self.oldName + "/" + name + ".pem", error)
    }
  }

  /// When the certificate was put in its place, in seconds since 1970.
  public borrowing func lastRotation() throws(Failure) -> Int64 {
    do throws(Errno) { return try folder.status(of: Self.certificateName).modified } catch {
      throw failure(Self.certificateName, error)
    }
  }
}
