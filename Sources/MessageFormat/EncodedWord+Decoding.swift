extension EncodedWord {
  /// The text of a field's body in which encoded-words may stand.
  ///
  /// Blanks between two of them vanish, and neighbours of one character set are joined before
  /// they are read, since some programs tear characters. What is no encoded-word stays; line ends
  /// and NUL become spaces, encoded ones too. RFC 2047 §6.
  static func decode(_ body: some Collection<UInt8>) -> String {
    let octets = Array(body)
    guard octets.containsPair(.equals, .question) else { return String(repairing: cleaned(octets)) }
    var decoder = Decoder(octets: octets)
    return String(repairing: cleaned(decoder.decode()))
  }

  private static func cleaned(_ octets: [UInt8]) -> [UInt8] {
    octets.map { $0 == .lf || $0 == .cr || $0 == 0 ? .space : $0 }
  }

  private struct Decoder {
    let octets: [UInt8]
    var output: [UInt8] = []
    /// The character set of the words before, and what they hold; nil when text came since.
    var charset: Charset?
    var pending: [UInt8] = []

    init(octets: [UInt8]) { self.octets = octets }

    mutating func decode() -> [UInt8] {
      var position = 0
      var start = 0
      while position < octets.count {
        if octets[position] == .equals, let word = Word(in: octets, at: position) {
          appendPlain(octets[start..<position], isBeforeWord: true)
          append(word)
          position = word.end
          start = position
        } else {
          position += 1
        }
      }
      appendPlain(octets[start...], isBeforeWord: false)
      return output
    }

    private mutating func appendPlain(_ text: ArraySlice<UInt8>, isBeforeWord: Bool) {
      if isBeforeWord, charset != nil, text.allSatisfy({ $0.isBlank || $0 == .lf }) { return }
      flush()
      output += text
    }

    private mutating func append(_ word: Word) {
      if charset != word.charset { flush() }
      charset = word.charset
      pending += word.octets
    }

    private mutating func flush() {
      if let charset { output += charset.transcode(pending) }
      charset = nil
      pending = []
    }
  }

  /// One encoded-word, decoded.
  private struct Word {
    let charset: Charset
    let octets: [UInt8]
    let end: Int

    init?(in text: [UInt8], at start: Int) {
      guard start + 1 < text.count, text[start + 1] == .question,
        let charset = Self.token(in: text, from: start + 2), !charset.isEmpty,
        let encoding = Self.token(in: text, from: charset.endIndex + 1), encoding.count == 1,
        let encoded = Self.token(in: text, from: encoding.endIndex + 1),
        encoded.endIndex + 1 < text.count, text[encoded.endIndex + 1] == .equals
      else { return nil }
      switch encoding[encoding.startIndex].lowercased {
      case 0x62: octets = Base64.decode(Array(encoded))
      case 0x71: octets = Self.decodeQ(encoded)
      default: return nil
      }
      self.charset = Charset(label: charset)
      end = encoded.endIndex + 2
    }

    /// The visible characters up to the next `?`.
    private static func token(in text: [UInt8], from start: Int) -> ArraySlice<UInt8>? {
      var end = start
      while end < text.count, text[end] != .question {
        guard text[end].isVisible else { return nil }
        end += 1
      }
      return end < text.count ? text[start..<end] : nil
    }

    private static func decodeQ(_ text: ArraySlice<UInt8>) -> [UInt8] {
      var output: [UInt8] = []
      var position = text.startIndex
      while position < text.endIndex {
        if text[position] == .equals, position + 2 < text.endIndex,
          let high = text[position + 1].hexValue, let low = text[position + 2].hexValue
        {
          output.append(high << 4 | low)
          position += 3
        } else {
          output.append(text[position] == 0x5F ? .space : text[position])
          position += 1
        }
      }
      return output
    }
  }
}
