/// An address that may go into MAIL FROM or RCPT TO.
///
/// libcurl checks nothing: a line break in an address is a command of its own.
struct EnvelopeAddress: Equatable {
  let text: String

  // Mailbox = Local-part "@" ( Domain / address-literal )                    RFC 5321 §4.1.2
  /// Takes ASCII addresses without blanks, brackets and controls, of RFC 5321 §4.5.3.1 length.
  ///
  /// Quoted local parts are taken only where they need no blank, bracket or second `@`.
  init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, (1...64).contains(parts[0].count), (1...255).contains(parts[1].count),
      text.utf8.count <= 254, parts[0].allSatisfy(Self.isLocal), Self.isDomain(parts[1])
    else { return nil }
    self.text = text
  }

  private static func isLocal(_ octet: UInt8) -> Bool {
    (0x21...0x7E).contains(octet) && octet != UInt8(ascii: "<") && octet != UInt8(ascii: ">")
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
