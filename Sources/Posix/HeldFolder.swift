// Design: what lies in clear must go however its maker ends, kill -9 included. The maker holds a
// kernel lock in the folder; a folder that nobody holds is anybody's to remove, at the next look.

/// A private folder that goes with its maker: if it could not remove it, the next run does.
public struct HeldFolder: ~Copyable {
  /// The folder.
  public let folder: PrivateFolder
  private let lock: FileLock

  private static let prefix = "memo-view-"
  private static let lockName = ".lock"

  /// Makes a folder and holds it.
  ///
  /// - Parameters:
  ///   - runtimeFolder: memo's folder in `$XDG_RUNTIME_DIR`, nil where there is none.
  ///   - stateFolder: memo's state folder, for when nothing is memory-backed.
  ///   - random: For the folder's name.
  /// - Returns: The folder, with nothing but the lock in it.
  /// - Throws: What kept it from being made.
  public static func make(
    runtimeFolder: String?, stateFolder: String, random: Randomness
  ) throws(Errno) -> HeldFolder {
    // Another run may take a folder for abandoned before it is held.
    for _ in 0..<3 {
      let folder = try PrivateFolder.make(
        runtimeFolder: runtimeFolder, stateFolder: stateFolder, random: random, prefix: prefix)
      if let lock = try? hold(folder.path) { return HeldFolder(folder: folder, lock: lock) }
      try? folder.remove()
    }
    throw .wouldBlock
  }

  /// Holds a folder; nil when another process does, or has just removed it.
  private static func hold(_ path: String) throws(Errno) -> FileLock? {
    let lock = try FileLock.take(lockName, in: try Directory(path))
    _ = try Directory(path).status(of: lockName)
    return lock
  }

  /// Removes the folder and lets go.
  public consuming func remove() throws(Errno) {
    try folder.remove()
  }

  /// Removes the folders whose makers are gone, wherever one could have been made.
  ///
  /// What cannot be removed stays for the next look.
  public static func removeAbandoned(runtimeFolder: String?, stateFolder: String) {
    for parent in [runtimeFolder, PrivateFolder.sharedMemory, stateFolder] {
      guard let parent, let folder = try? Directory(parent) else { continue }
      var names: [String] = []
      try? folder.forEachName { if $0.utf8.starts(with: prefix.utf8) { names.append($0) } }
      for name in names { removeAbandoned(name, in: folder) }
    }
  }

  private static func removeAbandoned(_ name: String, in parent: borrowing Directory) {
    // In /dev/shm anybody may make such a name.
    guard let folder = try? Directory(name, in: parent), let status = try? folder.status(),
      status.owner == Machine.user, let lock = try? FileLock.take(lockName, in: folder)
    else { return }
    try? parent.removeFolder(name)
    lock.release()
  }
}
