import TestSupport
import Testing

@testable import Configuration

@Suite struct ServerAddressTests {
  @Test(arguments: [
    ("smtps://mail.example.org", ServerAddress.Security.implicitTLS, "mail.example.org", 465),
    ("smtp://mail.example.org", .startTLS, "mail.example.org", 587),
    ("smtp://mail.example.org:2587", .startTLS, "mail.example.org", 2587),
    ("smtps://localhost:1", .implicitTLS, "localhost", 1),
    ("smtps://127.0.0.1:65535", .implicitTLS, "127.0.0.1", 65535),
    ("smtps://[::1]:465", .implicitTLS, "::1", 465),
    ("smtp://[::1]", .startTLS, "::1", 587),
    ("smtp://::1", .startTLS, "::1", 587),  // C10: both spellings
    ("smtp://[2001:db8::25]:2525", .startTLS, "2001:db8::25", 2525),
    ("smtp://[::ffff:192.0.2.1]", .startTLS, "::ffff:192.0.2.1", 587),
    ("SMTPS://Mail.Example.Org", .implicitTLS, "Mail.Example.Org", 465),
    ("smtp://xn--mller-kva.example", .startTLS, "xn--mller-kva.example", 587),
    ("smtps://müller.example:1", .implicitTLS, "müller.example", 1),
    ("smtp://例え.テスト", .startTLS, "例え.テスト", 587),
  ])
  func anAddressIsRead(
    text: String, security: ServerAddress.Security, host: String, port: Int
  ) throws {
    let address = try #require(ServerAddress(text, for: .submission))
    #expect(address == ServerAddress(.submission, security, host: host, port: port))
    #expect(ServerAddress(address.description, for: .submission) == address)
  }

  @Test(arguments: [
    ("imaps://a.example", "imaps://a.example", 993), ("imap://a:1143", "imap://a:1143", 1143),
    ("imap://[::1]:143", "imap://[::1]", 143),
  ])
  func anIMAPAddressIsRead(text: String, description: String, port: Int) {
    let address = ServerAddress(text, for: .imap)
    #expect(address?.port == port)
    #expect(address?.description == description)
    #expect(ServerAddress(text, for: .submission) == nil)
  }

  @Test(arguments: [
    "", "smtp", "smtp:", "smtp://", "smtps:/mail.example.org", "mail.example.org:465",
    "smtp://:587", "smtp://a:", "smtp://a:0", "smtp://a:65536", "smtp://a:+1", "smtp://a:1x",
    "smtp://a:99999999999999999999", "smtp://a/", "smtp://a/x", "smtp://me@a", "smtp://me:pw@a",
    "smtp://a b", "smtp://a..b", "smtp://.a", "smtp://a.", "smtp://-a", "smtp://a-", "smtp://a_b",
    "smtp://mü.", "smtp://mü..example", "smtp://-mü", "smtp://m_ü", "smtp://mü/x", "smtp://[::1",
    "smtp://::1]", "smtp://[]", "smtp://[a]",
    "smtp://[1.2.3.4]",
    "smtp://[::1]x", "smtp://[::1]587", "smtp://[::1]:", "smtp://[fe80::1%25eth0]",
    "smtp://[::1]:0",
    "smtp://[1:2:3:4:5:6:7]", "smtp://[1:2:3:4:5:6:7:8:9]", "smtp://[1::2::3]", "smtp://[:::1]",
    "smtp://[12345::]", "smtp://[::1.2.3]", "smtp://[::256.1.1.1]", "smtp://[1.2.3.4::]",
    "smtp://[1:2:3:4:5:6:7::8]", "http://a", "smtp://a\u{0}b",
  ])
  func whatIsNoAddressIsRefused(text: String) {
    #expect(ServerAddress(text, for: .submission) == nil)
  }

  @Test(arguments: [
    "::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::8",
    "1:2:3:4:5:6:1.2.3.4", "fe80::dead:BEEF",
  ])
  func addressesOfIPv6AreKnown(text: String) {
    #expect(HostSyntax.isIPv6(text.octets))
  }

  // RFC 1035 §2.3.4.
  @Test func namesAreNotTooLong() {
    let label = String(repeating: "a", count: 63)
    #expect(HostSyntax.isDomain(label.octets))
    #expect(!HostSyntax.isDomain("\(label)a".octets))
    let name = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
    #expect(HostSyntax.isDomain(name.octets))
    #expect(!HostSyntax.isDomain("\(name)b".octets))
  }

  // C10.
  @Test(arguments: ["host.example.org", "vm", "[127.0.0.1]", "[IPv6:::1]", "[IPv6:2001:db8::1]"])
  func whatMayGreetIsTaken(text: String) {
    #expect(HostSyntax.isEHLOName(text.octets))
  }
}

extension String {
  /// The UTF-8 of the text, as the readers of values take it.
  var octets: ArraySlice<UInt8> { Array(utf8)[...] }
}
