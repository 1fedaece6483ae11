import Foundation
import MessageFormat
import Posix
import TestSupport
import Testing

@testable import PGPMIME

/// gpg as gpgme finds it, with a keyring of the test's own.
@Suite(.serialized) struct EncryptorTests {
  private let sandbox: Sandbox
  private let keyring: Keyring

  init() throws {
    sandbox = try Sandbox()
    keyring = try Keyring(in: sandbox)
  }

  private func message(_ text: String) throws -> Message {
    try Message(
      parsing: Array(
        """
        Date: Mon, 30 Nov 2026 21:00:00 +0000
        From: me@example.org
        Message-ID: <1@example.org>
        Subject: secret
        Content-Type: text/plain; charset=utf-8

        \(text)

        """.utf8))
  }

  private func encryptor(_ key: String, timeoutSeconds: Int = 30) throws -> Encryptor {
    try Encryptor(
      to: key, isAttended: false, timeoutSeconds: timeoutSeconds, keyringHome: keyring.home)
  }

  private var now: Int64 { Clock.system.seconds }

  @Test func aMessageIsEncryptedAndItsHeaderProtected() throws {
    let key = try keyring.makeKey()
    let encryptor = try encryptor(key)
    let encrypted = try encryptor.encrypt(try message("buy milk"), isSigned: false, now: now)
    #expect(encrypted.isOpenPGP)
    #expect(encrypted.subject == "[...]")
    let armor = try #require(encrypted.openPGPArmor)
    let inside = try Message(parsing: try keyring.decrypt(armor))
    #expect(inside.isHeaderProtected)
    #expect(inside.subject == "secret")
    #expect(inside.header.all(named: "HP-Outer").count == 4)
    #expect(inside.unprotected() == (try message("buy milk")))
    #expect(ArmoredMessage(armor)?.isEncrypted == true)
  }

  /// C22: whoever names a key by its fingerprint trusts it, whatever gpg knows of whose it is.
  @Test func aKeyOfUnknownValidityThatIsNamedByItsFingerprintEncrypts() throws {
    let owner = try Keyring(in: sandbox, "o")
    let key = try owner.makeKey()
    try keyring.gpg(["--import"], stdin: try owner.gpg(["--export", key]).stdout)
    #expect(try keyring.gpg(["--with-colons", "--list-keys", key]).output.contains("\npub:-:"))
    let encryptor = try encryptor(key)
    let encrypted = try encryptor.encrypt(try message("buy milk"), isSigned: false, now: now)
    let inside = try owner.decrypt(try #require(encrypted.openPGPArmor))
    #expect(String(decoding: inside, as: UTF8.self).contains("buy milk"))
  }

  @Test(.timeLimit(.minutes(1))) func anAgentThatHangsIsGivenUpAndItsGPGEnded() throws {
    let key = try keyring.makeKey()
    let agent = try keyring.agentProcess()
    kill(agent, SIGSTOP)
    defer { kill(agent, SIGCONT) }
    let encryptor = try encryptor(key, timeoutSeconds: 1)
    let start = ContinuousClock.now
    #expect(throws: OpenPGPFailure.timedOut(seconds: 1)) {
      try encryptor.encrypt(try message("buy milk"), isSigned: true, now: now)
    }
    #expect(ContinuousClock.now - start < .seconds(20))
    try wait(for: "the end of gpg") { try gpgs(key).isEmpty }
    // Without a signature no agent is asked, and the same context still works.
    #expect(try encryptor.encrypt(try message("b"), isSigned: false, now: now).isOpenPGP)
  }

  @Test func manyMessagesTakeOneContext() throws {
    let encryptor = try encryptor(try keyring.makeKey())
    for number in 0..<20 {
      let encrypted = try encryptor.encrypt(
        try message("number \(number)"), isSigned: false, now: now)
      let inside = try keyring.decrypt(try #require(encrypted.openPGPArmor))
      #expect(String(decoding: inside, as: UTF8.self).contains("number \(number)"))
    }
  }

  @Test func aLargeMessageGoesThroughThePipes() throws {
    let encryptor = try encryptor(try keyring.makeKey(), timeoutSeconds: 60)
    var random = SeededGenerator(seed: 21)
    let text = Data(random.bytes(3_000_000)).base64EncodedString(options: .lineLength76Characters)
    let encrypted = try encryptor.encrypt(try message(text), isSigned: false, now: now)
    let inside = try keyring.decrypt(try #require(encrypted.openPGPArmor))
    #expect(inside.count > 4_000_000)
  }

  @Test func whatIsCutOrChangedIsNoEncryptedMessage() throws {
    let encryptor = try encryptor(try keyring.makeKey())
    let encrypted = try encryptor.encrypt(try message("buy milk"), isSigned: false, now: now)
    let armor = try #require(encrypted.openPGPArmor)
    for count in stride(from: 0, to: armor.count - 2, by: 7) {
      #expect(ArmoredMessage(Array(armor.prefix(count))) == nil)
    }
    let signed = try keyring.gpg(["--armor", "--sign"], stdin: Array("buy milk".utf8))
    #expect(ArmoredMessage(signed.stdout)?.isEncrypted == false)
    let symmetric = try keyring.gpg(
      ["--armor", "--pinentry-mode", "loopback", "--passphrase", "x", "--symmetric"],
      stdin: Array("buy milk".utf8))
    #expect(ArmoredMessage(symmetric.stdout)?.isEncrypted == false)
  }

  /// The gpg processes that sign for this test's key.
  private func gpgs(_ key: String) throws -> [String] {
    let result = try run("/bin/ps", ["-e", "-o", "stat=,args="])
    return result.output.split(separator: "\n").map(String.init)
      .filter { $0.contains(key) && !$0.hasPrefix("Z") && !$0.contains("quick-gen-key") }
  }
}
