public import MessageFormat
internal import Posix

// Design: a cache of files that cannot be read without the identity's key, for reading without
// gpg. It is written before the note's own file changes, so that no crash loses both, and may be
// emptied at any time: a note then shows as encrypted until gpg is asked for it.

/// The sealed originals of notes that lie in sent/ or failed/ in another form.
///
/// A file each, named by its UUID, mode 0600 in a folder of mode 0700.
public struct SealedCache: Sendable {
  private let path: String

  /// The cache in the folder at an absolute path, which need not exist.
  public init(_ path: String) { self.path = path }

  /// The sealed message of a note, nil where there is none that can be read.
  public func message(of id: NoteID, limit: Int) -> Message? {
    guard let folder = try? Directory(path), let status = try? folder.status(),
      !status.isWritableByOthers, let bytes = try? folder.read("\(id)", limit: limit)
    else { return nil }
    return try? Message(parsing: bytes)
  }

  /// Keeps the sealed message of a note, durably.
  ///
  /// - Throws: `MessageStoreError.notPrivate` when others could change what is in the folder.
  public func keep(_ bytes: [UInt8], of id: NoteID) throws(MessageStoreError) {
    do throws(Errno) {
      let folder = try Directory.making(path: path)
      if try !folder.status().isWritableByOthers {
        return try write(bytes, "\(id)", into: folder)
      }
    } catch {
      throw .file(path: path, error)
    }
    throw .notPrivate(path: path)
  }

  private func write(
    _ bytes: [UInt8], _ name: String, into folder: borrowing Directory
  ) throws(Errno) {
    let staging = "." + name
    // A crash may have left one there.
    try? folder.remove(staging)
    try folder.replace(name, with: bytes.span, staging: folder, stagingName: staging)
  }

  /// Forgets a note.
  public func remove(_ id: NoteID) {
    guard let folder = try? Directory(path) else { return }
    try? folder.remove("\(id)")
  }
}
