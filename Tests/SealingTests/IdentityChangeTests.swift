import Foundation
import Posix
import TestSupport
import Testing

@testable import Sealing

/// Passphrases and new keys in the identity's folder.
@Suite final class IdentityChangeTests {
  let sandbox: Sandbox
  var folder: String { sandbox.root + "/data/identity" }

  init() throws {
    sandbox = try Sandbox()
    _ = try seal([0])
  }

  private func seal(_ content: [UInt8]) throws -> [UInt8] {
    try IdentityFolder(folder).recipient(
      keyIsElsewhere: false, now: 1_700_000_000, random: .system
    ).seal(content)
  }

  private func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }

  private func source(_ passphrase: String?) -> PassphraseSource {
    PassphraseSource(
      command: passphrase.map { "echo '\($0)'" },
      environment: ProcessEnvironment(["PATH": "/usr/bin:/bin"]), question: nil)
  }

  private func open(_ sealed: [UInt8], _ passphrase: String? = nil) throws -> [UInt8] {
    try IdentityFolder(folder).opener(source(passphrase)).open(sealed)
  }

  private func protect(from old: String?, to new: String?) throws -> [String] {
    let identity = try IdentityFolder(folder)
    let change = try identity.beginChange()
    let key = try identity.unlocked(source(old))
    guard let new else { return try identity.protect(change, key, under: nil) }
    return try identity.protect(change, key, under: secret(new))
  }

  private func rotate(_ passphrase: String? = nil) throws {
    let identity = try IdentityFolder(folder)
    let change = try identity.beginChange()
    try identity.rotate(change, try identity.unlocked(source(passphrase)), now: 1_700_000_001)
  }

  private func locked(_ pem: [UInt8], under passphrase: String) throws -> [UInt8] {
    let key = try UnlockedKey(SecretBytes(copying: pem.span))
    return try key.pem(under: secret(passphrase)).copy()
  }

  private func removeOldKeys() throws {
    let identity = try IdentityFolder(folder)
    let change = try identity.beginChange()
    for name in try identity.oldKeyNames() { try identity.removeOldKey(change, name) }
  }

  private func failure(_ body: () throws -> Void) -> IdentityFolder.Failure? {
    do {
      try body()
      return nil
    } catch {
      return error as? IdentityFolder.Failure
    }
  }

  @Test func aPassphraseIsSetChangedAndRemoved() throws {
    let sealed = try seal([1])
    #expect(try protect(from: nil, to: "one") == [])
    #expect(try open(sealed, "one") == [1])
    #expect(try IdentityFolder(folder).isLocked())
    #expect(
      failure { _ = try self.open(sealed) } == .unusable(path: folder + "/key.pem", .keyLocked))
    #expect(failure { _ = try self.open(sealed, "two") } == .passphrase(.commandWrong))
    // Sealing needs none.
    let later = try seal([2])
    #expect(try protect(from: "one", to: "two") == [])
    #expect(try open(sealed, "two") == [1] && open(later, "two") == [2])
    #expect(try protect(from: "two", to: nil) == [])
    #expect(try open(sealed) == [1])
    #expect(try sandbox.files(below: "data/identity") == [".lock", "certificate.pem", "key.pem"])
    #expect(try sandbox.mode("data/identity/key.pem") == 0o600)
  }

  @Test func anOldKeyOpensWhatWasSealedToIt() throws {
    let first = try seal([1])
    try rotate()
    let second = try seal([2])
    try rotate()
    let third = try seal([3])
    #expect(try open(first) == [1] && open(second) == [2] && open(third) == [3])
    #expect(try IdentityFolder(folder).oldKeyNames().count == 2)
    let own = try IdentityFolder(folder).description()
    #expect(own.key == .plain && !own.oldKeys.contains(own.keyIdentifier ?? ""))
    #expect(own.made == 1_700_000_001)
  }

  @Test func oldKeysGetTheSamePassphrase() throws {
    let first = try seal([1])
    _ = try protect(from: nil, to: "one")
    try rotate("one")
    let second = try seal([2])
    #expect(try open(first, "one") == [1] && open(second, "one") == [2])
    #expect(try protect(from: "one", to: "two") == [])
    #expect(try open(first, "two") == [1] && open(second, "two") == [2])
    for name in try IdentityFolder(folder).oldKeyNames() {
      let pem = try sandbox.content("data/identity/old/\(name).pem")
      #expect(throws: SealingError.keyLocked) { _ = try Keyholder(key: pem) }
    }
  }

  /// A change that was broken off between an old key and key.pem is finished by the next one.
  @Test func aBrokenOffChangeIsFinishedByTheNext() throws {
    let first = try seal([1])
    _ = try protect(from: nil, to: "one")
    try rotate("one")
    let before = try sandbox.content("data/identity/key.pem")
    _ = try protect(from: "one", to: "two")
    try sandbox.write(before, to: folder + "/key.pem")
    try sandbox.write(Array("half".utf8), to: folder + "/.unfinished")
    #expect(try protect(from: "one", to: "two") == [])
    #expect(try open(first, "two") == [1])
    #expect(!FileManager.default.fileExists(atPath: folder + "/.unfinished"))
  }

  /// One that has a third passphrase stays as it is, and is named.
  @Test func anOldKeyOfAnotherPassphraseIsLeft() throws {
    try rotate()
    let name = try #require(try IdentityFolder(folder).oldKeyNames().first)
    let path = "data/identity/old/\(name).pem"
    let third = try locked(try sandbox.content(path), under: "third")
    try sandbox.write(third, to: sandbox.root + "/" + path)
    #expect(try protect(from: nil, to: "one") == [name])
    #expect(try sandbox.content(path) == third)
  }

  /// Killed between the new key and its certificate: notes are sealed to the key before.
  @Test func aRotationWithoutItsCertificateWorksAndIsFinished() throws {
    let first = try seal([1])
    let certificate = try sandbox.content("data/identity/certificate.pem")
    try rotate()
    try sandbox.write(certificate, to: folder + "/certificate.pem")
    let between = try seal([2])
    #expect(try open(first) == [1] && open(between) == [2])
    let key = try sandbox.content("data/identity/key.pem")
    try rotate()
    #expect(try sandbox.content("data/identity/key.pem") == key)
    #expect(try sandbox.content("data/identity/certificate.pem") != certificate)
    let last = try seal([3])
    #expect(try open(first) == [1] && open(between) == [2] && open(last) == [3])
    #expect(try Keyholder(key: key).open(last) == [3])
  }

  @Test func aStrangersCertificateIsNotRotatedAway() throws {
    try sandbox.write(try Identity().certificate, to: folder + "/certificate.pem")
    #expect(
      failure { try self.rotate() }
        == .unusable(path: folder + "/certificate.pem", .keyDoesNotMatch))
  }

  @Test func onlyOneChangesItAtATime() throws {
    let failure = try whileChanging { self.failure { try self.rotate() } }
    #expect(failure == .busy(path: folder))
    try rotate()
  }

  private func whileChanging<Result>(_ body: () throws -> Result) throws -> Result {
    let identity = try IdentityFolder(folder)
    let change = try identity.beginChange()
    let result = try body()
    try identity.rotate(change, try identity.unlocked(.none), now: 0)
    return result
  }

  @Test func anOldKeyThatIsRemovedOpensNothingMore() throws {
    let first = try seal([1])
    try rotate()
    try removeOldKeys()
    #expect(throws: SealingError.otherRecipient) { _ = try self.open(first) }
    #expect(try sandbox.files(below: "data/identity/old") == [])
  }
}
