/// Where a server is found, and how TLS is begun with it.
public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
  /// How TLS is begun; without it nothing is ever said to a server.
  public enum Security: String, Sendable {
    /// TLS from the first octet on. RFC 8314 §3.
    case implicitTLS
    /// STARTTLS, required. RFC 3207.
    case startTLS
  }

  /// What is spoken with the server.
  public enum Service: Sendable {
    /// Message submission. RFC 6409.
    case submission
    /// Reading mail. RFC 9051.
    case imap
  }

  /// What is spoken.
  public let service: Service
  /// How TLS is begun.
  public let security: Security
  /// A domain name, which may have U-labels, or an address; one of IPv6 without its brackets.
  public let host: String
  /// The port, 1 to 65535.
  public let port: Int

  /// Whether the host is an IPv6 address, to be put in brackets.
  public var isIPv6: Bool { host.utf8.contains(UInt8(ascii: ":")) }

  /// An address of known parts.
  public init(_ service: Service, _ security: Security, host: String, port: Int) {
    self.service = service
    self.security = security
    self.host = host
    self.port = port
  }

  // address = scheme "://" host [":" port]
  // host    = domain / IPv4 / "[" IPv6 "]" / IPv6, the last without a port
  /// Reads `smtps://mail.example.org`, `smtp://[::1]:2525` and their like.
  ///
  /// A user, a path or a missing scheme make it none.
  public init?(_ text: String, for service: Service) {
    guard let (security, rest) = Self.security(of: Array(text.utf8)[...], for: service) else {
      return nil
    }
    guard let (host, port) = Self.hostAndPort(rest) else { return nil }
    self.init(
      service, security, host: host, port: port ?? Self.defaultPort(service, security))
  }

  /// The form that reads back as the same address.
  public var description: String {
    let scheme = Self.scheme(service, security)
    let port = port == Self.defaultPort(service, security) ? "" : ":\(port)"
    return "\(scheme)://\(isIPv6 ? "[\(host)]" : host)\(port)"
  }
}

// MARK: - Schemes and ports

extension ServerAddress {
  private static func scheme(_ service: Service, _ security: Security) -> String {
    switch (service, security) {
    case (.submission, .implicitTLS): "smtps"
    case (.submission, .startTLS): "smtp"
    case (.imap, .implicitTLS): "imaps"
    case (.imap, .startTLS): "imap"
    }
  }

  /// RFC 8314 §7.3, RFC 6409 §3.1, RFC 9051 §2.1.
  private static func defaultPort(_ service: Service, _ security: Security) -> Int {
    switch (service, security) {
    case (.submission, .implicitTLS): 465
    case (.submission, .startTLS): 587
    case (.imap, .implicitTLS): 993
    case (.imap, .startTLS): 143
    }
  }

  private static func security(
    of text: ArraySlice<UInt8>, for service: Service
  ) -> (Security, ArraySlice<UInt8>)? {
    for security in [Security.implicitTLS, .startTLS] {
      let prefix = scheme(service, security) + "://"
      // Schemes are of either case. RFC 3986 §3.1.
      if text.prefix(prefix.utf8.count).elementsEqual(prefix.utf8, by: { $0 | 0x20 == $1 | 0x20 }) {
        return (security, text.dropFirst(prefix.utf8.count))
      }
    }
    return nil
  }
}

// MARK: - Host and port

extension ServerAddress {
  private static func hostAndPort(_ text: ArraySlice<UInt8>) -> (String, Int?)? {
    if text.first == UInt8(ascii: "[") { return bracketed(text.dropFirst()) }
    if HostSyntax.isIPv6(text) { return (String(decoding: text, as: UTF8.self), nil) }
    let host = text.prefix { $0 != UInt8(ascii: ":") }
    guard HostSyntax.isInternationalDomain(host) else { return nil }
    return withPort(host, text[host.endIndex...])
  }

  private static func bracketed(_ text: ArraySlice<UInt8>) -> (String, Int?)? {
    guard let end = text.firstIndex(of: UInt8(ascii: "]")), HostSyntax.isIPv6(text[..<end]) else {
      return nil
    }
    return withPort(text[..<end], text[end...].dropFirst())
  }

  private static func withPort(
    _ host: ArraySlice<UInt8>, _ rest: ArraySlice<UInt8>
  ) -> (String, Int?)? {
    let name = String(decoding: host, as: UTF8.self)
    if rest.isEmpty { return (name, nil) }
    guard rest.first == UInt8(ascii: ":"), let port = Int(digits: rest.dropFirst()),
      (1...65535).contains(port)
    else { return nil }
    return (name, port)
  }
}
