/// An address and the name of who it belongs to.
///
/// RFC 5322 §3.4.
public struct Mailbox: Sendable, Equatable {
  /// The name as a person reads it, nil when there is none.
  public let displayName: String?

  /// The address alone, as the envelope wants it: ASCII, its domain in A-labels, at most 254
  /// characters.
  public let address: String

  /// A mailbox of a name and an address.
  ///
  /// - Parameters:
  ///   - displayName: Any text; blanks around it are dropped, and an empty one is none.
  ///   - address: Local part, `@`, domain.
  ///   - aLabels: Makes A-labels of a domain with U-labels; `nil` where there are none. Without it
  ///     such a domain is refused.
  /// - Throws: When the name holds a control character, or the address is none.
  public init(
    displayName: String?, address: String, aLabels: (String) -> String? = { _ in nil }
  ) throws(MailboxError) {
    let name = displayName.map { String(repairing: Array($0.utf8).trimmingBlanks) } ?? ""
    guard HeaderText.cleaned(name) == name else { throw .controlCharacter }
    self.displayName = name.isEmpty ? nil : name
    self.address = try Mailbox.checked(Array(address.utf8), aLabels)
  }

  // mailbox = name-addr / addr-spec    name-addr = [display-name] angle-addr       RFC 5322 §3.4
  /// The mailbox as it stands in an address field, for instance by `From`.
  ///
  /// A quoted name loses its quotes, one without is decoded.
  public var headerText: String {
    guard let displayName else { return address }
    return MailboxName.phrase(for: displayName) + " <" + address + ">"
  }

  /// The part of the address after the `@`.
  public var domain: String {
    let octets = Array(address.utf8)
    let index = octets.lastIndex(of: 0x40) ?? octets.endIndex
    return String(repairing: octets[index...].dropFirst())
  }
}

/// Why a text is no mailbox.
public enum MailboxError: Error, Sendable, Equatable {
  /// There is nothing, or nothing but blanks and comments.
  case empty
  /// A line end, NUL or other control character is in it.
  case controlCharacter
  /// It names more than one address.
  case several
  /// The address has no `@`, or a part that breaks the rules of RFC 5321 §4.1.2.
  case malformedAddress
  /// The address holds other letters than those of ASCII before its `@`.
  ///
  /// Header fields would need RFC 6532 for it, and the server RFC 6531.
  case localPartNotASCII
  /// The domain holds other letters than those of ASCII, and no A-labels were made of them.
  case domainNotASCII
  /// The address is longer than RFC 5321 §4.5.3.1 allows.
  case tooLong
}

// MARK: - Addresses

extension Mailbox {
  // addr-spec = local-part "@" domain                                          RFC 5322 §3.4.1
  /// The address, once it is known to be one.
  static func checked(
    _ octets: [UInt8], _ aLabels: (String) -> String? = { _ in nil }
  ) throws(MailboxError) -> String {
    guard !octets.isEmpty else { throw .empty }
    guard !octets.contains(where: \.isControl) else { throw .controlCharacter }
    guard let at = octets.lastIndex(of: 0x40) else { throw .malformedAddress }
    guard octets[..<at].allSatisfy(\.isASCII) else { throw .localPartNotASCII }
    let octets = octets[...at] + (try asciiDomain(octets[(at + 1)...], aLabels))
    let local = octets[..<at]
    let domain = octets[(at + 1)...]
    guard isLocalPart(local), isDomain(domain) else { throw .malformedAddress }
    guard local.count <= 64, octets.count <= 254 else { throw .tooLong }
    return String(repairing: octets)
  }

  private static func asciiDomain(
    _ domain: ArraySlice<UInt8>, _ aLabels: (String) -> String?
  ) throws(MailboxError) -> [UInt8] {
    if domain.allSatisfy(\.isASCII) { return Array(domain) }
    guard let converted = aLabels(String(repairing: domain)).map({ Array($0.utf8) }),
      converted.allSatisfy(\.isASCII)
    else { throw .domainNotASCII }
    return converted
  }

  // Local-part = Dot-string / Quoted-string                                      RFC 5321 §4.1.2
  private static func isLocalPart(_ octets: ArraySlice<UInt8>) -> Bool {
    guard octets.first == .quote else { return isDotted(octets, of: \.isAtomText) }
    guard octets.count >= 3, octets.last == .quote else { return false }
    var isEscaped = false
    for octet in octets.dropFirst().dropLast() {
      if octet == .quote, !isEscaped { return false }
      isEscaped = octet == .backslash && !isEscaped
    }
    return !isEscaped
  }

  // Domain = sub-domain *("." sub-domain)    address-literal = "[" ... "]"       RFC 5321 §4.1.2
  static func isDomain(_ octets: ArraySlice<UInt8>) -> Bool {
    if octets.first == 0x5B {
      return octets.count > 2 && octets.last == 0x5D
        && octets.dropFirst().dropLast().allSatisfy {
          $0.isDigit || $0.isLetter || $0 == 0x2E || $0 == 0x3A || $0 == 0x2D
        }
    }
    return isDotted(octets) { $0.isDigit || $0.isLetter || $0 == 0x2D || $0 == 0x5F }
      && octets.split(separator: 0x2E).allSatisfy {
        $0.count <= 63 && $0.first != 0x2D && $0.last != 0x2D
      }
  }

  private static func isDotted(
    _ octets: ArraySlice<UInt8>, of isPart: (UInt8) -> Bool
  ) -> Bool {
    octets.split(separator: 0x2E, omittingEmptySubsequences: false)
      .allSatisfy { !$0.isEmpty && $0.allSatisfy(isPart) }
  }
}
