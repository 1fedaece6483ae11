import Foundation
import TestSupport
import Testing

/// Through Postfix into a mailbox of Dovecot.
@Suite(.enabled(if: MailServer.unavailable == nil, "needs root and namespaces"))
struct DeliveryTests {
  @Test func aNoteGoesThroughBothTLSModesAndIsReadOverIMAP() throws {
    let sandbox = try Sandbox()
    let server = try MailServer(in: sandbox)
    let picture = sandbox.root + "/b\u{FC}ld.png"
    var random = SeededGenerator(seed: 4)
    let octets = random.bytes(200_000)
    try sandbox.write(octets, to: picture)
    let rest = "\n.\n.dot\n-- \nend "
    let modes = [FaultyServer.Security.starttls, .implicit]
    for mode in modes {
      try sandbox.configure(server.configuration(mode))
      let text = "\(mode) caf\u{E9}" + rest
      #expect(try sandbox.memo("-a", picture, "-", stdin: Array(text.utf8)).status == 0)
      let result = try sandbox.memo("flush", "-v")
      #expect(result.status == 0)
      #expect(result.output.hasSuffix(" sent\n"))
    }
    _ = try server.waitForDelivery(of: 2)
    #expect(try sandbox.counts() == [0, 2, 0])
    for (number, mode) in modes.enumerated() {
      let read = try ParsedMail.parse(try server.message(number + 1))
      #expect(read.subject == "\(mode) caf\u{E9}")
      #expect(read.note == "\(mode) caf\u{E9}" + rest)
      #expect(read.names == ["b\u{FC}ld.png"])
      #expect(read.content(of: 0) == octets)
      #expect(read.from == [["Jane Doe", "me@test.example"]])
      #expect(read.defects == [])
    }
    // The copy that stays is the note that went.
    let sent = try sandbox.files(in: .sent)
    #expect(sent.allSatisfy { $0.path.hasSuffix(":2,S") && $0.path.contains("/cur/") })
    for file in sent {
      let found = try server.imap("SEARCH HEADER Message-ID \(file.identifier)")
      #expect(found.split(separator: " ").count == 3, "\(found)")
    }
    #expect(try sandbox.opened(sent[0]).count > 200_000)
    try sandbox.expectPrivate()
  }

  @Test func aMessageTooLargeForTheServerFails() throws {
    let sandbox = try Sandbox()
    let server = try MailServer(in: sandbox, sizeLimit: 20000)
    try sandbox.configure(server.configuration())
    let large = String(repeating: "0123456789 ", count: 4000)
    try sandbox.memo("-", stdin: Array(large.utf8))
    try sandbox.memo("small")
    let result = try sandbox.memo("flush")
    #expect(result.status == 0)
    expectOneLine(result.errors, "552")
    #expect(try sandbox.counts() == [0, 1, 1])
    #expect(try server.waitForDelivery(of: 1).count == 1)
  }

  @Test func aWrongPasswordPausesTheAccount() throws {
    let sandbox = try Sandbox()
    let server = try MailServer(in: sandbox)
    try sandbox.configure(
      server.configuration(.implicit).replacing(
        "password-command = echo ", with: "password-command = echo not-"))
    try sandbox.memo("buy milk")
    let result = try sandbox.memo("flush")
    #expect(result.status == 77)
    #expect(result.errors.contains("535"))
    #expect(try sandbox.counts() == [1, 0, 0])
    try sandbox.configure(server.configuration(.implicit))
    #expect(try sandbox.memo("flush", "--now").status == 0)
    #expect(try sandbox.counts() == [0, 1, 0])
  }
}
