internal import MessageFormat
public import MessageStore
internal import Posix
public import Sealing

// Design: only the wrapping of a note's content key is made anew, and the encrypted content stays
// octet for octet what it was: it cannot come out otherwise, and its text is never written. Before
// the new file takes the place of the old one, both are opened and compared nevertheless.

/// Seals stored notes to the present key that are sealed to one before it.
public struct Rewrapping: ~Copyable {
  private let opener: Opener
  private let recipient: Recipient
  private let sizeLimit = 64 << 20
  /// What became of the files.
  public private(set) var counts = Counts()
  /// The identifiers, in hexadecimal digits, of other keys that files are still sealed to.
  public private(set) var otherKeys: Set<String> = []

  /// How many files came out how.
  public struct Counts: Sendable, Equatable {
    /// Sealed to the present key now.
    public var rewrapped = 0
    /// Sealed to it before, or not sealed at all.
    public var already = 0
    /// Left as they were.
    public var failed = 0
    /// All that were looked at.
    public var all: Int { rewrapped + already + failed }
  }

  /// Why a file was left as it was.
  public enum Failure: Error, Equatable, Sendable {
    /// It does not open.
    case sealing(SealingError)
    /// It cannot be read or written.
    case store(MessageStoreError)
  }

  /// Seals from whoever has the old keys to whoever has the present one.
  public init(_ opener: consuming Opener, to recipient: consuming Recipient) {
    self.opener = opener
    self.recipient = recipient
  }

  /// Every file of a folder, which no sender may be at work on.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - report: Gets each file, and why it was left as it was.
  /// - Throws: When the folder cannot be read.
  public mutating func work(
    on folder: borrowing MaildirFolder, report: (String, Failure?) -> Void
  ) throws(MessageStoreError) {
    for entry in try folder.entries() {
      do throws(Failure) {
        guard try isRegular(entry, folder) else { continue }
        let content = try storing { () throws(MessageStoreError) in
          try folder.read(entry, limit: sizeLimit)
        }
        if let rewrapped = try rewrap(content) {
          try storing { () throws(MessageStoreError) in
            try folder.replace(entry, with: rewrapped)
          }
          counts.rewrapped += 1
        } else {
          counts.already += 1
        }
        report(folder.path(of: entry), nil)
      } catch .store(.vanished) {
        // Its owner took it away.
      } catch {
        counts.failed += 1
        report(folder.path(of: entry), error)
      }
    }
  }

  private func isRegular(
    _ entry: MaildirFolder.Entry, _ folder: borrowing MaildirFolder
  ) throws(Failure) -> Bool {
    try storing { () throws(MessageStoreError) in
      try folder.status(of: entry).isRegularFile
    }
  }

  private func storing<Result>(
    _ body: () throws(MessageStoreError) -> Result
  ) throws(Failure) -> Result {
    do throws(MessageStoreError) { return try body() } catch { throw .store(error) }
  }

  /// Every file of a folder of sealed originals, such as the cache.
  ///
  /// - Parameters:
  ///   - path: The folder; where there is none, there is nothing to do.
  ///   - report: Gets each file, and why it was left as it was.
  /// - Throws: When the folder cannot be read.
  public mutating func work(
    onFilesIn path: String, report: (String, Failure?) -> Void
  ) throws(MessageStoreError) {
    do throws(Errno) {
      let folder = try Directory(path)
      var names: [String] = []
      try folder.forEachName { if !$0.hasPrefix(".") { names.append($0) } }
      for name in names { work(on: name, in: folder, path, report) }
    } catch .noSuchFile {
      return
    } catch {
      throw .file(path: path, error)
    }
  }

  private mutating func work(
    on name: String, in folder: borrowing Directory, _ path: String,
    _ report: (String, Failure?) -> Void
  ) {
    let path = path + "/" + name
    do throws(Failure) {
      let content: [UInt8]
      let modified: Int64
      do throws(Errno) {
        let status = try folder.status(of: name)
        guard status.isRegularFile else { return }
        modified = status.modified
        content = try folder.read(name, limit: sizeLimit)
      } catch { throw .store(.file(path: path, error)) }
      if let rewrapped = try rewrap(content) {
        do throws(Errno) {
          try Self.replace(name, in: folder, with: rewrapped, modified)
        } catch { throw .store(.file(path: path, error)) }
        counts.rewrapped += 1
      } else {
        counts.already += 1
      }
      report(path, nil)
    } catch {
      counts.failed += 1
      report(path, error)
    }
  }

  private static func replace(
    _ name: String, in folder: borrowing Directory, with bytes: [UInt8], _ modified: Int64
  ) throws(Errno) {
    // A crash may have left one there.
    try? folder.remove("." + name)
    try folder.replace(name, with: bytes.span, staging: folder, stagingName: "." + name)
    try folder.setModified(name, seconds: modified)
  }
}

// MARK: - One message

extension Rewrapping {
  /// The file's new octets; nil when it is sealed to the present key, or not sealed.
  private mutating func rewrap(_ content: [UInt8]) throws(Failure) -> [UInt8]? {
    guard let outer = try? Message(parsing: content) else { throw .sealing(.damaged) }
    guard SealedMessage.isSealed(outer) else { return nil }
    do throws(SealingError) {
      guard let rewrapped = try opener.rewrap(outer, for: recipient) else { return nil }
      return rewrapped.bytes(lineEnds: .lf)
    } catch {
      if error == .otherRecipient, let key = SealedMessage.keyIdentifier(of: outer) {
        otherKeys.insert(key)
      }
      throw .sealing(error)
    }
  }
}
