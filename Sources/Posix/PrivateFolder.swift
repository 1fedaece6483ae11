// Design: text that must lie in a file in clear, for an editor, a mail client or after a failed
// capture, lies in memory-backed storage if there is any, where no disk and no backup ever sees it.

/// A fresh folder that only this user may enter, for text in clear.
public struct PrivateFolder: Sendable {
  /// Its path.
  public let path: String
  /// Whether it lies in memory, not on a disk.
  public let isInMemory: Bool

  /// Makes a folder under `$XDG_RUNTIME_DIR`, else /dev/shm, else in the state folder.
  ///
  /// - Parameters:
  ///   - runtimeFolder: memo's folder in `$XDG_RUNTIME_DIR`, nil where there is none.
  ///   - stateFolder: memo's state folder, made where it is missing.
  ///   - random: For the folder's name, which nobody can guess.
  ///   - prefix: What the folder's name begins with.
  /// - Returns: The folder, empty.
  /// - Throws: What kept the last of them from being made.
  public static func make(
    runtimeFolder: String?, stateFolder: String, random: Randomness, prefix: String = "memo-"
  ) throws(Errno) -> PrivateFolder {
    let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    let letters = try random.bytes(16).map { digits[Int($0 & 31)] }
    let name = prefix + String(decoding: letters, as: UTF8.self)
    for parent in [runtimeFolder, sharedMemory] {
      guard let parent, (try? makeFolder(name, in: parent)) != nil else { continue }
      return PrivateFolder(path: parent + "/" + name, isInMemory: true)
    }
    try makeFolder(name, in: stateFolder)
    return PrivateFolder(path: stateFolder + "/" + name, isInMemory: false)
  }

  /// Where every machine keeps files in memory.
  static let sharedMemory = "/dev/shm"

  private static func makeFolder(_ name: String, in parent: String) throws(Errno) {
    let parent = try Directory.making(path: parent)
    _ = try Directory.making(name, in: parent)
  }

  /// Writes a file in it, with mode 0600.
  public func write(_ bytes: [UInt8], to name: String) throws(Errno) {
    let folder = try Directory(path)
    let file = try folder.open(name, .createExclusively)
    try file.write(bytes.span)
    try file.close()
  }

  /// Reads a file in it.
  ///
  /// - Throws: `Errno.tooLarge` beyond `limit` octets.
  public func read(_ name: String, limit: Int) throws(Errno) -> [UInt8] {
    try Directory(path).read(name, limit: limit)
  }

  /// Removes the folder with all that an editor or another program left in it.
  public func remove() throws(Errno) {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.index(after: $0)...] }
    guard let name else { throw .noSuchFile }
    try Directory(String(path.dropLast(name.count))).removeFolder(String(name))
  }
}
