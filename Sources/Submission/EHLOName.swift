/// The name a client gives with EHLO.
///
/// Servers refuse a short name, `localhost` or an underscore, and often only at RCPT.
/// RFC 5321 §4.1.1.1.
struct EHLOName: Equatable {
  let text: String

  /// The first that will do: the configured name, the machine's dotted name, an address literal.
  static func choose(configured: String?, hostName: String?) -> EHLOName {
    if let configured, let name = EHLOName(literal: configured) ?? EHLOName(domain: configured) {
      return name
    }
    return hostName.flatMap(EHLOName.init(domain:)) ?? EHLOName(text: "[127.0.0.1]")
  }

  private init(text: String) {
    self.text = text
  }

  // Domain = sub-domain *("." sub-domain)                                    RFC 5321 §4.1.2
  /// A name of two labels or more, none of them empty, none of them `localhost`.
  init?(domain: String) {
    let labels = domain.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count >= 2, domain.utf8.count <= 255, labels.allSatisfy(Self.isLabel) else {
      return nil
    }
    text = domain
  }

  // address-literal = "[" ( IPv4 / "IPv6:" IPv6 ) "]"                        RFC 5321 §4.1.3
  /// An address in brackets; one with colons needs its tag.
  init?(literal: String) {
    guard literal.hasPrefix("["), literal.hasSuffix("]") else { return nil }
    var inner = literal.dropFirst().dropLast()
    let isTagged = inner.lowercased().hasPrefix("ipv6:")
    if isTagged { inner = inner.dropFirst(5) }
    guard !inner.isEmpty, inner.contains(":") == isTagged,
      inner.utf8.allSatisfy({ $0.isLetterOrDigit || ".:".utf8.contains($0) })
    else { return nil }
    text = literal
  }

  private static func isLabel(_ label: Substring.UTF8View) -> Bool {
    (1...63).contains(label.count) && label.allSatisfy { $0.isLetterOrDigit || $0 == hyphen }
      && label.first != hyphen && label.last != hyphen
      && !label.map({ $0 | 0x20 }).elementsEqual("localhost".utf8)
  }

  private static let hyphen = UInt8(ascii: "-")
}
