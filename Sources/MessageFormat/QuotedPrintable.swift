/// The Quoted-Printable transfer encoding of text.
///
/// RFC 2045 §6.7.
public enum QuotedPrintable {
  /// The most characters in an encoded line, the `=` of a soft line break included.
  static let lineLength = 76

  /// Encodes text whose lines end with LF.
  ///
  /// A CR in it is data, not a line end. No encoded line ends in a blank, so a relay that strips
  /// blanks takes nothing (case C06), none begins with `From `, and characters are not torn.
  public static func encode(_ text: [UInt8]) -> [UInt8] { encode(text.span) }

  /// Encodes text whose lines end with LF.
  public static func encode(_ text: Span<UInt8>) -> [UInt8] {
    [UInt8](capacity: encodedBound(text)) { output in
      var encoder = QuotedPrintableEncoder()
      for position in 0..<text.count {
        encoder.encode(text, at: position, into: &output)
      }
    }
  }

  /// At least as many octets as the encoded text has.
  ///
  /// Each line may need 4 more than its characters: a blank at its end or `From` at its start, and
  /// a soft line break, which no line of less than 64 characters gets.
  private static func encodedBound(_ text: Span<UInt8>) -> Int {
    var count = 0
    var lines = 1
    for position in 0..<text.count {
      let octet = text[position]
      count += (octet.isVisible && octet != .equals) || octet.isBlank || octet == .lf ? 1 : 3
      lines += octet == .lf ? 1 : 0
    }
    return count + 4 * (lines + (count + 4 * lines) / 60 + 1)
  }

  /// Decodes text, as a reader of mail does.
  ///
  /// Blanks at the end of a line are dropped, as transport may have added them; a `=` that begins
  /// no escape stays. Nothing is refused.
  ///
  /// - Parameters:
  ///   - text: Encoded lines that end with LF or CR LF.
  ///   - lineEnds: How to end the lines in the output that the encoded text ends as lines. With
  ///     `crlf` a CR that was data cannot be taken for one that ends a line.
  /// - Returns: The text.
  public static func decode(_ text: Span<UInt8>, lineEnds: LineEnds = .lf) -> [UInt8] {
    let lines = lineEnds == .lf ? 0 : count(of: .lf, in: text)
    return [UInt8](capacity: text.count + lines) { output in
      // The end of the output up to which blanks are data.
      var kept = 0
      var position = 0
      while position < text.count {
        let octet = text[position]
        if octet == .lf {
          output.removeLast(output.count - kept)
          if lineEnds == .crlf { output.append(.cr) }
          output.append(.lf)
          position += 1
        } else if octet == .equals {
          position += decodeEscape(in: text, at: position, to: &output)
        } else {
          output.append(octet)
          position += 1
          if octet.isBlank || endsLine(text, octet, before: position) { continue }
        }
        kept = output.count
      }
      output.removeLast(output.count - kept)
    }
  }

  private static func count(of wanted: UInt8, in text: Span<UInt8>) -> Int {
    var count = 0
    for position in 0..<text.count where text[position] == wanted { count += 1 }
    return count
  }

  /// Decodes text, as a reader of mail does.
  public static func decode(_ text: [UInt8], lineEnds: LineEnds = .lf) -> [UInt8] {
    decode(text.span, lineEnds: lineEnds)
  }
}

// MARK: - Decoding

extension QuotedPrintable {
  private static func endsLine(_ text: Span<UInt8>, _ octet: UInt8, before next: Int) -> Bool {
    octet == .cr && (next == text.count || text[next] == .lf)
  }

  /// Decodes `=XX` or a soft line break and returns its length; else keeps the `=`.
  private static func decodeEscape(
    in text: Span<UInt8>, at start: Int, to output: inout OutputSpan<UInt8>
  ) -> Int {
    if start + 2 < text.count, let high = text[start + 1].hexValue,
      let low = text[start + 2].hexValue
    {
      output.append(high << 4 | low)
      return 3
    }
    var end = start + 1
    while end < text.count, text[end].isBlank || text[end] == .cr { end += 1 }
    guard end < text.count else { return end - start }
    if text[end] == .lf { return end + 1 - start }
    output.append(.equals)
    return 1
  }
}

// MARK: - Encoding

/// The column that the next character falls into.
private struct QuotedPrintableEncoder {
  var column = 0

  mutating func encode(
    _ text: Span<UInt8>, at position: Int, into output: inout OutputSpan<UInt8>
  ) {
    let octet = text[position]
    if octet == .lf {
      output.append(.lf)
      column = 0
      return
    }
    let isLiteral = isLiteral(octet, in: text, at: position)
    let width = isLiteral ? 1 : 3 * Self.length(ofCharacterFrom: octet)
    if column + width > QuotedPrintable.lineLength - 1 { breakLine(in: &output) }
    if isLiteral, !(column == 0 && beginsFrom(text, at: position)) {
      output.append(octet)
      column += 1
    } else {
      output.append(.equals)
      output.append(.hexDigit(octet >> 4))
      output.append(.hexDigit(octet & 15))
      column += 3
    }
  }

  private mutating func breakLine(in output: inout OutputSpan<UInt8>) {
    output.append(.equals)
    output.append(.lf)
    column = 0
  }

  private func isLiteral(_ octet: UInt8, in text: Span<UInt8>, at position: Int) -> Bool {
    guard octet.isBlank else { return octet.isVisible && octet != .equals }
    return position + 1 < text.count && text[position + 1] != .lf
  }

  // Files of many messages mark the start of each by a line with From, and quote others.
  private func beginsFrom(_ text: Span<UInt8>, at position: Int) -> Bool {
    text[position] == 0x46 && position + 4 < text.count && text[position + 1] == 0x72
      && text[position + 2] == 0x6F && text[position + 3] == 0x6D && text[position + 4] == .space
  }

  /// How many octets a UTF-8 character has that begins with this one; 1 within a character.
  static func length(ofCharacterFrom octet: UInt8) -> Int {
    switch octet {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }
}
