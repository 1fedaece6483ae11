internal import Glibc

/// What the file system says of a file.
///
/// The corresponding C structure is `struct stat`.
public struct FileStatus: Sendable {
  /// Whether it is a regular file.
  public let isRegularFile: Bool

  /// Whether it is a directory.
  public let isDirectory: Bool

  /// The permission bits, as 0o600.
  public let permissions: UInt32

  /// The user who owns it.
  public let owner: UInt32

  /// The size in octets.
  public let size: Int64

  /// The time of last modification, in whole seconds since 1970.
  public let modified: Int64

  /// The same in nanoseconds; on many file systems as coarse as the kernel's tick.
  public let modifiedNanoseconds: Int64

  /// The number of the file in its file system.
  package let inode: UInt64

  init(_ record: stat) {
    isRegularFile = record.st_mode & S_IFMT == S_IFREG
    isDirectory = record.st_mode & S_IFMT == S_IFDIR
    permissions = UInt32(record.st_mode) & 0o7777
    owner = record.st_uid
    size = Int64(record.st_size)
    modified = Int64(record.st_mtim.tv_sec)
    modifiedNanoseconds =
      Int64(record.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(record.st_mtim.tv_nsec)
    inode = UInt64(record.st_ino)
  }

  /// Whether group or others may read, write or enter it.
  public var isOpenToOthers: Bool { permissions & 0o077 != 0 }

  /// Whether somebody other than this process's user could plant files in it.
  public var isWritableByOthers: Bool {
    permissions & 0o022 != 0 || owner != geteuid()
  }
}
