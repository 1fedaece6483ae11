internal import Glibc

// Design: gpgme starts gpg as a child's child and keeps no number of it. What it cannot hide is who
// holds the other ends of its pipes.

/// The processes at the other ends of this process's pipes.
public enum PipePeers {
  /// Kills every other process that holds one of the pipes open.
  ///
  /// For a process that does not end by itself, as it waits for a third one.
  public static func kill(holding pipes: [Int32]) {
    let wanted = Set(pipes.compactMap(Identity.init(descriptor:)))
    let own = getpid()
    guard !wanted.isEmpty, let processes = try? Directory("/proc") else { return }
    try? processes.forEachName { name in
      guard let process = Int32(name), process != own, holds(process, wanted) else { return }
      _ = Glibc.kill(process, SIGKILL)
    }
  }

  /// Which pipe it is.
  private struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64

    init?(descriptor: Int32) {
      var record = stat()
      guard unsafe fstat(descriptor, &record) == 0 else { return nil }
      self.init(record)
    }

    /// The pipe behind a name in `/proc/PID/fd`, proc(5).
    init?(path: String) {
      var record = stat()
      guard unsafe stat(path, &record) == 0 else { return nil }
      self.init(record)
    }

    private init?(_ record: stat) {
      guard record.st_mode & S_IFMT == S_IFIFO else { return nil }
      device = UInt64(record.st_dev)
      inode = UInt64(record.st_ino)
    }
  }

  /// Whether a process holds one of the pipes; not where it is another user's.
  private static func holds(_ process: Int32, _ wanted: Set<Identity>) -> Bool {
    let path = "/proc/\(process)/fd"
    guard let descriptors = try? Directory(path) else { return false }
    let isFound = try? descriptors.containsName { name in
      Identity(path: path + "/" + name).map(wanted.contains) ?? false
    }
    return isFound ?? false
  }
}
