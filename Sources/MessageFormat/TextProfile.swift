/// What of a text matters to its transfer encoding, found in one pass.
struct TextProfile {
  /// Octets that Quoted-Printable has to escape.
  private(set) var escapes = 0

  /// Octets of the longest line, without its line end.
  private(set) var longestLine = 0

  /// Whether a relay could harm the text were it sent as it is: a blank at the end of a line,
  /// `From ` at the start of one, a CR that ends none, a control character.
  private(set) var isFragile = false

  private(set) var holdsNUL = false
  private(set) var holdsNonASCII = false

  /// Whether `=_` occurs, which a boundary begins with and neither encoding can produce.
  private(set) var holdsBoundaryMark = false

  /// Looks through text whose lines end with LF.
  init(_ text: Span<UInt8>) {
    var lineStart = 0
    var previous: UInt8 = .lf
    for position in 0..<text.count {
      let octet = text[position]
      if octet == .lf {
        longestLine = max(longestLine, position - lineStart)
        isFragile = isFragile || previous.isBlank
        lineStart = position + 1
      } else if !octet.isVisible || octet == .equals {
        note(octet)
      } else if octet == 0x5F, previous == .equals {
        holdsBoundaryMark = true
      } else if octet == 0x46, position == lineStart {
        isFragile = isFragile || Self.beginsFrom(text, at: position)
      }
      previous = octet
    }
    longestLine = max(longestLine, text.count - lineStart)
    isFragile = isFragile || previous.isBlank
  }

  private mutating func note(_ octet: UInt8) {
    guard !octet.isBlank else { return }
    escapes += 1
    if octet == 0 { holdsNUL = true }
    if !octet.isASCII { holdsNonASCII = true }
    if octet.isControl { isFragile = true }
  }

  private static func beginsFrom(_ text: Span<UInt8>, at start: Int) -> Bool {
    let mark: [UInt8] = [0x46, 0x72, 0x6F, 0x6D, 0x20]
    return start + mark.count <= text.count
      && mark.indices.allSatisfy { text[start + $0] == mark[$0] }
  }
}
