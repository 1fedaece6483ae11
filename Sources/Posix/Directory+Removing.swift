internal import Glibc

extension Directory {
  /// Removes a folder in it with all that is in there, links not followed.
  ///
  /// Names may be of any octets, and folders closed even to their owner.
  /// The corresponding C function is `unlinkat(2)` with `AT_REMOVEDIR`.
  ///
  /// - Throws: What could not be removed first; as much as possible is gone all the same.
  public borrowing func removeFolder(_ name: String) throws(Errno) {
    if let failure = unsafe Self.removeFolder(name, in: descriptor.number) { throw failure }
  }

  private static func removeFolder(_ name: UnsafePointer<CChar>, in parent: Int32) -> Errno? {
    var failure: Errno?
    // Whoever still writes there is given up on after a few rounds.
    for _ in 0..<4 {
      failure = unsafe removeContent(of: name, in: parent)
      if unsafe unlinkat(parent, name, AT_REMOVEDIR) == 0 { return nil }
      if failure == nil { failure = .last }
    }
    return failure
  }

  private static func removeContent(of name: UnsafePointer<CChar>, in parent: Int32) -> Errno? {
    do throws(Errno) {
      let folder = try unsafe openForRemoval(name, in: parent)
      let number = folder.descriptor.number
      var failure: Errno?
      _ = try unsafe folder.containsRawName { entry in
        if let error = unsafe remove(entry, in: number) { failure = failure ?? error }
        return false
      }
      return failure
    } catch {
      return error
    }
  }

  private static func remove(_ name: UnsafePointer<CChar>, in folder: Int32) -> Errno? {
    if unsafe unlinkat(folder, name, 0) == 0 || errno == ENOENT { return nil }
    // Linux says EISDIR, POSIX EPERM.
    return errno == EISDIR || errno == EPERM ? unsafe removeFolder(name, in: folder) : .last
  }

  private static func openForRemoval(
    _ name: UnsafePointer<CChar>, in parent: Int32
  ) throws(Errno) -> Directory {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    do throws(Errno) {
      return Directory(owning: try check { unsafe openat(parent, name, flags) })
    } catch .accessDenied {
      // No link is followed: one cannot be opened as a directory above, but for its lack of rights.
      _ = try check { unsafe fchmodat(parent, name, 0o700, AT_SYMLINK_NOFOLLOW) }
      return Directory(owning: try check { unsafe openat(parent, name, flags) })
    }
  }
}
