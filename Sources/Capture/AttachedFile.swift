public import MessageFormat
public import Posix

/// A file that a note carries.
public enum AttachedFile {
  /// Why a file cannot be attached.
  public enum Failure: Error, Equatable, Sendable {
    /// It cannot be read.
    case unreadable(path: String, Errno)
    /// It is not a regular file.
    case notAFile(path: String)
    /// With it the note is larger than the owner allows, in octets.
    case tooLarge(path: String, limit: Int)
  }

  /// Reads a file whole; a FIFO or device is refused, not waited for.
  public static func read(_ path: String, limit: Int) throws(Failure) -> Attachment {
    do throws(Errno) {
      let file = try FileDescriptor(path, .read)
      let status = try file.status()
      guard status.isRegularFile else { throw Errno.wrongKind }
      guard status.size <= limit else { throw Errno.tooLarge }
      let name = path.split(separator: "/").last.map(String.init) ?? path
      return Attachment(name: name, content: try file.readAll(limit: limit))
    } catch .wrongKind {
      throw .notAFile(path: path)
    } catch .tooLarge {
      throw .tooLarge(path: path, limit: limit)
    } catch {
      throw .unreadable(path: path, error)
    }
  }
}
