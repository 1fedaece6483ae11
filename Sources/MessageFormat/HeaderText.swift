/// What header fields do to text before it is written.
enum HeaderText {
  /// The most characters in a line, as with encoded-words.
  ///
  /// RFC 2047 §2.
  static let lineLength = 76

  /// The text with each run of control characters and line separators made one space.
  ///
  /// Works on Unicode scalars: among Characters neither CR nor LF is found in CR LF (case C03).
  static func cleaned(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var output = String.UnicodeScalarView()
    var isInRun = false
    for scalar in text.unicodeScalars {
      if !isControl(scalar) {
        output.append(scalar)
      } else if !isInRun {
        output.append(" ")
      }
      isInRun = isControl(scalar)
    }
    return String(output)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: true
    default: false
    }
  }

  /// Whether a text can be written bare: ASCII, unlike an encoded-word, and with words and runs of
  /// blanks short enough that lines can be folded and come back the same.
  static func isPlain(_ text: String, afterName name: String) -> Bool {
    let octets = Array(text.utf8)
    guard octets.allSatisfy({ $0.isVisible || $0.isBlank }),
      octets.first?.isBlank != true, octets.last?.isBlank != true,
      !octets.containsPair(.equals, .question)
    else { return false }
    let pieces = pieces(of: octets)
    return pieces.dropFirst().allSatisfy { $0.count <= lineLength }
      && (pieces.first?.count ?? 0) + name.utf8.count + 2 <= lineLength
  }

  // FWS = ([*WSP CRLF] 1*WSP) / obs-FWS                                        RFC 5322 §3.2.2
  /// The octets after the colon: a space and the text, folded before runs of blanks.
  ///
  /// The first word stays on the line of the name, since some readers lose one that does not.
  static func fold(_ text: [UInt8], afterName name: String) -> [UInt8] {
    var output: [UInt8] = [.space]
    var column = name.utf8.count + 2
    for (index, piece) in pieces(of: text).enumerated() {
      if index > 0, column + piece.count > lineLength {
        output.append(.lf)
        column = 0
      }
      output += piece
      column += piece.count
    }
    return output
  }

  /// The words of a text, each with the run of blanks before it; blanks at the end are left out.
  private static func pieces(of text: [UInt8]) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var start = 0
    while start < text.count {
      var end = start
      while end < text.count, text[end].isBlank { end += 1 }
      guard end < text.count else { break }
      while end < text.count, !text[end].isBlank { end += 1 }
      pieces.append(text[start..<end])
      start = end
    }
    return pieces
  }
}
