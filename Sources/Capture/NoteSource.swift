public import Posix

/// Where a note's text comes from, and how it is read.
public enum NoteSource {
  /// Why there is no text.
  public enum Failure: Error, Equatable, Sendable {
    /// More than the owner allows, in octets.
    case tooLarge(limit: Int)
    /// Standard input could not be read.
    case input(Errno)
  }

  /// Reads standard input to its end; on a terminal, lines until Ctrl-D.
  ///
  /// - Throws: `Failure.tooLarge` as soon as there is more than `limit` octets.
  public static func readInput(limit: Int) throws(Failure) -> [UInt8] {
    do throws(Errno) {
      return try StandardStream.input.readAll(limit: limit)
    } catch .tooLarge {
      throw .tooLarge(limit: limit)
    } catch {
      throw .input(error)
    }
  }

  /// The words, then the input on a line of its own.
  public static func joined(words: [UInt8]?, input: [UInt8]?) -> [UInt8] {
    guard let words else { return input ?? [] }
    guard let input, !input.isEmpty else { return words }
    return words + [UInt8(ascii: "\n")] + input
  }

  /// Whether there is nothing to send in a text: no character but white space.
  public static func isBlank(_ text: [UInt8]) -> Bool {
    guard !text.contains(where: { $0 > 0x20 && $0 < 0x7F }) else { return false }
    return String(decoding: text, as: UTF8.self).unicodeScalars.allSatisfy {
      $0.properties.isWhitespace
    }
  }
}
