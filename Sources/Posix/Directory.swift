internal import Glibc

/// An open directory: everything in it is reached through its descriptor, so that a renamed or
/// replaced parent never leads elsewhere.
@safe public struct Directory: ~Copyable {
  let descriptor: FileDescriptor

  /// Takes over the descriptor of an open directory.
  init(owning number: Int32) { descriptor = FileDescriptor(owning: number) }

  /// Opens a directory by its path.
  ///
  /// The corresponding C function is `open(2)` with `O_DIRECTORY`.
  public init(_ path: String) throws(Errno) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    descriptor = FileDescriptor(owning: try check { unsafe Glibc.open(path, flags) })
  }

  /// Opens a directory inside another one; a symbolic link is an error.
  ///
  /// The corresponding C function is `openat(2)`.
  public init(_ name: String, in parent: borrowing Directory) throws(Errno) {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let number = parent.descriptor.number
    descriptor = FileDescriptor(owning: try check { unsafe openat(number, name, flags) })
  }

  /// Opens the directory, made first where it is missing, with mode 0700.
  ///
  /// The new name is durable before this returns, or the first note in it could be lost.
  public static func making(
    _ name: String, in parent: borrowing Directory
  ) throws(Errno) -> Directory {
    do throws(Errno) {
      return try Directory(name, in: parent)
    } catch .noSuchFile {
      let number = parent.descriptor.number
      do throws(Errno) {
        _ = try check { unsafe mkdirat(number, name, 0o700) }
      } catch .fileExists {
        // Somebody else made it just now, and may not have made it durable yet.
      }
      let made = try Directory(name, in: parent)
      try parent.sync()
      return made
    }
  }

  /// Opens the directory at an absolute path, made first with all parents where it is missing.
  public static func making(path: String) throws(Errno) -> Directory {
    do throws(Errno) {
      return try Directory(path)
    } catch .noSuchFile {
      let parts = path.split(separator: "/")
      guard let name = parts.last else { throw .noSuchFile }
      let parent = try making(path: "/" + parts.dropLast().joined(separator: "/"))
      return try making(String(name), in: parent)
    }
  }

  /// Makes the names in it survive a power cut.
  public borrowing func sync() throws(Errno) { try descriptor.sync() }

  /// What the directory is.
  public borrowing func status() throws(Errno) -> FileStatus { try descriptor.status() }
}

// MARK: - Files in it

extension Directory {
  /// Opens a file in it; a symbolic link is an error, a FIFO does not block.
  ///
  /// The corresponding C function is `openat(2)`.
  public borrowing func open(
    _ name: String, _ access: FileDescriptor.Access
  ) throws(Errno) -> FileDescriptor {
    let number = descriptor.number
    return FileDescriptor(
      owning: try check { unsafe openat(number, name, access.flags | O_NOFOLLOW, 0o600) })
  }

  /// Reads a whole regular file.
  ///
  /// - Throws: `Errno.wrongKind` when it is not a regular file, `Errno.tooLarge` beyond `limit`
  ///   octets.
  public borrowing func read(_ name: String, limit: Int) throws(Errno) -> [UInt8] {
    let file = try open(name, .read)
    let status = try file.status()
    guard status.isRegularFile else { throw .wrongKind }
    guard status.size <= limit else { throw .tooLarge }
    return try file.readAll(limit: limit)
  }

  /// What a file in it is, links not followed.
  ///
  /// The corresponding C function is `fstatat(2)`.
  public borrowing func status(of name: String) throws(Errno) -> FileStatus {
    var record = stat()
    let number = descriptor.number
    _ = try check { unsafe fstatat(number, name, &record, AT_SYMLINK_NOFOLLOW) }
    return FileStatus(record)
  }

  /// Removes a file.
  ///
  /// The corresponding C function is `unlinkat(2)`.
  public borrowing func remove(_ name: String) throws(Errno) {
    let number = descriptor.number
    _ = try check { unsafe unlinkat(number, name, 0) }
  }

  /// Gives a file a second name in another directory; never replaces.
  ///
  /// The corresponding C function is `linkat(2)`.
  public borrowing func link(
    _ name: String, into other: borrowing Directory, as newName: String
  ) throws(Errno) {
    let (from, to) = (descriptor.number, other.descriptor.number)
    _ = try check { unsafe linkat(from, name, to, newName, 0) }
  }

  /// Renames a file into another directory, over what has that name there.
  ///
  /// The corresponding C function is `renameat(2)`.
  public borrowing func rename(
    _ name: String, over newName: String, in other: borrowing Directory
  ) throws(Errno) {
    let (from, to) = (descriptor.number, other.descriptor.number)
    _ = try check { unsafe renameat(from, name, to, newName) }
  }

  /// Sets the time of last modification, in seconds since 1970.
  ///
  /// The corresponding C function is `utimensat(2)`.
  public borrowing func setModified(_ name: String, seconds: Int64) throws(Errno) {
    let number = descriptor.number
    let times = [
      timespec(tv_sec: Int(seconds), tv_nsec: 0), timespec(tv_sec: Int(seconds), tv_nsec: 0),
    ]
    _ = try check { unsafe utimensat(number, name, times, AT_SYMLINK_NOFOLLOW) }
  }

  /// Calls `body` with the name of each entry, in no order, `.` and `..` left out.
  ///
  /// Names that are not UTF-8 are passed over: nothing of ours has one.
  public borrowing func forEachName(_ body: (String) -> Void) throws(Errno) {
    _ = try containsName { name in
      body(name)
      return false
    }
  }

  /// Whether `body` is true of the name of an entry; it is asked in no order, until it is.
  public borrowing func containsName(where body: (String) -> Bool) throws(Errno) -> Bool {
    try unsafe containsRawName { raw in
      guard let name = unsafe String(validatingCString: raw) else { return false }
      return body(name)
    }
  }

  /// Whether `body` is true of the octets of an entry's name, whatever they are.
  ///
  /// The corresponding C function is `readdir(3)`.
  borrowing func containsRawName(
    where body: (UnsafePointer<CChar>) -> Bool
  ) throws(Errno) -> Bool {
    // A descriptor of its own: reading moves its offset.
    let number = descriptor.number
    let copy = try check { unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard let stream = unsafe fdopendir(copy) else {
      let error = Errno.last
      _ = Glibc.close(copy)
      throw error
    }
    defer { unsafe closedir(stream) }
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw .last }
        return false
      }
      let isFound = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { name in
          unsafe !Self.isDots(name) && body(name)
        }
      }
      if isFound { return true }
    }
  }

  /// Whether a name is `.` or `..`.
  private static func isDots(_ name: UnsafePointer<CChar>) -> Bool {
    let dot = CChar(UInt8(ascii: "."))
    return unsafe name[0] == dot && (name[1] == 0 || name[1] == dot && name[2] == 0)
  }
}
