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

  // What stands outside an encrypted message is enough to find it by.
  @Test func anEncryptedNoteThatArrivedIsFoundInTheMailboxAndNotSentAgain() throws {
    let sandbox = try Sandbox()
    let server = try MailServer(in: sandbox)
    let keyring = try Keyring(in: sandbox)
    try sandbox.configure(
      server.configuration().replacing(
        "[account]\n", with: "[account]\nimap = imap://localhost:\(server.imapPort(.starttls))\n")
        + "[gpg]\nkey = \(try keyring.makeKey())\n")
    try sandbox.memo("buy milk")
    let flush = { (arguments: [String]) throws in
      try run(Programs.memoSend, ["flush"] + arguments, environment: keyring.environment)
    }
    #expect(try flush([]).status == 0)
    #expect(try server.waitForDelivery(of: 1).count == 1)
    // As if the answer had been lost.
    let sent = try #require(try sandbox.files(in: .sent).first)
    let sealed = try sandbox.content("home/.cache/memo/sealed/" + sent.identifier)
    try FileManager.default.removeItem(atPath: sent.path)
    let name = sent.name.replacing(":2,S", with: ",A=1:2,")
    try sandbox.write(sealed, to: sandbox.path(of: .outbox) + "/cur/" + name)
    #expect(try flush(["--now"]).status == 0)
    #expect(try sandbox.counts() == [0, 1, 0])
    #expect(try server.delivered().count == 1)
    let kept = String(decoding: try sandbox.files(in: .sent)[0].bytes(), as: UTF8.self)
    #expect(kept.contains("multipart/encrypted"))
  }
}
