public import Characters
internal import MessageFormat
internal import Posix

// Design: nothing of a note's text is kept anywhere, so each search opens every note: on as many
// processors as there are, and with what is in memory at a time bounded whatever the number of
// notes. Threads share nothing but the work: each opens the store and the key for itself.

/// A look through all notes for words.
public struct Search: Sendable {
  /// A note in which each of the words is.
  public struct Hit: Sendable {
    /// The note.
    public let entry: HistoryEntry
    /// What became of it.
    public let state: HistoryEntry.State
    /// Its subject.
    public let subject: String?
  }

  /// What came of it besides the hits.
  public struct Summary: Sendable, Equatable {
    /// How many notes have each of the words.
    public var hits = 0
    /// How many could not be looked into: encrypted, or sealed for a key that is not here.
    public var unreadable = 0
  }

  private let words: FoldedWords
  private let entries: [HistoryEntry]

  /// Words to look for in the subject and text of these notes.
  public init(for words: FoldedWords, in entries: [HistoryEntry]) {
    self.words = words
    self.entries = entries
  }

  /// The notes of a piece of work: enough that handing them out takes no time to speak of.
  private static let pieceSize = 16
  /// How many pieces may be under way: they hold their hits.
  private static let window = 32
}

// MARK: - On all processors

extension Search {
  /// Looks through the notes, and delivers each hit as soon as all before it are known.
  ///
  /// - Parameters:
  ///   - processors: How many threads look, this one included.
  ///   - open: Gives a thread its own view of the notes; nil when it cannot be had.
  ///   - deliver: Gets the hits in the order of the notes; an error ends the search.
  /// - Returns: How many notes were found, and could not be looked into.
  /// - Throws: What `deliver` throws.
  public func run<Failure: Error>(
    processors: Int, open: @escaping @Sendable () -> History?,
    deliver: (Hit) throws(Failure) -> Void
  ) throws(Failure) -> Summary {
    let pieces = (entries.count + Self.pieceSize - 1) / Self.pieceSize
    let work = OrderedWork<Piece>(count: pieces, window: Self.window)
    let others = Threads(min(processors, pieces) - 1) { look(open, work) }
    var summary = Summary()
    do throws(Failure) {
      guard let history = open() else {
        // The others fare no better.
        work.stop()
        others.join()
        return Summary(unreadable: entries.count)
      }
      while let step = work.next() {
        switch step {
        case .work(let number): work.finish(number, piece(number, history))
        case .deliver(let piece):
          summary.hits += piece.hits.count
          summary.unreadable += piece.unreadable
          for hit in piece.hits { try deliver(hit) }
        }
      }
    } catch {
      work.stop()
      others.join()
      throw error
    }
    others.join()
    return summary
  }

  /// What a thread beside the first one does.
  private func look(_ open: () -> History?, _ work: OrderedWork<Piece>) {
    guard let history = open() else { return }
    while let number = work.piece() { work.finish(number, piece(number, history)) }
  }

  private struct Piece: Sendable {
    var hits: [Hit] = []
    var unreadable = 0
  }

  private func piece(_ number: Int, _ history: borrowing History) -> Piece {
    var piece = Piece()
    let start = number * Self.pieceSize
    for entry in entries[start..<min(start + Self.pieceSize, entries.count)] {
      do throws(HistoryError) {
        if let hit = try hit(entry, history) { piece.hits.append(hit) }
      } catch {
        if error != .vanished { piece.unreadable += 1 }
      }
    }
    return piece
  }

  private func hit(
    _ entry: HistoryEntry, _ history: borrowing History
  ) throws(HistoryError) -> Hit? {
    let message = try history.readable(entry)
    let subject = message.subject
    let text = Array(((subject ?? "") + "\n" + message.text).utf8)
    guard words.areAll(in: text.span) else { return nil }
    return Hit(entry: entry, state: try history.state(of: entry), subject: subject)
  }
}
