import MessageFormat
import Testing

@Suite struct MailboxTests {
  // Case C09.
  @Test(arguments: [
    "Doe, Jane", "Jane \"JD\" Doe", "Support (Billing)", "a@b", "back\\slash", "x;y:z",
    "Müller, Jörg",
  ])
  func caseC09NamesComeBack(name: String) throws {
    let configured = try Mailbox(parsing: name + " <me@example.org>")
    #expect(configured.displayName == name)
    #expect(configured.address == "me@example.org")
    #expect(try Mailbox(parsing: configured.headerText) == configured)
    #expect(configured.headerText.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test(arguments: [
    ("Jane Doe", "Jane Doe <me@example.org>"), ("J. Doe", "\"J. Doe\" <me@example.org>"),
    ("Doe, Jane", "\"Doe, Jane\" <me@example.org>"),
    ("a\"b\\c", "\"a\\\"b\\\\c\" <me@example.org>"),
    ("Müller, Jörg", "=?utf-8?q?M=C3=BCller=2C_J=C3=B6rg?= <me@example.org>"),
    ("two  blanks", "\"two  blanks\" <me@example.org>"),
    ("=?utf-8?q?x?=", "=?utf-8?q?=3D=3Futf-8=3Fq=3Fx=3F=3D?= <me@example.org>"),
  ])
  func namesAreWrittenInTheLeastWay(name: String, text: String) throws {
    let mailbox = try Mailbox(displayName: name, address: "me@example.org")
    #expect(mailbox.headerText == text)
    #expect(try Mailbox(parsing: text) == mailbox)
  }

  // RFC 5322 appendix A.1, A.5 and RFC 2047 §8, as far as they are one mailbox.
  @Test(
    arguments: [
      ("me@example.org", nil, "me@example.org"), (" <me@example.org> ", nil, "me@example.org"),
      (
        "\"Joe Q. Public\" <john.q.public@example.com>", "Joe Q. Public",
        "john.q.public@example.com"
      ),
      ("Who? <one@y.test>", "Who?", "one@y.test"),
      (
        "\"Giant; \\\"Big\\\" Box\" <sysservices@example.net>", "Giant; \"Big\" Box",
        "sysservices@example.net"
      ),
      (
        "=?ISO-8859-1?Q?Patrik_F=E4ltstr=F6m?= <paf@example.org>", "Patrik Fältström",
        "paf@example.org"
      ),
      ("me@example.org (work)", nil, "me@example.org"),
      ("(my (own)) me@example.org", nil, "me@example.org"),
      ("Jane <me@example.org> (work)", "Jane", "me@example.org"),
      ("\"a b\"@example.org", nil, "\"a b\"@example.org"),
      ("me@[127.0.0.1]", nil, "me@[127.0.0.1]"),
      ("me+tag@localhost", nil, "me+tag@localhost"),
      ("J <\"<x>\"@example.org>", "J", "\"<x>\"@example.org"),
    ] as [(String, String?, String)])
  func readsOneMailbox(text: String, name: String?, address: String) throws {
    let mailbox = try Mailbox(parsing: text)
    #expect(mailbox.displayName == name)
    #expect(mailbox.address == address)
  }

  @Test(
    arguments: [
      ("", .empty), (" \t", .empty), ("(x)", .empty), ("<>", .empty), ("me", .malformedAddress),
      ("me@", .malformedAddress), ("@example.org", .malformedAddress),
      ("a b@example.org", .malformedAddress),
      ("me@exam ple.org", .malformedAddress), (".me@example.org", .malformedAddress),
      ("me@example..org", .malformedAddress), ("me@example.org.", .malformedAddress),
      ("me@-example.org", .malformedAddress), ("Jane <me@example.org", .malformedAddress),
      ("\"a\"b\"@example.org", .malformedAddress), ("me@example.org>", .malformedAddress),
      ("a@example.org, b@example.org", .several), ("a@example.org, B <b@example.org>", .several),
      ("A <a@example.org>, B <b@example.org>", .several),
      ("\"A\" <a@example.org>, \"B\" <b@example.org>", .several),
      ("me@example.org\r\nBcc: x@example.net", .controlCharacter),
      ("J\n <me@example.org>", .controlCharacter),
      ("J\0 <me@example.org>", .controlCharacter), ("<me@example.org\r>", .controlCharacter),
      ("jörg@example.org", .localPartNotASCII), ("me@münchen.example", .domainNotASCII),
      (String(repeating: "a", count: 65) + "@example.org", .tooLong),
    ] as [(String, MailboxError)])
  func whatIsNotOneMailboxIsRefused(text: String, error: MailboxError) {
    #expect(throws: error) { try Mailbox(parsing: text) }
  }

  @Test func randomNamesComeBackThroughAField() throws {
    var random = SeededRandom(seed: 6)
    for _ in 0..<500 {
      let name = SampleText.words.filter {
        $0.utf8.allSatisfy { $0 >= 0x20 } && $0 != "\u{2028}" && $0 != "\u{85}"
      }
      let text = (0..<random.below(9)).map { _ in random.pick(name) }.joined(separator: " ")
      let mailbox = try Mailbox(displayName: text, address: "me@example.org")
      let field = HeaderField("From", mailbox)
      #expect(try Mailbox(parsing: String(decoding: field.body, as: UTF8.self)) == mailbox)
    }
  }
}
