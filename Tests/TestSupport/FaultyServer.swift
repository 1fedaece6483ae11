internal import Foundation
public import Testing

/// A submission server on 127.0.0.1 that does wrong on request: `Tests/servers/faulty`.
///
/// Each connection takes one line of the plan, as `dot=drop`; without a line it behaves well. It is
/// ended when it is let go.
public final class FaultyServer {
  /// How the client speaks to it.
  public enum Security: String, Sendable, CaseIterable {
    /// `smtp://`, STARTTLS.
    case starttls
    /// `smtps://`, TLS from the start.
    case implicit = "tls"
    /// `smtp://` without any TLS.
    case plain
  }

  /// A message the server took whole.
  public struct Accepted: Sendable {
    /// What it was told before the message.
    public let envelope: Envelope
    /// The bytes between DATA's 354 and the final dot, dots still stuffed.
    public let bytes: [UInt8]
  }

  /// The envelope of an accepted message.
  public struct Envelope: Codable, Sendable {
    /// The argument of MAIL, as `FROM:<me@test.example>`.
    public let from: String
    /// The arguments of each RCPT.
    public let rcpt: [String]
    /// Whether the connection was encrypted.
    public let tls: Bool
    /// The plan line of the connection.
    public let plan: String
  }

  /// One connection, as the server saw it.
  public struct Connection: Codable, Sendable {
    /// starttls, tls or plain.
    public let mode: String
    /// The plan line that it took.
    public let plan: String
    /// Whether it came to be encrypted.
    public let tls: Bool
    /// The command lines it got; of AUTH only the mechanism.
    public let commands: [String]
    /// How far it came: connect, banner, ehlo, starttls, tls, auth, mail, rcpt, data, body, dot, quit.
    public let stages: [String]
    /// Each login: the mechanism, then what was sent, in base64.
    public let logins: [[String]]
    /// How many other connections were open when it began.
    public let others: Int
    /// How many messages came whole.
    public let stored: Int
    /// For how many of them the 250 went out.
    public let acked: Int
  }

  /// The login that it accepts.
  public static let user = "me@test.example"
  /// The password of ``user``.
  public static let password = "s3cret-pass"

  /// Its folder.
  public let folder: String
  /// The folder of its certificates, which other servers use too.
  public let certificates: String
  private let child: Child
  private let ports: [String: Int]

  /// Starts a server on free ports.
  ///
  /// - Parameters:
  ///   - sandbox: The home in whose folder it lives.
  ///   - sourceLocation: The place a failure is shown at.
  /// - Throws: `WaitedInVain` when it does not get ready.
  public init(
    in sandbox: Sandbox, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let folder = sandbox.root + "/faulty"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    let script = Repository.path("Tests/servers/faulty/faulty_smtp.py")
    certificates = try FaultyServer.certificates()
    child = try Child(
      "/usr/bin/python3",
      [
        script, folder, "--starttls", "0", "--tls", "0", "--plain", "0", "--tlsdir", certificates,
      ], environment: sandbox.environment, log: folder + "/out")
    self.folder = folder
    let started = child
    var ports: [String: Int] = [:]
    do {
      try wait(for: "faulty server", sourceLocation: sourceLocation) {
        if let end = started.poll() { throw WaitedInVain(description: "faulty server: \(end)") }
        guard let data = FileManager.default.contents(atPath: folder + "/ready") else {
          return false
        }
        ports = (try? JSONDecoder().decode([String: Int].self, from: data)) ?? [:]
        return !ports.isEmpty
      }
    } catch {
      started.killGroup()
      _ = started.wait()
      throw error
    }
    self.ports = ports
  }

  deinit {
    child.killGroup()
    _ = child.wait()
  }

  // MARK: - Reaching it

  /// The port for a kind of security.
  public func port(_ security: Security) -> Int {
    ports[security.rawValue] ?? 0
  }

  /// The value of `server` in the settings.
  public func address(_ security: Security) -> String {
    let scheme = security == .implicit ? "smtps" : "smtp"
    return "\(scheme)://localhost:\(port(security))"
  }

  /// The file of the authority that signed its certificate.
  public var authority: String { certificates + "/ca.pem" }

  /// The folder of certificates, made once a day.
  private static func certificates() throws -> String {
    let made = try run(Repository.path("Tests/servers/certificates.sh"))
    guard made.status == 0 else {
      throw WaitedInVain(description: "no certificates: \(made.errors)")
    }
    return made.output.split(separator: "\n").last.map(String.init) ?? ""
  }

  /// An [account] section that reaches it, and a [delivery] section without waits.
  ///
  /// - Parameters:
  ///   - security: How it is reached.
  ///   - delivery: Further lines of [delivery].
  /// - Returns: The text of a settings file.
  public func configuration(_ security: Security = .starttls, delivery: String = "") -> String {
    accountSection(
      server: address(security), authority: authority, password: FaultyServer.password,
      delivery: delivery)
  }

  // MARK: - What it does, and what it saw

  /// Has each of the next connections go wrong as its line says.
  public func plan(_ lines: String...) throws {
    let text = lines.map { $0 + "\n" }.joined()
    try text.write(toFile: folder + "/plan", atomically: true, encoding: .utf8)
  }

  /// The messages it took, in their order.
  public func accepted() throws -> [Accepted] {
    let directory = folder + "/accepted"
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
    return try names.filter { !$0.hasSuffix(".tmp") }.sorted().map { name in
      let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name)))
      let end = bytes.firstIndex(of: 0x0a) ?? bytes.endIndex
      let envelope = try JSONDecoder().decode(Envelope.self, from: Data(bytes[..<end]))
      return Accepted(envelope: envelope, bytes: Array(bytes[end...].dropFirst()))
    }
  }

  /// The connections that have ended, in the order of their ends.
  public func connections() throws -> [Connection] {
    guard let data = FileManager.default.contents(atPath: folder + "/log") else { return [] }
    return try data.split(separator: 0x0a).map {
      try JSONDecoder().decode(Connection.self, from: Data($0))
    }
  }
}

/// Settings for an account of a test server.
func accountSection(
  server: String, authority: String, password: String, delivery: String
) -> String {
  """
  [account]
  from = Jane Doe <me@test.example>
  to = me@test.example
  server = \(server)
  user = me@test.example
  password-command = echo \(password)
  ca-file = \(authority)
  [delivery]
  after-capture = no
  pace = off
  \(delivery)

  """
}
