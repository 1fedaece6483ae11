import Foundation
import TestSupport
import Testing

@testable import Submission

/// Tests/servers/faulty with ports for each plan, so that many clients at a time do not mix.
///
/// It ends with its standard input, so that it outlives neither the object nor the tests.
final class PlannedServer {
  private let process = Process()
  private let input = Pipe()
  private let folder: URL
  private let ports: Ports

  /// Starts a server with two ports for each plan.
  convenience init(_ plans: String...) throws {
    try self.init(plans)
  }

  /// Starts a server that speaks SMTP, or what another script of the folder does.
  init(_ plans: [String], script: String = "faulty_smtp.py") throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let plansFile = folder.appending(path: "plans")
    try Data(plans.joined(separator: "\n").utf8).write(to: plansFile)
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = [
      Repository.path("Tests/servers/faulty/" + script), folder.path, "--starttls", "0",
      "--tls", "0", "--plain", "0", "--until-eof", "--plans", plansFile.path, "--tlsdir",
      try Self.certificates.get(),
    ]
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let ready = folder.appending(path: "ready")
    try wait(for: "server") { FileManager.default.fileExists(atPath: ready.path) }
    ports = try JSONDecoder().decode(Ports.self, from: Data(contentsOf: ready))
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  private struct Ports: Decodable {
    let plans: [Pair]
    let tls6: Int?

    struct Pair: Decodable {
      let starttls: Int
      let tls: Int
    }
  }

  /// The port of a plan.
  func port(_ plan: Int = 0, _ security: SubmissionSettings.Security = .startTLS) -> Int {
    security == .startTLS ? ports.plans[plan].starttls : ports.plans[plan].tls
  }

  /// A port with implicit TLS on ::1, where the machine has one.
  var portOfIPv6: Int? { ports.tls6 }

  /// Settings for a plan.
  func settings(
    _ plan: Int = 0, _ security: SubmissionSettings.Security = .startTLS
  ) throws -> SubmissionSettings {
    .test(
      port: port(plan, security), security: security,
      caFile: try Self.certificates.get() + "/ca.pem")
  }

  /// The SHA-256 digest of a certificate of mkcert.sh, as 64 digits, by openssl(1).
  static func fingerprint(of name: String) throws -> String {
    let path = try certificates.get() + "/\(name).pem"
    let arguments = ["x509", "-noout", "-fingerprint", "-sha256", "-in", path]
    let output = try TestSupport.run("/usr/bin/openssl", arguments).output
    let digits = try #require(output.split(separator: "=").last)
    return digits.filter(\.isHexDigit).lowercased()
  }

  /// The folder of mkcert.sh's certificates, made once and removed when the tests end.
  private static let certificates = Result {
    atexit { try? FileManager.default.removeItem(atPath: PlannedServer.certificatesFolder) }
    let script = URL(filePath: Repository.path("Tests/servers/mkcert.sh"))
    let mkcert = try Process.run(script, arguments: [certificatesFolder])
    mkcert.waitUntilExit()
    try #require(mkcert.terminationStatus == 0)
    return certificatesFolder
  }

  private static let certificatesFolder =
    NSTemporaryDirectory() + "/submission-certificates-\(getpid())"
}

// MARK: - What the server saw

extension PlannedServer {
  /// A connection that has ended.
  struct Record: Decodable {
    let port: Int
    let stages: [String]
    let commands: [String]
    let logins: [[String]]
    let stored: Int
    let acked: Int

    /// Whether the connection carried no more than a session may before its login.
    var isInnocent: Bool {
      commands.allSatisfy {
        ["EHLO", "HELO", "STARTTLS", "QUIT"].contains($0.prefix { $0 != " " })
      }
    }
  }

  /// A message that came whole.
  struct Accepted {
    let from: String
    let recipients: [String]
    let octets: [UInt8]
  }

  /// The ended connections to a port, waited for until there are `count` of them.
  func records(of port: Int? = nil, count: Int = 1) throws -> [Record] {
    let port = port ?? self.port()
    var records: [Record] = []
    try wait(for: "\(count) ended connections") {
      let log = FileManager.default.contents(atPath: folder.path + "/log") ?? Data()
      records = try log.split(separator: UInt8(ascii: "\n"))
        .map { try JSONDecoder().decode(Record.self, from: Data($0)) }
        .filter { $0.port == port }
      return records.count >= count
    }
    return records
  }

  /// The messages accepted, in their order.
  func accepted() throws -> [Accepted] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/accepted")
    return try names.filter { !$0.hasSuffix(".tmp") }.sorted().map { name in
      let data = try Data(contentsOf: folder.appending(path: "accepted/\(name)"))
      let end = try #require(data.firstIndex(of: UInt8(ascii: "\n")))
      let envelope = try JSONDecoder().decode(Envelope.self, from: data[..<end])
      return Accepted(
        from: envelope.from, recipients: envelope.rcpt, octets: Array(data[(end + 1)...]))
    }
  }

  private struct Envelope: Decodable {
    let from: String
    let rcpt: [String]
  }
}
