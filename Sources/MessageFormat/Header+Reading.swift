extension Header {
  /// The most fields a header may have.
  static let maximumFieldCount = 10_000

  // header = *(field-name ":" unstructured CRLF)   message = header [CRLF body]  RFC 5322 §2.1
  /// The header at the start of a message or part, and where the body begins.
  ///
  /// A line that begins no field and continues none ends the header: it begins the body, so that
  /// nothing is lost. A line `From …` at the very start, as files of many messages have it, is
  /// passed over.
  ///
  /// - Returns: nil when there are too many fields.
  static func read(_ text: Span<UInt8>) -> (header: Header, bodyStart: Int)? {
    var fields: [HeaderField] = []
    var position = skipPostmark(text)
    while position < text.count {
      let end = endOfField(text, from: position)
      if end.content == position { return (Header(fields), end.next) }
      guard let field = field(text.extracting(position..<end.content)) else { break }
      guard fields.count < maximumFieldCount else { return nil }
      fields.append(field)
      position = end.next
    }
    return (Header(fields), position)
  }

  private static func skipPostmark(_ text: Span<UInt8>) -> Int {
    let mark = Array(text: "From ")
    guard text.count > mark.count, mark.indices.allSatisfy({ text[$0] == mark[$0] }) else {
      return 0
    }
    return endOfLine(text, from: 0).next
  }

  /// The end of a line, without its line end and with it.
  static func endOfLine(_ text: Span<UInt8>, from start: Int) -> (content: Int, next: Int) {
    var end = start
    while end < text.count, text[end] != .lf { end += 1 }
    let hasCR = end < text.count && end > start && text[end - 1] == .cr
    return (hasCR ? end - 1 : end, min(end + 1, text.count))
  }

  /// The end of a line and of those that continue it.
  private static func endOfField(
    _ text: Span<UInt8>, from start: Int
  ) -> (content: Int, next: Int) {
    var end = endOfLine(text, from: start)
    guard end.content > start else { return end }
    while end.next < text.count, text[end.next].isBlank {
      end = endOfLine(text, from: end.next)
    }
    return end
  }

  // obs-optional = field-name *WSP ":" unstructured CRLF                       RFC 5322 §4.5.8
  private static func field(_ text: Span<UInt8>) -> HeaderField? {
    var end = 0
    while end < text.count, HeaderField.isNameText(text[end]) { end += 1 }
    var colon = end
    while colon < text.count, text[colon].isBlank { colon += 1 }
    guard end > 0, colon < text.count, text[colon] == 0x3A else { return nil }
    let name = (0..<end).map { text[$0] }
    return HeaderField(
      name: String(repairing: name), raw: raw(text.extracting((colon + 1)..<text.count)))
  }

  /// The octets after the colon with LF as line end; any other CR, and NUL, as a space.
  private static func raw(_ text: Span<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    for position in 0..<text.count {
      switch text[position] {
      case .cr where position + 1 < text.count && text[position + 1] == .lf: break
      case .cr, 0: output.append(.space)
      default: output.append(text[position])
      }
    }
    return output
  }
}
