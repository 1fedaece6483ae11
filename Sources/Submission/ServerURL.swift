/// The URL that names a server and the EHLO name to libcurl.
///
/// The corresponding option is `CURLOPT_URL(3)`: the path of an SMTP URL is the EHLO name.
struct ServerURL: Equatable {
  let text: String

  /// `nil` when the host is neither a name nor an address, or the port is none.
  init?(
    host: String, port: Int, security: SubmissionSettings.Security, ehloName: EHLOName
  ) {
    guard let place = Self.place(host, port) else { return nil }
    let scheme = security == .implicitTLS ? "smtps" : "smtp"
    text = "\(scheme)://\(place)/\(Self.percentEncoded(ehloName.text))"
  }

  /// The URL of a server of mailboxes, without a mailbox.
  init?(_ server: SubmissionSettings.MailboxServer) {
    guard let place = Self.place(server.host, server.port) else { return nil }
    text = (server.security == .implicitTLS ? "imaps" : "imap") + "://\(place)/"
  }

  private static func place(_ host: String, _ port: Int) -> String? {
    guard let host = DomainName.inALabels(host).flatMap(urlHost), (1...65535).contains(port) else {
      return nil
    }
    return "\(host):\(port)"
  }

  // host = IP-literal / IPv4address / reg-name                               RFC 3986 §3.2.2
  /// A host name, or an address with its brackets if it is one of IPv6.
  private static func urlHost(_ host: String) -> String? {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let inner = isBracketed ? String(host.dropFirst().dropLast()) : host
    guard !inner.isEmpty, inner.utf8.count <= 255 else { return nil }
    if inner.utf8.contains(UInt8(ascii: ":")) {
      return inner.utf8.allSatisfy({ $0.isHexDigit || ":.".utf8.contains($0) })
        ? "[\(inner)]" : nil
    }
    let isName = inner.utf8.allSatisfy { $0.isLetterOrDigit || "-._".utf8.contains($0) }
    return isName && !isBracketed ? inner : nil
  }

  private static func percentEncoded(_ name: String) -> String {
    name.utf8.map { octet in
      octet.isLetterOrDigit || "-.".utf8.contains(octet)
        ? String(UnicodeScalar(octet)) : "%" + String(octet, radix: 16, uppercase: true)
    }.joined()
  }
}

extension UInt8 {
  /// Whether the octet is a hexadecimal digit.
  var isHexDigit: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
  }
}
