public import Posix

/// The mail folder: outbox, sent and failed, and the lock of whoever sends.
public struct MailStore: ~Copyable {
  /// The folders, in the order of a note's life.
  public enum FolderName: String, Sendable, CaseIterable {
    /// Promised, not yet known to be delivered.
    case outbox
    /// Accepted by the server.
    case sent
    /// Given up, with the reason.
    case failed
  }

  /// The path of the mail folder.
  public let path: String
  /// The mail folder itself.
  public let root: Directory
  /// Notes that wait.
  public let outbox: MaildirFolder
  /// Notes that were delivered.
  public let sent: MaildirFolder
  /// Notes that were given up.
  public let failed: MaildirFolder

  /// Opens the store at a path, with whatever is missing of it made.
  public init(_ path: String) throws(MessageStoreError) {
    let root = try Self.makeRoot(path)
    let outbox = try MaildirFolder(FolderName.outbox.rawValue, in: root, at: path)
    let sent = try MaildirFolder(FolderName.sent.rawValue, in: root, at: path)
    let failed = try MaildirFolder(FolderName.failed.rawValue, in: root, at: path)
    self.path = path
    self.root = root
    self.outbox = outbox
    self.sent = sent
    self.failed = failed
  }

  /// Opens only the outbox: all that a capture touches.
  public static func outbox(at path: String) throws(MessageStoreError) -> MaildirFolder {
    try MaildirFolder(FolderName.outbox.rawValue, in: makeRoot(path), at: path)
  }

  /// Whether a sender is at work on the store or waits for new notes, as far as can be told.
  public static func hasSender(at path: String) -> Bool {
    guard let root = try? Directory(path) else { return false }
    return FileLock.isHeld(lockName, in: root) || hasWaitingSender(in: root)
  }

  /// Whether a sender waits for new notes and for those that fall due.
  public static func hasWaitingSender(at path: String) -> Bool {
    guard let root = try? Directory(path) else { return false }
    return hasWaitingSender(in: root)
  }

  private static func hasWaitingSender(in root: borrowing Directory) -> Bool {
    FileLock.isHeld(waitingName, in: root)
  }

  /// Becomes the only sender that waits for new notes; nil when another process does.
  ///
  /// It says who waits, not who sends: between its runs others may send.
  ///
  /// - Throws: Where the file system cannot lock.
  public static func lockWaiting(at path: String) throws(MessageStoreError) -> FileLock? {
    do throws(Errno) {
      return try FileLock.take(waitingName, in: try Directory.making(path: path))
    } catch {
      throw .file(path: path + "/" + waitingName, error)
    }
  }

  /// Becomes the only sender of this store; nil when another process is.
  ///
  /// - Throws: Where the file system cannot lock.
  public borrowing func lock() throws(MessageStoreError) -> FileLock? {
    do throws(Errno) {
      return try FileLock.take(Self.lockName, in: root)
    } catch {
      throw .file(path: path + "/" + Self.lockName, error)
    }
  }

  /// Whether a sender is at work on the store.
  public borrowing func isSending() -> Bool { FileLock.isHeld(Self.lockName, in: root) }

  /// Becomes the only one who sends notes again; nil when another process is.
  ///
  /// - Throws: Where the file system cannot lock.
  public borrowing func lockResending() throws(MessageStoreError) -> FileLock? {
    do throws(Errno) {
      return try FileLock.take(Self.resendingName, in: root)
    } catch {
      throw .file(path: path + "/" + Self.resendingName, error)
    }
  }

  private static let lockName = ".lock"
  private static let resendingName = ".resending"
  private static let waitingName = ".waiting"

  private static func makeRoot(_ path: String) throws(MessageStoreError) -> Directory {
    do throws(Errno) {
      let root = try Directory.making(path: path)
      if try !root.status().isWritableByOthers { return root }
    } catch {
      throw .file(path: path, error)
    }
    throw .notPrivate(path: path)
  }
}
