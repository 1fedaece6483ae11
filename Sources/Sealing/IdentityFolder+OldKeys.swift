internal import Posix

extension IdentityFolder {
  static var oldName: String { "old" }

  /// The folder of old keys, nil where there never was one.
  borrowing func oldFolder() throws(Failure) -> Directory? {
    do throws(Errno) {
      return try Directory(Self.oldName, in: folder)
    } catch .noSuchFile {
      return nil
    } catch {
      throw failure(Self.oldName, error)
    }
  }

  /// The identifiers of the keys that were this identity's before, in hexadecimal digits.
  public borrowing func oldKeyNames() throws(Failure) -> [String] {
    guard let old = try oldFolder() else { return [] }
    return try names(in: old)
  }

  private borrowing func names(in old: borrowing Directory) throws(Failure) -> [String] {
    var names: [String] = []
    do throws(Errno) {
      try old.forEachName { name in
        // 40 digits and ".pem"; certificates lie beside them under longer names.
        guard name.utf8.count == 44, name.hasSuffix(".pem") else { return }
        let digits = String(name.dropLast(4))
        if octets(hexadecimal: digits).count == 20 { names.append(digits) }
      }
    } catch {
      throw failure(Self.oldName, error)
    }
    return names.sorted()
  }

  borrowing func oldKeys(_ passphrase: consuming SecretBytes?) throws(Failure) -> OldKeys? {
    guard let old = try oldFolder() else { return nil }
    let names = try names(in: old)
    return names.isEmpty ? nil : OldKeys(old, names, passphrase)
  }
}
