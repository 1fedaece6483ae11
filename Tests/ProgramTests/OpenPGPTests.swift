import Foundation
import TestSupport
import Testing

/// Notes encrypted to their owner: on the wire, in the history, and when gpg is in trouble.
@Suite struct OpenPGPTests {
  private let canary = "CANARY buy milk"

  // MARK: - When all is well

  @Test(arguments: ["future-default", "default"])
  func aNoteIsEncryptedOnTheWireAndKeptAsItWasSent(algorithm: String) throws {
    let scene = try OpenPGPScene()
    try scene.configure(try scene.keyring.makeKey(algorithm))
    try scene.sandbox.memo("-", stdin: Array("\(canary)\n.\ncaf\u{E9}\n".utf8))
    #expect(try scene.flush().status == 0)
    let accepted = try #require(try scene.server.accepted().first)
    let file = try scene.sent()
    let outer = lines(String(decoding: accepted.bytes.filter { $0 != 13 }, as: UTF8.self))
    #expect(outer.contains("Subject: [...]"))
    #expect(outer.contains("Memo-ID: \(file.identifier)"))
    let inner = try ParsedMail.parse([try scene.keyring.decrypt(accepted.bytes)])[0]
    #expect(inner.subject == canary)
    #expect(inner.text == "\(canary)\n.\ncaf\u{E9}\n")
    #expect(inner.from == [["Jane Doe", "me@test.example"]])
    // The file is the message as it was sent, with LF for CR LF.
    #expect(try file.bytes() == accepted.bytes.filter { $0 != 13 })
    #expect(try scene.holders(of: "CANARY") == [])
    try scene.sandbox.expectPrivate()
  }

  @Test func logAndShowReadASentNoteFromItsSealedOriginalElseByGPG() throws {
    let scene = try OpenPGPScene()
    try scene.configure(try scene.keyring.makeKey())
    try scene.sandbox.memo(canary)
    #expect(try scene.flush().status == 0)
    let nobody = ["GNUPGHOME": "/nonexistent", "PATH": "/nonexistent"]
    #expect(try scene.sandbox.memo("log", environment: nobody).output.contains(canary))
    #expect(try scene.sandbox.memo("show", environment: nobody).output == canary + "\n")
    try FileManager.default.removeItem(atPath: scene.sandbox.home + "/.cache/memo/sealed")
    #expect(try scene.sandbox.memo("log", environment: nobody).output.contains("(encrypted)"))
    let without = try scene.sandbox.memo("show", environment: nobody)
    #expect(without.status == 66)
    expectOneLine(without.errors, "gpg is not installed")
    let shown = try scene.sandbox.memo("show", environment: scene.keyring.environment)
    #expect(shown.output == canary + "\n")
  }

  @Test func aSignedNoteIsSignedInsideTheEncryption() throws {
    let scene = try OpenPGPScene()
    let key = try scene.keyring.makeKey()
    try scene.configure(key, "sign = yes\n")
    try scene.sandbox.memo(canary)
    #expect(try scene.flush().status == 0)
    let accepted = try #require(try scene.server.accepted().first)
    let verified = try scene.keyring.gpg(
      ["--status-fd", "2", "--decrypt"], stdin: accepted.bytes)
    #expect(verified.errors.contains("VALIDSIG \(key)"), "\(verified.errors)")
  }

  @Test func thePlainWireIsKeptEncryptedAllTheSame() throws {
    let scene = try OpenPGPScene()
    try scene.configure(try scene.keyring.makeKey(), "wire = plain\n")
    try scene.sandbox.memo(canary)
    #expect(try scene.flush().status == 0)
    let accepted = try #require(try scene.server.accepted().first)
    #expect(String(decoding: accepted.bytes, as: UTF8.self).contains(canary))
    let inner = try ParsedMail.parse([try scene.keyring.decrypt(try scene.sent().bytes())])[0]
    #expect(inner.note == canary)
  }

  @Test func aFailedNoteTellsItsReasonOutsideAndKeepsItsTextInside() throws {
    let scene = try OpenPGPScene()
    try scene.configure(try scene.keyring.makeKey())
    try scene.sandbox.memo(canary)
    try scene.server.plan("dot=550")
    #expect(try scene.flush().status == 0)
    let file = try #require(try scene.sandbox.files(in: .failed).first)
    let text = String(decoding: try file.bytes(), as: UTF8.self)
    #expect(text.contains("\nMemo-Status: rejected message 550"), "\(text)")
    #expect(text.contains("multipart/encrypted"))
    #expect(try scene.sandbox.memo("log").output.contains("550"))
    let inner = try ParsedMail.parse([try scene.keyring.decrypt(try file.bytes())])[0]
    #expect(inner.note == canary)
  }

