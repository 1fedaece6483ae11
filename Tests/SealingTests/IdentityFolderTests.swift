import Foundation
import Posix
import Synchronization
import TestSupport
import Testing

@testable import Sealing

// DESIGN §4, "Identity": the certificate's link is the commit.
@Suite final class IdentityFolderTests {
  let sandbox: Sandbox
  var folder: String { sandbox.root + "/data/identity" }
  private var key: String { folder + "/key.pem" }
  private var certificate: String { folder + "/certificate.pem" }

  init() throws { sandbox = try Sandbox() }

  /// Seals a text to the identity, made where there is none.
  private func seal(
    _ text: String = "x", keyIsElsewhere: Bool = false, random: Randomness = .system
  ) throws(IdentityFolder.Failure) -> [UInt8] {
    let recipient = try IdentityFolder(folder).recipient(
      keyIsElsewhere: keyIsElsewhere, now: 1_700_000_000, random: random)
    do throws(SealingError) {
      return try recipient.seal(Array(text.utf8))
    } catch {
      throw .unusable(path: "", error)
    }
  }

  private func open(_ sealed: [UInt8]) throws -> String {
    String(decoding: try IdentityFolder(folder).opener().open(sealed), as: UTF8.self)
  }

  /// Why the identity gives no recipient, or no opener.
  private func failure(_ body: () throws(IdentityFolder.Failure) -> Void) -> IdentityFolder.Failure?
  {
    do throws(IdentityFolder.Failure) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test func theFirstCaptureMakesAnIdentityThatOpensItsNote() throws {
    #expect(try IdentityFolder(folder).exists() == false)
    let sealed = try seal("first")
    #expect(try open(sealed) == "first")
    #expect(try IdentityFolder(folder).exists() == true)
    #expect(try sandbox.files(below: "data/identity") == ["certificate.pem", "key.pem"])
    #expect(try sandbox.mode("data/identity") == 0o700)
    #expect(try sandbox.mode("data/identity/key.pem") == 0o600)
    #expect(try sandbox.mode("data/identity/certificate.pem") == 0o600)
  }

  @Test func laterCapturesUseTheSameIdentity() throws {
    let first = try seal("first")
    let files = try ["key", "certificate"].map { try sandbox.content("data/identity/\($0).pem") }
    let second = try seal("second")
    #expect(try open(first) == "first" && open(second) == "second")
    #expect(
      try ["key", "certificate"].map { try sandbox.content("data/identity/\($0).pem") } == files)
  }

  // RELIABILITY row 1: killed between the key's link and the certificate's.
  @Test func aKeyThatACrashLeftAloneGetsItsCertificate() throws {
    let first = try seal("first")
    let bytes = try sandbox.content("data/identity/key.pem")
    try sandbox.remove("data/identity/certificate.pem")
    try sandbox.write(Array("half".utf8), to: folder + "/.certificate.pem.0123")
    let second = try seal("second")
    #expect(try sandbox.content("data/identity/key.pem") == bytes)
    #expect(try open(first) == "first" && open(second) == "second")
  }

  @Test func aMissingKeyIsToldBeforeANoteIsSealedForIt() throws {
    _ = try seal()
    try sandbox.remove("data/identity/key.pem")
    #expect(
      failure { () throws(IdentityFolder.Failure) in _ = try self.seal() }
        == .keyMissing(path: key))
    #expect(
      failure { () throws(IdentityFolder.Failure) in _ = try IdentityFolder(self.folder).opener() }
        == .keyMissing(path: key))
    // No new key in its place: what was sealed could never be opened.
    #expect(try sandbox.files(below: "data/identity") == ["certificate.pem"])
  }

  @Test func aMachineWithTheCertificateAloneCaptures() throws {
    _ = try seal()
    try sandbox.rename("data/identity/key.pem", "key.pem")
    let sealed = try seal("captured", keyIsElsewhere: true)
    try sandbox.rename("key.pem", "data/identity/key.pem")
    #expect(try open(sealed) == "captured")
    try sandbox.remove("data/identity/certificate.pem")
    #expect(
      failure { () throws(IdentityFolder.Failure) in _ = try self.seal(keyIsElsewhere: true) }
        == .certificateMissing(path: certificate))
    #expect(try sandbox.files(below: "data/identity") == ["key.pem"])
  }

  @Test(arguments: ["key.pem", "certificate.pem"])
  func whatIsNoIdentityIsTold(name: String) throws {
    _ = try seal()
    try sandbox.write(Array("nonsense\n".utf8), to: folder + "/" + name)
    let failure = failure { () throws(IdentityFolder.Failure) in
      _ = name == "key.pem" ? try IdentityFolder(self.folder).opener() : nil
      if name != "key.pem" { _ = try self.seal() }
    }
    let error: SealingError = name == "key.pem" ? .keyUnreadable : .certificateUnreadable
    #expect(failure == .unusable(path: folder + "/" + name, error))
  }

  @Test func theCertificateOfAnotherKeyIsTold() throws {
    _ = try seal()
    let bytes = try sandbox.content("data/identity/certificate.pem")
    try sandbox.remove("data/identity")
    _ = try seal()
    try sandbox.write(bytes, to: certificate)
    #expect(
      failure { () throws(IdentityFolder.Failure) in _ = try IdentityFolder(self.folder).opener() }
        == .unusable(path: key, .keyDoesNotMatch))
  }

  // RELIABILITY row 16.
  @Test(.timeLimit(.minutes(1)), arguments: ["key.pem", "certificate.pem"])
  func linksAndFIFOsAreNotFollowed(name: String) throws {
    _ = try seal()
    try sandbox.rename("data/identity/" + name, "aside")
    try sandbox.link("data/identity/" + name, to: sandbox.root + "/aside")
    #expect(
      failure { () throws(IdentityFolder.Failure) in _ = try IdentityFolder(self.folder).opener() }
        == .file(path: folder + "/" + name, .isLink))
    try sandbox.remove("data/identity/" + name)
    #expect(unsafe mkfifo(folder + "/" + name, 0o600) == 0)
    #expect(
      failure { () throws(IdentityFolder.Failure) in _ = try IdentityFolder(self.folder).opener() }
        == .file(path: folder + "/" + name, .wrongKind))
  }

  @Test func withoutRandomNumbersNothingIsMade() throws {
    let none = Randomness { (_: Int) throws(Errno) in throw Errno(ENOSYS) }
    #expect(
      failure { () throws(IdentityFolder.Failure) in _ = try self.seal(random: none) }
        == .file(path: key, Errno(ENOSYS)))
    #expect(try sandbox.files(below: "data/identity") == [])
  }

  @Test func manyFirstCapturesAtOnceEndWithOneIdentity() async throws {
    let folder = folder
    let sealed = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for number in 0..<8 {
        group.addTask {
          let recipient = try IdentityFolder(folder).recipient(
            keyIsElsewhere: false, now: 0, random: .system)
          return try recipient.seal([UInt8(number)])
        }
      }
      return try await group.reduce(into: [[UInt8]]()) { $0.append($1) }
    }
    let opener = try IdentityFolder(folder).opener()
    var numbers: [UInt8] = []
    for note in sealed { numbers += try opener.open(note) }
    #expect(numbers.sorted() == Array(0..<8))
    #expect(try sandbox.files(below: "data/identity") == ["certificate.pem", "key.pem"])
  }
}
