// Design: messages are read and written as octets. In Swift CR LF is one Character, so a search
// for either among Characters finds neither; octets have no such trap and cost a tenth.

extension UInt8 {
  static var tab: UInt8 { 0x09 }
  static var lf: UInt8 { 0x0A }
  static var cr: UInt8 { 0x0D }
  static var space: UInt8 { 0x20 }
  static var quote: UInt8 { 0x22 }
  static var percent: UInt8 { 0x25 }
  static var backslash: UInt8 { 0x5C }
  static var equals: UInt8 { 0x3D }
  static var question: UInt8 { 0x3F }
  static var delete: UInt8 { 0x7F }

  // WSP = SP / HTAB                                                        RFC 5234 appendix B.1
  var isBlank: Bool { self == .space || self == .tab }

  // VCHAR = %x21-7E                                                        RFC 5234 appendix B.1
  var isVisible: Bool { self > 0x20 && self < 0x7F }

  var isControl: Bool { self < 0x20 || self == 0x7F }
  var isASCII: Bool { self < 0x80 }
  var isDigit: Bool { self >= 0x30 && self <= 0x39 }
  var isLetter: Bool { lowercased >= 0x61 && lowercased <= 0x7A }
  var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

  // atext = ALPHA / DIGIT / "!" / "#" / "$" / "%" / "&" / "'" / "*" /         RFC 5322 §3.2.3
  //         "+" / "-" / "/" / "=" / "?" / "^" / "_" / "`" / "{" / "|" / "}" / "~"
  var isAtomText: Bool {
    switch self {
    case 0x22, 0x28, 0x29, 0x2C, 0x2E, 0x3A, 0x3B, 0x3C, 0x3E, 0x40, 0x5B, 0x5C, 0x5D: false
    default: isVisible
    }
  }

  // token = 1*<any CHAR except SPACE, CTLs, or tspecials>                        RFC 2045 §5.1
  var isTokenText: Bool {
    switch self {
    case 0x22, 0x28, 0x29, 0x2C, 0x2F, 0x3A, 0x3B, 0x3C, 0x3D, 0x3E, 0x3F, 0x40, 0x5B, 0x5C, 0x5D:
      false
    default: isVisible
    }
  }

  /// The value of a hexadecimal digit of either case.
  var hexValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: nil
    }
  }

  /// The upper-case hexadecimal digit of a value below 16.
  static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}

extension Array<UInt8> {
  /// The octets of a text.
  init(text: String) { self.init(text.utf8) }

  mutating func append(text: String) { append(contentsOf: text.utf8) }

  /// Appends `mark` and two upper-case hexadecimal digits, as in `=C3` or `%C3`.
  mutating func append(_ mark: UInt8, hexOf octet: UInt8) {
    append(mark)
    append(.hexDigit(octet >> 4))
    append(.hexDigit(octet & 15))
  }
}

extension RandomAccessCollection<UInt8> {
  /// Without the blanks at both ends.
  var trimmingBlanks: SubSequence {
    var rest = self[...]
    while let first = rest.first, first.isBlank { rest.removeFirst() }
    while let last = rest.last, last.isBlank { rest = rest.dropLast() }
    return rest
  }

  /// Whether it holds the two octets, one after the other.
  func containsPair(_ first: UInt8, _ second: UInt8) -> Bool {
    var previous: UInt8?
    for octet in self {
      if previous == first, octet == second { return true }
      previous = octet
    }
    return false
  }

  /// Whether it is the ASCII text, whatever the case of letters.
  func matches(_ text: String) -> Bool {
    count == text.utf8.count
      && zip(self, text.utf8).allSatisfy { $0.lowercased == $1.lowercased }
  }
}

extension String {
  /// The text of octets that should be UTF-8, invalid sequences repaired by U+FFFD.
  init(repairing octets: some Collection<UInt8>) { self.init(decoding: octets, as: UTF8.self) }

  /// ASCII letters in lower case, all else as it is.
  var asciiLowercased: String { String(repairing: utf8.map(\.lowercased)) }
}

/// How the lines of a message end.
public enum LineEnds: Sendable {
  /// CR LF, as on the wire. RFC 5322 §2.1.
  case crlf
  /// LF alone, as in files.
  case lf
}
