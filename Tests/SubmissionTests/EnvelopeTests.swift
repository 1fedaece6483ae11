import Testing

@testable import Submission

/// What goes into commands and the URL.
@Suite struct EnvelopeTests {
  @Test(arguments: [
    "me@example.org", "a.b+c@sub.example.org", "o'neil=x@example.org", "a@b", "me@[192.0.2.1]",
    "me@[IPv6:2001:db8::1]", "a..b@example.org",
    String(repeating: "a", count: 64) + "@example.org",
  ])
  func anAddressIsTaken(_ text: String) {
    #expect(EnvelopeAddress(text)?.text == text)
  }

  @Test(arguments: [
    "", "@", "me", "me@", "@example.org", "a@b@c", "Me <me@example.org>", "me @example.org",
    "me@example.org>", "me@example.org\r\nRCPT TO:<you@example.org>", "me@example.org\n",
    "m\re@example.org", "me@exam\0ple.org", "me@example.org\u{7F}",
    "me@exämple.org.", "me@example.org\u{85}", "m\u{A0}e@example.org", "m\u{85}e@example.org",
    "m\u{2028}@example.org", "m\u{202E}e@example.org", "me@ex\u{2100}mple.org", "me@💩.example",
    "mü@\u{301}example.org", "me@ä\r\nRCPT", "ü\r\nRCPT TO:<you@example.org",
    String(repeating: "ü", count: 33) + "@example.org", "me@.example.org", "me@example.org.",
    "me@exa(mple.org", String(repeating: "a", count: 65) + "@example.org",
    "a@" + String(repeating: "b", count: 255),
  ])
  func anAddressIsRefused(_ text: String) {
    #expect(EnvelopeAddress(text) == nil)
  }

  /// C10.
  @Test(
    arguments: [
      ("mail.example.org", "vm", "mail.example.org"), ("[192.0.2.1]", nil, "[192.0.2.1]"),
      ("[IPv6:::1]", nil, "[IPv6:::1]"), (nil, "vm.example.org", "vm.example.org"),
      (nil, "vm", "[127.0.0.1]"), (nil, "my_host.example.org", "[127.0.0.1]"),
      (nil, "localhost", "[127.0.0.1]"), (nil, "localhost.localdomain", "[127.0.0.1]"),
      ("localhost", "vm.example.org", "vm.example.org"), ("[::1]", nil, "[127.0.0.1]"),
      ("my_host", nil, "[127.0.0.1]"), ("a b.c", nil, "[127.0.0.1]"), (nil, "a..b", "[127.0.0.1]"),
      (nil, "a.b\r\nMAIL", "[127.0.0.1]"), (nil, nil, "[127.0.0.1]"), ("", "", "[127.0.0.1]"),
    ] as [(String?, String?, String)])
  func theEHLONameIsDottedOrALiteral(configured: String?, hostName: String?, expected: String) {
    #expect(EHLOName.choose(configured: configured, hostName: hostName).text == expected)
  }

  @Test(arguments: [
    ("mail.example.org", "smtp://mail.example.org:587/%5B127.0.0.1%5D"),
    ("192.0.2.1", "smtp://192.0.2.1:587/%5B127.0.0.1%5D"),
    ("bücher.example", "smtp://xn--bcher-kva.example:587/%5B127.0.0.1%5D"),
    ("::1", "smtp://[::1]:587/%5B127.0.0.1%5D"), ("[::1]", "smtp://[::1]:587/%5B127.0.0.1%5D"),
  ])
  func aServerHasAURL(host: String, url: String) {
    let name = EHLOName.choose(configured: nil, hostName: nil)
    #expect(ServerURL(host: host, port: 587, security: .startTLS, ehloName: name)?.text == url)
  }

  @Test(arguments: [
    "", "a b", "a/b", "a@b", "a?b", "a#b", "a%41", "[a]", "::1%eth0", "a\r\n", "exämple .org",
    "[ä]", "ä/b.org", "[]",
  ])
  func aHostIsRefused(_ host: String) {
    let name = EHLOName.choose(configured: nil, hostName: nil)
    #expect(ServerURL(host: host, port: 587, security: .startTLS, ehloName: name) == nil)
  }
}
