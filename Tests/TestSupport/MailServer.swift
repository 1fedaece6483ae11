internal import Foundation
public import Testing

/// A real mail server on 127.0.0.1: `Tests/servers/postfix-dovecot` or `Tests/servers/exim`.
///
/// It is unpacked, not installed; the first start fetches it. Ended when it is let go.
public final class MailServer {
  /// Which one.
  public enum Kind: String, Sendable, CaseIterable {
    /// Postfix, and Dovecot for IMAP; OpenSSL.
    case postfix = "postfix-dovecot"
    /// Exim, without IMAP; GnuTLS.
    case exim
  }

  /// What the server says of itself once it is up.
  private struct Ready: Codable {
    let submission: Int
    let submissions: Int
    let imap: Int?
    let imaps: Int?
    let ca: String
    let user: String
    let password: String
    let maildir: String
  }

  /// Why no mail server can run here, or nil.
  ///
  /// It needs root for its namespaces.
  public static let unavailable: String? = {
    let probe = try? run(
      "/usr/bin/unshare", ["--mount", "--pid", "--fork", "--propagation", "private", "true"])
    return probe?.status == 0 ? nil : "a mail server needs root and namespaces"
  }()

  private let folder: String
  private let ready: Ready

  /// Starts a server on free ports.
  ///
  /// - Parameters:
  ///   - kind: Which one.
  ///   - sandbox: The home in whose folder it lives.
  ///   - sizeLimit: The octets of the largest message Postfix takes.
  ///   - sourceLocation: The place a failure is shown at.
  /// - Throws: `WaitedInVain` when it does not get ready.
  public init(
    _ kind: Kind = .postfix, in sandbox: Sandbox, sizeLimit: Int = 10_485_760,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    folder = sandbox.root + "/" + kind.rawValue
    let result = try run(
      MailServer.script(kind.rawValue + "/start.sh"), [folder],
      environment: sandbox.environment.merging(["SIZE_LIMIT": "\(sizeLimit)"]) { $1 },
      timeout: 180, sourceLocation: sourceLocation)
    guard result.status == 0 else {
      Issue.record("no mail server: \(result.errors)", sourceLocation: sourceLocation)
      throw WaitedInVain(description: "no mail server: \(result.errors)")
    }
    ready = try JSONDecoder().decode(Ready.self, from: Data(result.stdout))
  }

  deinit {
    _ = try? run(MailServer.script("stop.sh"), [folder])
  }

  private static func script(_ name: String) -> String {
    Repository.path("Tests/servers/" + name)
  }

  // MARK: - Reaching it

  /// The value of `server` in the settings: STARTTLS, or TLS from the start.
  public func address(_ security: FaultyServer.Security) -> String {
    security == .implicit
      ? "smtps://localhost:\(ready.submissions)" : "smtp://localhost:\(ready.submission)"
  }

  /// The port of submission.
  public func port(_ security: FaultyServer.Security) -> Int {
    security == .implicit ? ready.submissions : ready.submission
  }

  /// The port of Dovecot's IMAP: STARTTLS, or TLS from the start; 0 beside Exim.
  public func imapPort(_ security: FaultyServer.Security) -> Int {
    (security == .implicit ? ready.imaps : ready.imap) ?? 0
  }

  /// The file of the authority that signed its certificate.
  public var authority: String { ready.ca }

  /// An [account] section that reaches it, and a [delivery] section without waits.
  public func configuration(
    _ security: FaultyServer.Security = .starttls, delivery: String = ""
  ) -> String {
    accountSection(
      server: address(security), authority: authority, password: ready.password,
      delivery: delivery)
  }

  // MARK: - What arrived

  /// The messages in the account's Maildir, oldest first, as the server wrote them (LF line ends).
  public func delivered() throws -> [[UInt8]] {
    try ["new", "cur"].flatMap { folder -> [String] in
      let directory = ready.maildir + "/" + folder
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
      return names.map { directory + "/" + $0 }
    }
    .sorted { $0.split(separator: "/").last ?? "" < $1.split(separator: "/").last ?? "" }
    .map { Array(try Data(contentsOf: URL(fileURLWithPath: $0))) }
  }

  /// Waits until so many messages lie in the Maildir, and gives them.
  ///
  /// - Throws: `WaitedInVain`, after recording an issue, when they do not come in time.
  public func waitForDelivery(
    of count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [[UInt8]] {
    try wait(for: "delivery of \(count)", sourceLocation: sourceLocation) {
      try delivered().count >= count
    }
    return try delivered()
  }

  /// The answer to an IMAP command on the inbox, as `SEARCH ALL`, by curl(1).
  public func imap(
    _ command: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let answer = try fetch("INBOX", ["-X", command], sourceLocation)
    return String(decoding: answer, as: UTF8.self)
  }

  /// A message of the inbox as IMAP gives it, with CRLF; 1 is the first.
  public func message(
    _ number: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [UInt8] {
    try fetch("INBOX;MAILINDEX=\(number)", [], sourceLocation)
  }

  private func fetch(
    _ path: String, _ options: [String], _ sourceLocation: SourceLocation
  ) throws -> [UInt8] {
    let result = try run(
      "/usr/bin/curl",
      [
        "-sS", "--max-time", "20", "-u", "\(ready.user):\(ready.password)",
        "--url", "imap://localhost:\(imapPort(.starttls))/" + path,
      ] + options, sourceLocation: sourceLocation)
    #expect(result.status == 0, "\(result.errors)", sourceLocation: sourceLocation)
    return result.stdout
  }
}
