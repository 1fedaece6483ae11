/// What a host may look like.
enum HostSyntax {
  // Domain     = sub-domain *("." sub-domain)                             RFC 5321 §4.1.2
  // sub-domain = Let-dig [Ldh-str]
  /// Whether the text is a domain name, or an IPv4 address, in ASCII.
  ///
  /// At most 253 octets, 63 a label, RFC 1035 §2.3.4.
  static func isDomain(_ text: ArraySlice<UInt8>) -> Bool {
    isASCII(text) && isInternationalDomain(text)
  }

  /// Whether the text is a domain name that may have U-labels.
  ///
  /// Whether they can be made A-labels is seen when the name is used: the tables for it are no
  /// part of the program that captures. RFC 5890 §2.3.2.1.
  static func isInternationalDomain(_ text: ArraySlice<UInt8>) -> Bool {
    let labels = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return text.count <= 253 && labels.allSatisfy(isLabel)
  }

  private static func isASCII(_ text: ArraySlice<UInt8>) -> Bool { text.allSatisfy { $0 < 0x80 } }

  private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return !label.isEmpty && (label.count <= 63 || !isASCII(label)) && label.first != hyphen
      && label.last != hyphen
      && label.allSatisfy { isLetterOrDigit($0) || $0 == hyphen || $0 >= 0x80 }
  }

  // IPv6address, without a zone                                         RFC 3986 §3.2.2
  /// Whether the text is an IPv6 address, without brackets.
  static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
    guard let gap = gap(in: text) else { return groups(text) == 8 }
    guard let left = groups(text[..<gap]), let right = groups(text[gap...].dropFirst(2)) else {
      return false
    }
    return left + right <= 7 && !isDottedQuad(lastGroup(of: text[..<gap]))
  }

  // snum 3("." snum)                                                    RFC 5321 §4.1.3
  /// Whether the text is an IPv4 address.
  static func isDottedQuad(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        part.count <= 3 && Int(digits: part).map { $0 <= 255 } ?? false
      }
  }

  // address-literal = "[" ( IPv4 / "IPv6:" IPv6 ) "]"                   RFC 5321 §4.1.3
  /// Whether the text can be the argument of EHLO.
  ///
  /// RFC 5321 §4.1.1.1.
  static func isEHLOName(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.first == UInt8(ascii: "[") else { return isDomain(text) }
    guard text.last == UInt8(ascii: "]"), text.count > 2 else { return false }
    let literal = text.dropFirst().dropLast()
    let tag = "IPv6:".utf8
    return literal.starts(with: tag)
      ? isIPv6(literal.dropFirst(tag.count)) : isDottedQuad(literal)
  }
}

// MARK: - Groups of an IPv6 address

extension HostSyntax {
  /// Where the first `::` is.
  private static func gap(in text: ArraySlice<UInt8>) -> Int? {
    text.indices.dropLast().first {
      text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":")
    }
  }

  /// How many groups of 16 bits a text holds, a final IPv4 address being two.
  private static func groups(_ text: ArraySlice<UInt8>) -> Int? {
    if text.isEmpty { return 0 }
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.dropLast().allSatisfy(isGroup), let last = parts.last else { return nil }
    if isGroup(last) { return parts.count }
    return isDottedQuad(last) ? parts.count + 1 : nil
  }

  private static func lastGroup(of text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text.split(separator: UInt8(ascii: ":")).last ?? text
  }

  private static func isGroup(_ text: ArraySlice<UInt8>) -> Bool {
    (1...4).contains(text.count) && text.allSatisfy(isHexDigit)
  }

  /// Whether an octet is one of `0`-`9`, `a`-`f`, `A`-`F`.
  static func isHexDigit(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  /// Whether an octet is an ASCII letter or digit.
  static func isLetterOrDigit(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }
}
