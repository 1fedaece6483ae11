public import MessageFormat
internal import Posix

// Design: a cache of files that cannot be read without the identity's key, for reading without
// gpg. It may be emptied at any time: a note then shows as encrypted until gpg is asked for it. So
// the file that the note had is linked here, right before that one gets other octets: nothing is
// written and nothing waited for, and what a power cut can take is this one name.

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

  /// Keeps the sealed file of a note, which is about to get other octets.
  ///
  /// On another file system it is copied.
  ///
  /// - Parameters:
  ///   - entry: The file.
  ///   - folder: Where it lies.
  ///   - bytes: What it holds.
  ///   - id: The note.
  /// - Throws: `MessageStoreError.notPrivate` when others could change what is in the cache.
  public func keep(
    _ entry: MaildirFolder.Entry, of folder: borrowing MaildirFolder, holding bytes: [UInt8],
    as id: NoteID
  ) throws(MessageStoreError) {
    let cache = try open()
    let name = "\(id)"
    // Of an earlier time that the note lay there.
    try? cache.remove(name)
    do throws(MessageStoreError) {
      try folder.link(entry, into: cache, as: name)
    } catch {
      do throws(Errno) { try write(bytes, name, into: cache) } catch {
        throw .file(path: path, error)
      }
    }
  }

  private func open() throws(MessageStoreError) -> Directory {
    do throws(Errno) {
      let folder = try Directory.making(path: path)
      if try !folder.status().isWritableByOthers { return folder }
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

  /// Whether there is anything of the cache.
  public var isThere: Bool { (try? Directory(path)) != nil }

  /// Calls `body` with each note that it keeps, in no order.
  public func forEachID(_ body: (NoteID) -> Void) {
    guard let folder = try? Directory(path) else { return }
    try? folder.forEachName { name in
      if let id = NoteID(name) { body(id) }
    }
  }

  /// Forgets a note, and what a crash left of writing it.
  public func remove(_ id: NoteID) {
    guard let folder = try? Directory(path) else { return }
    try? folder.remove("\(id)")
    try? folder.remove(".\(id)")
  }
}
