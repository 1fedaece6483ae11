/// The plain members of one JSON object: texts, numbers and words, by their names.
///
/// Objects and arrays inside it are passed over. It is bounded, as a server may send anything.
/// RFC 8259.
struct FlatObject {
  private let octets: [UInt8]
  private var position = 0

  /// The first value of each name.
  private(set) var members: [String: String] = [:]

  /// The most octets that are read.
  static let maximumOctets = 4096
  /// How deep what is passed over may be nested.
  static let maximumDepth = 8

  /// `nil` for what is no object and nothing else, or too large.
  init?(_ octets: [UInt8]) {
    guard octets.count <= Self.maximumOctets else { return nil }
    self.octets = octets
    guard readObject() else { return nil }
  }

  // object = "{" [ member *( "," member ) ] "}"    member = string ":" value       RFC 8259 §4
  private mutating func readObject() -> Bool {
    guard take("{") else { return false }
    if take("}") { return isAtEnd }
    repeat {
      guard next == quote, let name = readString(), take(":"), let value = readValue() else {
        return false
      }
      if let text = value, members[name] == nil { members[name] = text }
    } while take(",")
    return take("}") && isAtEnd
  }

  /// The value, `.some(nil)` for one that is passed over, `nil` for none.
  private mutating func readValue() -> String?? {
    switch next {
    case quote: return readString().map { .some($0) }
    case UInt8(ascii: "{"), UInt8(ascii: "["): return skipNested() ? .some(nil) : nil
    default: return readWord().map { .some($0) }
    }
  }
}

// MARK: - Values

extension FlatObject {
  // value = false / null / true / number                                          RFC 8259 §3
  private mutating func readWord() -> String? {
    let word = octets[position...].prefix { $0.isLetterOrDigit || "+-.".utf8.contains($0) }
    position = word.endIndex
    return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
  }

  private mutating func skipNested() -> Bool {
    var depth = 0
    repeat {
      switch next {
      case nil: return false
      case quote: if readString() == nil { return false }
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1; position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1; position += 1
      default: position += 1
      }
    } while (1...Self.maximumDepth).contains(depth)
    return depth == 0
  }

  // string = quotation-mark *char quotation-mark                                  RFC 8259 §7
  private mutating func readString() -> String? {
    position += 1
    var scalars = String.UnicodeScalarView()
    var run = position
    while position < octets.count, octets[position] >= 0x20 {
      let octet = octets[position]
      guard octet == quote || octet == backslash else {
        position += 1
        continue
      }
      scalars.append(
        contentsOf: String(decoding: octets[run..<position], as: UTF8.self).unicodeScalars)
      position += 1
      if octet == quote { return String(scalars) }
      guard let scalar = readEscape() else { return nil }
      scalars.append(scalar)
      run = position
    }
    return nil
  }
}

// MARK: - Escapes

extension FlatObject {
  /// What stands after a backslash.
  private mutating func readEscape() -> Unicode.Scalar? {
    guard position < octets.count else { return nil }
    let octet = octets[position]
    position += 1
    switch octet {
    case UInt8(ascii: "u"): return readUnit().map { scalar($0) }
    case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "b"),
      UInt8(ascii: "f"):
      return " "
    case quote, backslash, UInt8(ascii: "/"): return Unicode.Scalar(octet)
    default: return nil
    }
  }

  /// The scalar that begins with a UTF-16 unit; half a pair is repaired.
  private mutating func scalar(_ unit: UInt16) -> Unicode.Scalar {
    guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
    let start = position
    guard octets[position...].starts(with: "\\u".utf8) else { return "\u{FFFD}" }
    position += 2
    guard let second = readUnit(), UTF16.isTrailSurrogate(second) else {
      position = start
      return "\u{FFFD}"
    }
    let value = 0x10000 + (UInt32(unit) - 0xD800) << 10 + UInt32(second) - 0xDC00
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  private mutating func readUnit() -> UInt16? {
    let digits = octets[position...].prefix(4)
    guard digits.count == 4, digits.allSatisfy(\.isHexDigit) else { return nil }
    position += 4
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}

// MARK: - Octets

extension FlatObject {
  private var quote: UInt8 { UInt8(ascii: "\"") }
  private var backslash: UInt8 { UInt8(ascii: "\\") }

  /// The octet after blanks, which are passed.
  private var next: UInt8? {
    mutating get {
      while position < octets.count, " \t\r\n".utf8.contains(octets[position]) { position += 1 }
      return position < octets.count ? octets[position] : nil
    }
  }

  private var isAtEnd: Bool {
    mutating get { next == nil }
  }

  private mutating func take(_ octet: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: octet) else { return false }
    position += 1
    return true
  }
}
