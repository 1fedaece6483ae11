import Outbox
import Testing
import Transfer

@testable import Submission

/// What libcurl would let pass.
@Suite struct TransferTests {
  /// libcurl takes an early end, and more than was announced, for a whole message.
  @Test(arguments: [(1000, 18), (18, 0), (18, 19), (18, 1000)])
  func aMessageOfAnotherLengthThanAnnouncedIsNotSent(announced: Int, given: Int) throws {
    let server = try PlannedServer("")
    let transfer = try makeTransfer(try server.settings())
    let giver = Giver(Array(repeating: UInt8(ascii: "x"), count: given))
    let result = transfer.send(count: announced, observer: giver)
    #expect(result.code != .ok)
    #expect(try server.records().last?.stored == 0)
    #expect(try server.accepted().isEmpty)
  }

  @Test func aMessageOfTheAnnouncedLengthIsSent() throws {
    let server = try PlannedServer("")
    let transfer = try makeTransfer(try server.settings())
    #expect(transfer.send(count: 3, observer: Giver(wire("x\r\n"))).code == .ok)
    #expect(try server.accepted().map(\.octets) == [wire("x\r\n")])
  }

  /// Two accounts at one server, message by message: no connection is shared.
  @Test func twoAccountsNeverShareAConnection() throws {
    let server = try PlannedServer("auth=any")
    var settings = try server.settings()
    var first = makeAgent(settings, password: "first-password")
    settings.user = "other@test.example"
    var second = makeAgent(settings, password: "second-password")
    for _ in 0..<3 {
      #expect(first.deliver(note(lines: 1)) { true }.summary == "accepted 250")
      #expect(second.deliver(note(lines: 1)) { true }.summary == "accepted 250")
    }
    first.finish()
    second.finish()
    let records = try server.records(count: 2)
    #expect(records.map(\.stored) == [3, 3])
    #expect(records.map(\.logins.count) == [1, 1])
    #expect(Set(records.flatMap(\.logins)).count == 2)
  }

  /// TLS 1.1 and less is refused, by either side's choice; the login never follows.
  @Test(arguments: [SubmissionSettings.Security.startTLS, .implicitTLS])
  func oldTLSIsRefusedAlsoWithAFingerprint(_ security: SubmissionSettings.Security) throws {
    let server = try PlannedServer("tls=tls1")
    var settings = try server.settings(0, security)
    settings.fingerprint = CertificateFingerprint(
      hexadecimal: try PlannedServer.fingerprint(of: "srv"))
    #expect(deliver(note(lines: 1), settings).summary == "offline handshake")
    #expect(try server.records(of: settings.port).allSatisfy { $0.isInnocent })
  }

  private func makeTransfer(_ settings: SubmissionSettings) throws -> MailTransfer {
    let server = ServerSettings(
      url: "smtp://localhost:\(settings.port)/", user: testUser, loginOptions: "AUTH=PLAIN",
      secret: .password, trust: try #require(settings.caFile.map { .file($0) }),
      connectLimit: .seconds(5), replyLimit: .seconds(5))
    return try MailTransfer(
      server, secret: wire(testPassword).span, from: testUser, to: testUser)
  }
}

/// Gives octets all at once, whatever was announced.
private final class Giver: TransferObserver {
  private var octets: ArraySlice<UInt8>

  init(_ octets: some Collection<UInt8>) { self.octets = Array(octets)[...] }

  func received(line: Span<UInt8>, certificate: () -> [UInt8]?) -> Bool { true }
  func sent(command: Span<UInt8>) {}
  func sentOctets() {}
  func mayContinue(_ progress: ConnectionProgress) -> Bool { true }

  func nextOctets(atMost limit: Int) -> ArraySlice<UInt8>? {
    defer { octets = [] }
    return octets
  }
}
