internal import MessageFormat
internal import MessageStore
internal import Outbox
public import Posix
internal import Sealing

/// What came of laying out notes in clear.
public struct ClearReport: Sendable, Equatable {
  /// Notes that could not be opened, and lie there as they are in the store.
  public var unopened = 0
  /// Files that could not be read, and are left out.
  public var unreadable = 0
}

/// A note as a mail client is to see it.
private struct ClearNote {
  var bytes: [UInt8]
  var modified: Int64
  var isOpened: Bool
}

extension History {
  /// Lays out notes as mail clients read them: a Maildir of all, and in it outbox, sent and failed.
  ///
  /// - Parameters:
  ///   - entries: The notes.
  ///   - path: A folder in a private one.
  ///   - isStopped: Asked before each note; when it is true, the rest is left out.
  /// - Returns: How many there are to be told of.
  /// - Throws: When the folder cannot be written.
  public borrowing func layOut(
    _ entries: [HistoryEntry], at path: String, until isStopped: () -> Bool
  ) throws(Errno) -> ClearReport {
    let maildirs = try ClearMaildirs(in: try Directory.making(path: path))
    var report = ClearReport()
    for entry in entries {
      guard !isStopped() else { break }
      guard let note = clear(entry, &report) else { continue }
      if !note.isOpened { report.unopened += 1 }
      try maildirs.put(note.bytes, of: entry, modified: note.modified)
    }
    return report
  }

  /// A note in clear, nil when it went away or is no file that could be read.
  private borrowing func clear(_ entry: HistoryEntry, _ report: inout ClearReport) -> ClearNote? {
    do throws(HistoryError) {
      let modified = try modified(of: entry)
      let bytes = try file(of: entry)
      guard let opened = opened(bytes, entry) else {
        return ClearNote(bytes: bytes, modified: modified, isOpened: false)
      }
      return ClearNote(bytes: opened, modified: modified, isOpened: true)
    } catch {
      if error != .vanished { report.unreadable += 1 }
      return nil
    }
  }

  /// The message as it was composed, with what is known of its fate in `Memo-` fields; as it is
  /// in the file where that is not sealed, or is for gpg, and nil where it does not open.
  private borrowing func opened(_ bytes: [UInt8], _ entry: HistoryEntry) -> [UInt8]? {
    guard let outer = try? Message(parsing: bytes) else { return nil }
    guard SealedMessage.isSealed(outer) || outer.openPGPArmor != nil else { return bytes }
    var message: Message
    do throws(HistoryError) {
      message = try readable(outer, entry.id, nil)
    } catch {
      return error == .encrypted ? bytes : nil
    }
    let inside = message.header
    for field in outer.header.fields + reason(of: entry)
    where Self.tellsFate(field) || Self.isOnlyOutside(field, inside) {
      message.header.append(field)
    }
    return message.bytes(lineEnds: .lf)
  }

  private static func tellsFate(_ field: HeaderField) -> Bool {
    let name = field.name.lowercased()
    return name.hasPrefix("memo-") && name != "memo-id"
  }

  /// Whether a field names a correspondent that the message itself does not.
  private static func isOnlyOutside(_ field: HeaderField, _ inside: Header) -> Bool {
    ["from", "to"].contains(field.name.lowercased())
      && inside.first(named: field.name) == nil
  }

  /// Why a note waits; what failed says it in its file.
  private borrowing func reason(of entry: HistoryEntry) -> [HeaderField] {
    guard entry.folder == .outbox, let id = entry.id else { return [] }
    return state.reason(for: id)?.fields ?? []
  }

  private borrowing func modified(of entry: HistoryEntry) throws(HistoryError) -> Int64 {
    do throws(MessageStoreError) {
      switch entry.folder {
      case .outbox: return try store.outbox.status(of: entry.file).modified
      case .sent: return try store.sent.status(of: entry.file).modified
      case .failed: return try store.failed.status(of: entry.file).modified
      }
    } catch {
      throw HistoryError(error)
    }
  }
}
