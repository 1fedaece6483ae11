/// An address that may go into MAIL FROM or RCPT TO.
///
/// libcurl checks nothing: a line break in an address is a command of its own.
struct EnvelopeAddress: Equatable {
  /// The address with its domain in A-labels.
  let text: String
  /// Whether the local part has letters that need SMTPUTF8 (RFC 6531 §3.1).
  let needsUTF8: Bool

  // Mailbox = Local-part "@" ( Domain / address-literal )          RFC 5321 §4.1.2, RFC 6531 §3.3
  /// Takes addresses without blanks, brackets and controls, of RFC 5321 §4.5.3.1 length.
  ///
  /// Quoted local parts are taken only where they need no blank, bracket or second `@`. A local
  /// part in other letters is taken as it is, since only its server knows how it compares.
  init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, let local = String(parts[0]), let written = String(parts[1]),
      let domain = DomainName.inALabels(written), (1...64).contains(local.utf8.count),
      (1...255).contains(domain.utf8.count), local.utf8.count + 1 + domain.utf8.count <= 254,
      local.unicodeScalars.allSatisfy(Self.isLocal), Self.isDomain(domain.utf8[...])
    else { return nil }
    self.text = local + "@" + domain
    needsUTF8 = local.utf8.contains { $0 >= 0x80 }
  }

  private static func isLocal(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return (0x21...0x7E).contains(scalar.value) && !"<>".unicodeScalars.contains(scalar)
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .unassigned,
      .privateUse, .surrogate:
      return false
    default: return true
    }
  }

  private static func isDomain(_ domain: Substring.UTF8View) -> Bool {
    if domain.first == UInt8(ascii: "["), domain.last == UInt8(ascii: "]") {
      let literal = domain.dropFirst().dropLast()
      return literal.allSatisfy { $0.isLetterOrDigit || ".:-".utf8.contains($0) }
    }
    return domain.allSatisfy { $0.isLetterOrDigit || "-._".utf8.contains($0) }
      && domain.first != UInt8(ascii: ".") && domain.last != UInt8(ascii: ".")
  }
}

extension UInt8 {
  /// Whether the octet is an ASCII digit.
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// Whether the octet is an ASCII letter or digit.
  var isLetterOrDigit: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}
