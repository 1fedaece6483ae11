public import Posix

/// A note's text in the user's editor.
public struct EditorSession {
  /// Why an editor gave no text.
  public enum Failure: Error, Equatable, Sendable {
    /// The file for it could not be made.
    case folder(Errno)
    /// The editor could not be started; nothing was written by it.
    case notStarted(Errno)
    /// The editor ended otherwise than with status 0; what it wrote is kept in this file.
    case failed(ChildProcess.End, file: String)
    /// What it wrote cannot be read back; it is kept in this file.
    case unreadable(Errno, file: String)
    /// It wrote more than the owner allows, in octets; that is kept in this file.
    case tooLarge(limit: Int, file: String)
  }

  /// The folder with the text, to be removed once the note is safe.
  public let folder: PrivateFolder
  private static let fileName = "note.txt"

  /// The file that the editor is given.
  public var file: String { folder.path + "/" + Self.fileName }

  /// Prepares a text for an editor, in a private folder.
  public init(text: [UInt8], in folder: PrivateFolder) throws(Failure) {
    self.folder = folder
    do throws(Errno) {
      try folder.write(text, to: Self.fileName)
    } catch {
      throw .folder(error)
    }
  }

  /// Runs the editor on the file and waits for it.
  ///
  /// The command is `$VISUAL`, else `$EDITOR`, else `vi`, as `git(1)` and others do it: a line
  /// for the shell, to which the file's path is added.
  ///
  /// - Parameters:
  ///   - environment: This process's environment.
  ///   - limit: The most octets that are read back.
  /// - Returns: The text as the editor left it.
  /// - Throws: Why there is none, with the path of what is kept.
  public func run(environment: ProcessEnvironment, limit: Int) throws(Failure) -> [UInt8] {
    let editor = environment["VISUAL"] ?? environment["EDITOR"] ?? "vi"
    let end: ChildProcess.End
    do throws(Errno) {
      let child = try ChildProcess.startAttached(
        "/bin/sh", ["-c", editor + " \"$1\"", editor, file], environment: environment)
      end = try child.wait()
    } catch {
      throw .notStarted(error)
    }
    guard end == .exited(0) else { throw .failed(end, file: file) }
    do throws(Errno) {
      return try folder.read(Self.fileName, limit: limit)
    } catch .tooLarge {
      throw .tooLarge(limit: limit, file: file)
    } catch {
      throw .unreadable(error, file: file)
    }
  }
}
