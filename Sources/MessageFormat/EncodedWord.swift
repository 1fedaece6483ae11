// Design: a text is encoded as a whole or not at all, so that no blank between words has to be
// told from one inside them. Words break between graphemes, else between code points: some
// readers decode each word by itself (case C05).

/// Text in header fields as ASCII.
///
/// RFC 2047.
enum EncodedWord {
  /// The most characters in an encoded-word.
  ///
  /// RFC 2047 §2.
  static let maximumLength = 75

  private enum Encoding { case q, b }

  // encoded-word = "=?" charset "?" encoding "?" encoded-text "?="                  RFC 2047 §2
  /// The encoded-words of a text, to be set apart by blanks or folds.
  ///
  /// They can stand in a text or in a phrase: only what RFC 2047 §5(3) allows is left bare.
  ///
  /// - Parameters:
  ///   - text: Any text.
  ///   - first: The most characters in the first word, at least 24.
  ///   - others: The most characters in each further word, at most 75.
  /// - Returns: The words, none for an empty text.
  static func encode(
    _ text: String, firstLength first: Int, otherLength others: Int = maximumLength
  ) -> [[UInt8]] {
    // Q while most of the text stays readable in a file, else B, which is shorter.
    let bare = text.utf8.reduce(0) { $0 + (isBareInQ($1) ? 1 : 0) }
    let encoding = bare * 2 >= text.utf8.count ? Encoding.q : .b
    var builder = Builder(encoding: encoding, room: first, nextRoom: others)
    for character in text { builder.append(character) }
    return builder.finish()
  }

  private static func isBareInQ(_ octet: UInt8) -> Bool {
    switch octet {
    case 0x21, 0x2A, 0x2B, 0x2D, 0x2F, .space: true
    default: octet.isDigit || octet.isLetter
    }
  }

  /// The words so far and the octets of the one that is being filled.
  private struct Builder {
    let encoding: Encoding
    var room: Int
    let nextRoom: Int
    var words: [[UInt8]] = []
    var current: [UInt8] = []

    /// What the current octets take up: characters in Q, octets in B.
    var size = 0

    mutating func append(_ character: Character) {
      let added = size(of: character.utf8)
      if fits(size + added, in: room) {
        current.append(contentsOf: character.utf8)
        size += added
      } else if fits(added, in: nextRoom) {
        endWord()
        current.append(contentsOf: character.utf8)
        size = added
      } else {
        for scalar in character.unicodeScalars { append(scalar) }
      }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
      let octets = Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      let added = size(of: octets)
      if !fits(size + added, in: room) { endWord() }
      current += octets
      size += added
    }

    mutating func finish() -> [[UInt8]] {
      endWord()
      return words
    }

    private mutating func endWord() {
      guard !current.isEmpty else { return }
      words.append(EncodedWord.word(current, encoding))
      current = []
      size = 0
      room = nextRoom
    }

    private func size(of octets: some Collection<UInt8>) -> Int {
      switch encoding {
      case .q: octets.reduce(0) { $0 + (EncodedWord.isBareInQ($1) ? 1 : 3) }
      case .b: octets.count
      }
    }

    private func fits(_ size: Int, in room: Int) -> Bool {
      let length = encoding == .q ? size : (size + 2) / 3 * 4
      return length + "=?utf-8?q??=".utf8.count <= room
    }
  }

  private static func word(_ octets: [UInt8], _ encoding: Encoding) -> [UInt8] {
    var word = Array(text: encoding == .q ? "=?utf-8?q?" : "=?utf-8?b?")
    switch encoding {
    case .b: word += Base64.encode(octets, lineLength: 0)
    case .q: for octet in octets { appendQ(octet, to: &word) }
    }
    word.append(text: "?=")
    return word
  }

  private static func appendQ(_ octet: UInt8, to word: inout [UInt8]) {
    if octet == .space {
      word.append(0x5F)
    } else if isBareInQ(octet) {
      word.append(octet)
    } else {
      word.append(.equals, hexOf: octet)
    }
  }
}
