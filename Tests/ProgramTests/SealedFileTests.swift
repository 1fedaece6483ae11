import Foundation
import TestSupport
import Testing

/// What lies on disk: sealed files that openssl(1) opens without memo.
@Suite struct SealedFileTests {
  @Test func opensslOpensAFileAndFindsTheMessage() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("-s", "secret subject", "-", stdin: Array("secret text\n".utf8))
    let file = try #require(try sandbox.files(in: .outbox).first)
    let inner = try sandbox.opened(file)
    let parsed = try ParsedMail.parse(inner)
    #expect(parsed.subject == "secret subject")
    #expect(parsed.text == "secret text\n")
    #expect(parsed.values("Memo-ID") == [file.identifier])
    #expect(parsed.messageID == "<\(file.identifier)@test.example>")
    // Lines end with CRLF inside.
    let ends = inner.indices.filter { inner[$0] == 0x0a }
    #expect(ends.allSatisfy { $0 > 0 && inner[$0 - 1] == 0x0d })
  }

  @Test func theOutsideTellsNothingOfTheNote() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("-s", "secret subject", "secret text")
    let file = try #require(try sandbox.files(in: .outbox).first)
    let bytes = try file.bytes()
    #expect(!bytes.contains(0x0d))
    let outer = try ParsedMail.parse(bytes)
    #expect(
      outer.fields.map { $0[0] }.sorted() == [
        "Content-Disposition", "Content-Transfer-Encoding", "Content-Type", "Date", "From",
        "MIME-Version", "Message-ID", "Subject", "To",
      ])
    #expect(outer.subject == "[...]")
    #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
    #expect(outer.values("Content-Type").first?.contains("authEnveloped-data") == true)
  }

  /// The same text twice looks different each time.
  @Test func noTwoFilesAreAlike() throws {
    let sandbox = try Sandbox.quiet()
    for _ in 0..<2 { try sandbox.memo("buy milk") }
    let bodies = try sandbox.files(in: .outbox).map { file in
      String(decoding: try file.bytes(), as: UTF8.self).split(separator: "\n\n").last
    }
    #expect(bodies.count == 2)
    #expect(bodies[0] != bodies[1])
  }

  @Test(arguments: [2, 20])
  func firstCapturesAtOnceEndWithOneIdentity(count: Int) throws {
    let sandbox = try Sandbox.quiet()
    let result = try run(
      "/bin/sh", ["-c", "seq \(count) | xargs -P \(count) -I{} memo note {}"],
      environment: sandbox.environment)
    #expect(result.status == 0)
    #expect(result.output + result.errors == "")
    let notes = try sandbox.waiting()
    #expect(Set(notes.map(\.note)) == Set((1...count).map { "note \($0)" }))
    let identity = try FileManager.default.contentsOfDirectory(atPath: sandbox.data + "/identity")
    #expect(identity.sorted() == ["certificate.pem", "key.pem"])
    try sandbox.expectPrivate()
  }

  /// What was captured before is opened after: no later capture makes the identity anew.
  @Test func theIdentityStays() throws {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("first")
    let key = FileManager.default.contents(atPath: sandbox.key)
    try sandbox.memo("second")
    #expect(FileManager.default.contents(atPath: sandbox.key) == key)
    #expect(try sandbox.waiting().map(\.note) == ["first", "second"])
  }
}
