internal import CLinux

extension Directory {
  /// Renames a file into another directory; an error where the new name exists.
  ///
  /// On a file system without that promise (some network file systems) the new name is replaced.
  /// The corresponding C function is `renameat2(2)` with `RENAME_NOREPLACE`.
  public borrowing func rename(
    _ name: String, into other: borrowing Directory, as newName: String
  ) throws(Errno) {
    let (from, to) = (descriptor.number, other.descriptor.number)
    _ = try check { unsafe clinux_rename_exclusive(from, name, to, newName) }
  }

  /// Lets a file and one of another directory change places; an error where either is missing.
  ///
  /// On a file system that cannot (some network file systems) it replaces the other one.
  /// The corresponding C function is `renameat2(2)` with `RENAME_EXCHANGE`.
  borrowing func exchange(
    _ name: String, with otherName: String, in other: borrowing Directory
  ) throws(Errno) {
    let (from, to) = (descriptor.number, other.descriptor.number)
    _ = try check { unsafe clinux_rename_exchange(from, name, to, otherName) }
  }
}
