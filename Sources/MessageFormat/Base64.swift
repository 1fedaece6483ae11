/// The Base64 transfer encoding.
///
/// RFC 2045 §6.8, RFC 4648 §4.
public enum Base64 {
  /// What a decoder does about octets that are not of the encoding.
  public enum Garbage: Sendable {
    /// Pass over it, as readers of mail must.
    case ignored
    /// Give nothing back; line ends and blanks are no garbage.
    case refused
  }

  static let alphabet = Array(
    text: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

  /// By octet: the value of a digit, or one of the marks below.
  static let values: [UInt8] = {
    var values = [UInt8](repeating: foreign, count: 256)
    for (value, octet) in alphabet.enumerated() { values[Int(octet)] = UInt8(value) }
    for octet in [UInt8.space, .tab, .cr, .lf] { values[Int(octet)] = blank }
    values[Int(UInt8.equals)] = padding
    return values
  }()
  private static let padding: UInt8 = 0x80
  private static let blank: UInt8 = 0x81
  private static let foreign: UInt8 = 0x82
}

// MARK: - Encoding

extension Base64 {
  /// Encodes octets in lines that each end with LF.
  ///
  /// - Parameters:
  ///   - octets: Anything; text must have its line ends as CR LF already.
  ///   - lineLength: The most characters in a line, cut to a multiple of 4; 0 for a single line
  ///     without LF.
  /// - Returns: The text, all ASCII.
  public static func encode(_ octets: [UInt8], lineLength: Int = 76) -> [UInt8] {
    encode(octets.span, lineLength: lineLength)
  }

  /// Encodes octets in lines that each end with LF.
  public static func encode(_ octets: Span<UInt8>, lineLength: Int = 76) -> [UInt8] {
    let digits = (octets.count + 2) / 3 * 4
    let perLine = lineLength <= 0 ? max(octets.count, 3) : max(lineLength / 4, 1) * 3
    let lines = lineLength <= 0 ? 0 : (octets.count + perLine - 1) / perLine
    return [UInt8](capacity: digits + lines) { output in
      let digits = alphabet.span
      var start = 0
      while start < octets.count {
        let end = min(start + perLine, octets.count)
        encodeLine(octets.extracting(start..<end), digits, into: &output)
        if lineLength > 0 { output.append(.lf) }
        start = end
      }
    }
  }

  private static func encodeLine(
    _ octets: Span<UInt8>, _ digits: Span<UInt8>, into output: inout OutputSpan<UInt8>
  ) {
    var position = 0
    while position + 3 <= octets.count {
      let group =
        UInt32(octets[position]) << 16 | UInt32(octets[position + 1]) << 8
        | UInt32(octets[position + 2])
      output.append(digits[Int(group >> 18)])
      output.append(digits[Int(group >> 12 & 63)])
      output.append(digits[Int(group >> 6 & 63)])
      output.append(digits[Int(group & 63)])
      position += 3
    }
    guard position < octets.count else { return }
    let isPair = position + 1 < octets.count
    let group =
      UInt32(octets[position]) << 16 | (isPair ? UInt32(octets[position + 1]) << 8 : 0)
    output.append(digits[Int(group >> 18)])
    output.append(digits[Int(group >> 12 & 63)])
    output.append(isPair ? digits[Int(group >> 6 & 63)] : .equals)
    output.append(.equals)
  }
}

// MARK: - Decoding

extension Base64 {
  /// Decodes what can be decoded, as a reader of mail does.
  ///
  /// Line ends, blanks and garbage are passed over; padding ends the data; digits at the end that
  /// make no octet are dropped.
  public static func decode(_ text: Span<UInt8>) -> [UInt8] {
    decodeDigits(text).octets
  }

  /// Decodes what can be decoded, as a reader of mail does.
  public static func decode(_ text: [UInt8]) -> [UInt8] { decode(text.span) }

  /// Decodes octets, nil when the text is not all Base64 and garbage is refused.
  ///
  /// - Parameters:
  ///   - text: Digits, in lines of any length and any line end.
  ///   - garbage: Refusing also refuses missing or superfluous padding and data after it.
  /// - Returns: The octets, or nil.
  public static func decode(_ text: [UInt8], garbage: Garbage) -> [UInt8]? {
    let decoded = decodeDigits(text.span)
    switch garbage {
    case .ignored: return decoded.octets
    case .refused: return decoded.isClean ? decoded.octets : nil
    }
  }

  private static func decodeDigits(_ text: Span<UInt8>) -> (octets: [UInt8], isClean: Bool) {
    var isClean = true
    let octets = [UInt8](capacity: text.count / 4 * 3 + 3) { output in
      let values = Self.values.span
      var position = 0
      var group: UInt32 = 0
      var digits = 0
      while position < text.count {
        let value = values[Int(text[position])]
        position += 1
        if value < 64 {
          group = group << 6 | UInt32(value)
          digits += 1
          if digits == 4 {
            output.append(UInt8(truncatingIfNeeded: group >> 16))
            output.append(UInt8(truncatingIfNeeded: group >> 8))
            output.append(UInt8(truncatingIfNeeded: group))
            digits = 0
          }
        } else if value == padding {
          if digits >= 2 { break }
          isClean = false
        } else if value == foreign {
          isClean = false
        }
      }
      isClean = isClean && endsWell(text, at: position, digits: digits, of: group)
      appendRest(of: group, digits: digits, to: &output)
    }
    return (octets, isClean)
  }

  private static func appendRest(
    of group: UInt32, digits: Int, to output: inout OutputSpan<UInt8>
  ) {
    if digits == 2 { output.append(UInt8(truncatingIfNeeded: group >> 4)) }
    if digits == 3 {
      output.append(UInt8(truncatingIfNeeded: group >> 10))
      output.append(UInt8(truncatingIfNeeded: group >> 2))
    }
  }

  /// Whether the last group is whole, or padded just so with nothing but blanks after it and no
  /// bits lost.
  private static func endsWell(
    _ text: Span<UInt8>, at position: Int, digits: Int, of group: UInt32
  ) -> Bool {
    guard digits > 0 else { return true }
    guard digits > 1, position > 0, text[position - 1] == .equals else { return false }
    guard group & (digits == 2 ? 15 : 3) == 0 else { return false }
    var missing = 3 - digits
    for position in position..<text.count {
      switch values[Int(text[position])] {
      case blank: break
      case padding where missing > 0: missing -= 1
      default: return false
      }
    }
    return missing == 0
  }
}
