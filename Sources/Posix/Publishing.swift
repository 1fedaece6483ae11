internal import Glibc

// Design: the one way in which bytes become a file that others may see. Whole under a name
// nobody reads, durable, then linked: `link` works on NFS, never replaces, and its success is
// the instant from which the file counts.

extension Directory {
  /// How far publishing a file came before it failed.
  public enum PublishingError: Error, Equatable, Sendable {
    /// Nothing is visible; nothing is left behind.
    case notPublished(Errno)
    /// Something has that name already.
    case exists
    /// The file is there and whole, but a power cut may still undo it.
    case notDurable(Errno)
  }

  /// Writes a file so that it appears whole, durable and at once, or not at all.
  ///
  /// - Parameters:
  ///   - bytes: The content.
  ///   - name: The name it gets in this directory.
  ///   - staging: The directory for the unfinished file, on the same file system.
  ///   - stagingName: Its name there, nobody else's.
  /// - Throws: How far it came; after `notDurable` the file is there.
  public borrowing func publish(
    _ bytes: Span<UInt8>, as name: String, staging: borrowing Directory, stagingName: String
  ) throws(PublishingError) {
    do throws(Errno) {
      try staging.stage(bytes, as: stagingName) { () throws(Errno) in
        try staging.link(stagingName, into: self, as: name)
      }
    } catch .fileExists {
      throw .exists
    } catch {
      throw .notPublished(error)
    }
    // From here on the file counts, whatever fails. The second name means nothing, and what a
    // failure here leaves of it is swept by age.
    defer { try? staging.remove(stagingName) }
    do throws(Errno) {
      // fsync the directory, or the new name may be lost.
      try sync()
    } catch {
      throw .notDurable(error)
    }
  }

  /// Writes a file in the place of the one that has its name, so that either the old or the new
  /// one is there at any time, and makes the new one durable.
  ///
  /// - Parameters:
  ///   - name: The file to be replaced.
  ///   - bytes: The new content.
  ///   - staging: The directory for the unfinished file, on the same file system.
  ///   - stagingName: Its name there, nobody else's.
  ///   - proving: Looks at the new file, whole and durable under its unfinished name, and throws
  ///     when it is not to take the old one's place.
  /// - Throws: Why the old one is still there; or why the new one is not durable.
  public borrowing func replace(
    _ name: String, with bytes: Span<UInt8>, staging: borrowing Directory, stagingName: String,
    proving: () throws(Errno) -> Void = {}
  ) throws(Errno) {
    try staging.stage(bytes, as: stagingName) { () throws(Errno) in
      try proving()
      try staging.rename(stagingName, over: name, in: self)
    }
    try sync()
  }

  /// Gives a file that exists other octets, durable ones, so that either the old or the new ones
  /// are there at any time; which of them after a power cut is settled when the directory is synced.
  ///
  /// A file that somebody renames meanwhile is not made a second time under its old name.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - bytes: The new content.
  ///   - seconds: Its time of last modification, in seconds since 1970.
  ///   - staging: The directory for the unfinished file, on the same file system.
  ///   - stagingName: Its name there, nobody else's.
  /// - Throws: `Errno.noSuchFile` when no file has that name; nothing was changed then.
  public borrowing func rewrite(
    _ name: String, with bytes: Span<UInt8>, modified seconds: Int64,
    staging: borrowing Directory, stagingName: String
  ) throws(Errno) {
    try staging.stage(bytes, as: stagingName, modified: seconds) { () throws(Errno) in
      try staging.exchange(stagingName, with: name, in: self)
    }
    // What bears the staging name now are the old octets, if there was an exchange.
    try? staging.remove(stagingName)
  }

  /// Writes a durable file nobody reads, then `reveal`s it; an error leaves nothing behind.
  private borrowing func stage(
    _ bytes: Span<UInt8>, as name: String, modified seconds: Int64? = nil,
    reveal: () throws(Errno) -> Void
  ) throws(Errno) {
    let file = try open(name, .createExclusively)
    do throws(Errno) {
      try file.write(bytes)
      // Before fsync, or a power cut could give it the time of writing.
      if let seconds { try setModified(name, seconds: seconds) }
      try file.sync()
      try file.close()
      try reveal()
    } catch {
      // What stays here promises nothing, and is swept by age.
      try? remove(name)
      throw error
    }
  }
}
