internal import Characters
internal import Posix

/// Says things to a person on standard error, each on a line of its own: `memo: what: why`.
public struct Messenger: Sendable {
  /// The language that is spoken.
  public let language: any Language

  /// A messenger who speaks a language.
  public init(_ language: any Language) { self.language = language }

  /// Says something, made safe for a terminal.
  public func say(_ words: String) { write("memo: " + words) }

  /// Says how a person can mend it.
  public func hint(_ words: String) { write("memo: hint: " + words) }

  private func write(_ line: String) {
    // Where standard error is closed or full there is nobody left to tell.
    try? StandardStream.messages.write(Array((sanitised(line) + "\n").utf8))
  }
}