  @Test func notesLeftSealedAreEncryptedLaterWithTheirTimeAndFlags() throws {
    let scene = try OpenPGPScene()
    try scene.sandbox.configure(scene.server.configuration())
    for number in 1...3 { try scene.sandbox.memo("\(canary) \(number)") }
    #expect(try scene.flush().status == 0)
    for (number, file) in try scene.sandbox.files(in: .sent).enumerated() {
      // As Dovecot and mbsync name them.
      let name = file.path.replacing(".vm", with: ".vm").replacing(
        ":2,S", with: ",S=1234,W=1250,U=\(number + 1):2,RS")
      try FileManager.default.moveItem(atPath: file.path, toPath: name)
      try scene.sandbox.age(StoredFile(path: name), by: 1000)
    }
    let before = try scene.sandbox.files(in: .sent)
    try scene.configure(try scene.keyring.makeKey())
    #expect(try scene.flush().status == 0)
    let after = try scene.sandbox.files(in: .sent)
    #expect(
      after.map(\.name) == before.map { $0.name.replacing(",S=1234,W=1250", with: "") })
    for file in after {
      let inner = try ParsedMail.parse([try scene.keyring.decrypt(try file.bytes())])[0]
      #expect(inner.note.hasPrefix(canary))
      let modified = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate]
      let age = -((modified as? Date)?.timeIntervalSinceNow ?? 0)
      #expect(age > 900)
    }
    #expect(try scene.sandbox.memo("log").output.contains("\(canary) 2"))
    try scene.sandbox.expectPrivate()
  }

  @Test func withProtectionNoneTheHistoryIsPlainAndWithCacheNoNothingSealedIsKept() throws {
    let scene = try OpenPGPScene()
    let key = try scene.keyring.makeKey()
    try scene.configure(key, "[history]\nprotection = none\n")
    try scene.sandbox.memo(canary)
    #expect(try scene.flush().status == 0)
    #expect(try ParsedMail.parse([try scene.sent().bytes()])[0].note == canary)
    #expect(try scene.sandbox.memo("show").output == canary + "\n")
    try scene.configure(key, "[history]\ncache = no\n")
    try scene.sandbox.memo("another")
    #expect(try scene.flush().status == 0)
    let cache = try scene.sandbox.everything(below: scene.sandbox.home + "/.cache/memo")
    #expect(cache == [])
    #expect(try scene.sandbox.memo("log", "-n", "1").output.contains("(encrypted)"))
  }

  // MARK: - Trouble

  /// What is wrong, and the words for it.
  enum Fault: String, CaseIterable {
    case missing = "is not in gpg's keyring"
    case expired = "has expired"
    case revoked = "is revoked"
    case future = "is not valid yet"
    case signOnly = "is for signing only"
    case locked = "nobody is there to unlock it"
    case notInstalled = "gpg is not installed"
    case killed = "gpg could not encrypt it"
    case tampered = "its output is no encrypted message"
  }

  /// C22, and RELIABILITY row 21.
  @Test(arguments: Fault.allCases)
  func aNoteWaitsAndNothingGoesInTheClear(fault: Fault) throws {
    let scene = try OpenPGPScene()
    var environment: [String: String] = [:]
    try scene.configure(try prepare(fault, scene, &environment))
    if fault == .locked {
      try scene.configure(try scene.makeLockedKey(), "sign = yes\n")
    }
    try scene.sandbox.memo(canary)
    let trace = scene.sandbox.root + "/trace"
    let result = try run(
      "/usr/bin/strace",
      [
        "-f", "-q", "-e", "trace=connect,execve", "-o", trace, Programs.memoSend, "flush", "--now",
      ],
      environment: scene.keyring.environment.merging(environment) { _, given in given },
      timeout: 180)
    #expect(result.errors.contains(fault.rawValue), "\(result.errors)")
    #expect(try scene.server.accepted().isEmpty)
    #expect(try scene.sandbox.counts() == [1, 0, 0])
    // Nothing is looked up on a network: there was not even a connection to the server.
    let calls = String(decoding: try scene.sandbox.content("trace"), as: UTF8.self)
    let outside = lines(calls).filter { $0.contains("connect(") && !$0.contains("AF_UNIX") }
    #expect(outside == [])
    // What would look a key up on a network is neither started nor asked.
    #expect(!calls.contains("/dirmngr") && !calls.contains("S.dirmngr"))
    let status = try scene.sandbox.memo("status")
    #expect(status.status == 1)
    #expect(status.output.contains(fault.rawValue), "\(status.output)")
    // Not counted, and sent as soon as it can be.
    #expect(try scene.sandbox.files(in: .outbox).allSatisfy { !$0.name.contains(",D=") })
    try scene.configure(try scene.keyring.makeKey())
    #expect(try scene.flush("--now").status == 0)
    #expect(try scene.sandbox.counts() == [0, 1, 0])
    #expect(try scene.holders(of: "CANARY") == [])
  }

  private func prepare(
    _ fault: Fault, _ scene: OpenPGPScene, _ environment: inout [String: String]
  ) throws -> String {
    let keyring = scene.keyring
    switch fault {
    case .missing: return String(repeating: "A1B2", count: 10)
    case .expired: return try keyring.makeKey(expire: "1d", at: "20240101T000000")
    case .future: return try keyring.makeKey(at: "20350101T000000")
    case .signOnly: return try keyring.makeKey("ed25519", usage: "sign")
    case .revoked:
      let key = try keyring.makeKey()
      let path = keyring.home + "/openpgp-revocs.d/\(key).rev"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      try keyring.gpg(
        ["--import"], stdin: Array(text.replacing(":-----BEGIN", with: "-----BEGIN").utf8))
      return key
    case .locked: return try keyring.makeKey()
    case .notInstalled:
      environment["PATH"] = "/nonexistent"
      return try keyring.makeKey()
    case .killed: return try withImpostor("kill -9 $$", scene, &environment)
    case .tampered: return try withImpostor("cat; exit 0", scene, &environment)
    }
  }

  /// Puts another program in the place of gpg for encryption.
  private func withImpostor(
    _ script: String, _ scene: OpenPGPScene, _ environment: inout [String: String]
  ) throws -> String {
    let gpg = try scene.sandbox.script(
      "gpg", "case \" $* \" in *' --encrypt '*) \(script);; esac; exec /usr/bin/gpg \"$@\"")
    _ = try scene.sandbox.script(
      "gpgconf", "/usr/bin/gpgconf \"$@\" | sed 's,/usr/bin/gpg\\b,\(gpg),'")
    environment["PATH"] = scene.sandbox.root + ":/usr/bin:/bin"
    return try scene.keyring.makeKey()
  }

  @Test func aKeyThatIsOnlyImportedIsTrustedAsItIsNamed() throws {
    let scene = try OpenPGPScene()
    let other = try Keyring(in: scene.sandbox, "h")
    let key = try other.makeKey()
    let exported = try other.gpg(["--export", key])
    try scene.keyring.gpg(["--import"], stdin: exported.stdout)
    try scene.configure(key)
    try scene.sandbox.memo(canary)
    #expect(try scene.flush().status == 0)
    let inner = try ParsedMail.parse([try other.decrypt(try scene.sent().bytes())])[0]
    #expect(inner.note == canary)
  }

  @Test func statusWarnsBeforeTheKeyExpires() throws {
    let scene = try OpenPGPScene()
    try scene.configure(try scene.keyring.makeKey(expire: "20d"))
    try scene.sandbox.memo(canary)
    #expect(try scene.flush().status == 0)
    let status = try scene.sandbox.memo("status")
    #expect(status.status == 1)
    #expect(status.output.contains("the OpenPGP key expires"), "\(status.output)")
  }

  // MARK: - Settings

  @Test(arguments: [
    ("key = 0x1234ABCD", "whole fingerprint"), ("key = me@test.example", "whole fingerprint"),
    ("wire = encrypted", "needs a 'key'"), ("sign = yes", "needs a 'key'"),
  ])
  func settingsThatCannotBeMeantAreRefused(line: String, words: String) throws {
    let sandbox = try Sandbox.quiet("[gpg]\n\(line)\n")
    try sandbox.memo(canary)
    let result = try sandbox.memo("flush")
    #expect(result.status == 78)
    expectOneLine(result.errors, words)
    #expect(try sandbox.counts() == [1, 0, 0])
  }
}
