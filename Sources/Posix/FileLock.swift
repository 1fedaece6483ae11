internal import CLinux

// Design: an open-file-description lock, held by the kernel for this descriptor: it ends with
// the process however that ends, so nothing stale is left. The file's existence means nothing.

/// A lock that at most one process holds.
public struct FileLock: ~Copyable {
  private let file: FileDescriptor

  /// Takes the lock, without waiting; nil when another process holds it.
  ///
  /// The corresponding C function is `fcntl(2)` with `F_OFD_SETLK`; the file is opened O_RDWR,
  /// as network file systems ask for it.
  ///
  /// - Throws: ENOLCK or ENOSYS where the file system has no locks.
  public static func take(
    _ name: String, in directory: borrowing Directory
  ) throws(Errno) -> FileLock? {
    let file = try directory.open(name, .readWriteCreating)
    let number = file.number
    do throws(Errno) {
      _ = try check { clinux_lock(number) }
    } catch {
      guard error == .wouldBlock || error == .accessDenied else { throw error }
      return nil
    }
    return FileLock(file: file)
  }

  /// Lets the lock go.
  public consuming func release() {}

  /// Whether another process holds the lock right now; `false` where nobody can tell.
  ///
  /// The corresponding C function is `fcntl(2)` with `F_OFD_GETLK`.
  public static func isHeld(_ name: String, in directory: borrowing Directory) -> Bool {
    guard let file = try? directory.open(name, .readWriteCreating) else { return false }
    return clinux_is_locked(file.number) == 1
  }
}
