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
    _ bytes: [UInt8], as name: String, staging: borrowing Directory, stagingName: String
  ) throws(PublishingError) {
    do throws(Errno) {
      let file = try staging.open(stagingName, .createExclusively)
      do throws(Errno) {
        try file.write(bytes)
        try file.sync()
        try file.close()
        try staging.link(stagingName, into: self, as: name)
      } catch {
        // What stays in staging promises nothing, and is swept by age.
        try? staging.remove(stagingName)
        throw error
      }
    } catch .fileExists {
      throw .exists
    } catch {
      throw .notPublished(error)
    }
    // From here on the file counts, whatever fails.
    defer { try? staging.remove(stagingName) }
    do throws(Errno) {
      // fsync the directory, or the new name may be lost.
      try sync()
    } catch {
      throw .notDurable(error)
    }
  }
}
