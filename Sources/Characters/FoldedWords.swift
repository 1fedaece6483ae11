/// Words to look for, whatever their case and accents.
public struct FoldedWords: Sendable {
  private let words: [[UInt8]]

  /// Words to look for, each as it stands, its blanks too; nil when one of them is nothing that
  /// could be seen, or there are none.
  public init?(_ words: [String]) {
    let folded = words.map { Characters.folded($0) }
    guard !folded.isEmpty, folded.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.words = folded
  }

  /// Whether each word is somewhere in the text.
  public func areAll(in text: Span<UInt8>) -> Bool {
    let text = folded(text)
    return words.allSatisfy { Self.contains(text.span, $0.span) }
  }

  private static func contains(_ text: Span<UInt8>, _ word: Span<UInt8>) -> Bool {
    let first = word[0]
    var start = 0
    while start + word.count <= text.count {
      if text[start] == first, isThere(word, in: text, at: start) { return true }
      start += 1
    }
    return false
  }

  private static func isThere(
    _ word: Span<UInt8>, in text: Span<UInt8>, at start: Int
  ) -> Bool {
    for index in 1..<word.count where text[start + index] != word[index] { return false }
    return true
  }
}
