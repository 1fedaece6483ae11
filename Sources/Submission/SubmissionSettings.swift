public import Posix
import Transfer

/// An account's server, login and envelope, as values.
public struct SubmissionSettings: Sendable {
  /// How the connection is protected; there is no way to send in clear.
  public enum Security: Sendable, Hashable {
    /// TLS from the first octet, port 465 (RFC 8314 §3.3).
    case implicitTLS
    /// STARTTLS, required, port 587 (RFC 3207).
    case startTLS
  }

  /// How to log in.
  public enum Mechanism: Sendable, Hashable {
    /// PLAIN where the server offers it, else LOGIN.
    case automatic
    /// PLAIN and nothing else (RFC 4616).
    case plain
    /// LOGIN and nothing else.
    case login
    /// OAUTHBEARER where the server offers it, else XOAUTH2; the secret is an access token.
    case token
    /// XOAUTH2 and nothing else, of no RFC.
    case xoauth2
    /// OAUTHBEARER and nothing else (RFC 7628).
    case oauthbearer
  }

  /// The server's name or address; an IPv6 address with or without brackets.
  public var host: String
  /// The server's port.
  public var port: Int
  /// How the connection is protected.
  public var security: Security
  /// The user to log in as.
  public var user: String
  /// How to log in.
  public var mechanism = Mechanism.automatic
  /// A file of certificates to trust in place of the system's.
  public var caFile: String?
  /// The one certificate that is good, whatever its names, dates and issuer; `caFile` then plays
  /// no part.
  public var fingerprint: CertificateFingerprint?
  /// The configured EHLO name; one that is no dotted name and no address literal is passed over.
  public var ehloName: String?
  /// This machine's name, used for EHLO when it is a dotted one.
  public var hostName: String?
  /// The envelope's reverse-path, without angle brackets.
  public var from: String
  /// The envelope's forward-path.
  public var to: String
  /// Where the account's mail is read, with the same login; asked for notes that may have arrived.
  public var mailbox: MailboxServer?
  /// How long each step may take.
  public var timeouts = SubmissionTimeouts()
  /// How many messages go over one connection; some servers close silently after 20.
  public var messagesPerConnection = 20

  /// Settings with what has no default.
  public init(
    host: String, port: Int, security: Security, user: String, from: String, to: String
  ) {
    self.host = host
    self.port = port
    self.security = security
    self.user = user
    self.from = from
    self.to = to
  }
}

extension SubmissionSettings {
  /// A server of mailboxes.
  public struct MailboxServer: Sendable, Hashable {
    /// The server's name or address; an IPv6 address with or without brackets.
    public var host: String
    /// The server's port.
    public var port: Int
    /// How the connection is protected.
    public var security: Security

    /// A server.
    public init(host: String, port: Int, security: Security) {
      self.host = host
      self.port = port
      self.security = security
    }
  }

  /// Which certificates are good.
  var trust: ServerSettings.Trust {
    guard fingerprint == nil else { return .observer }
    return caFile.map { .file($0) } ?? .system
  }

  /// The key of an address that only a server with SMTPUTF8 takes.
  var keyNeedingUTF8: String? {
    if EnvelopeAddress(from)?.needsUTF8 ?? false { return "from" }
    return EnvelopeAddress(to)?.needsUTF8 ?? false ? "to" : nil
  }
}

/// How long each step of a session may take.
///
/// RFC 5321 §4.5.3.2.
public struct SubmissionTimeouts: Sendable, Hashable {
  /// Lookup and connection; and again the TLS handshake.
  public var connect = Duration.seconds(60)
  /// The greeting and every reply but the last.
  public var reply = Duration.seconds(300)
  /// The wait for the server to take more of the message.
  public var stall = Duration.seconds(180)
  /// The reply to the final dot.
  ///
  /// RFC 5321 §4.5.3.2.6.
  public var finalReply = Duration.seconds(600)
  /// The answer to QUIT, which changes nothing.
  public var quit = Duration.seconds(5)
  /// How long a program that was told to stop still waits for the reply to the final dot.
  public var stop = Duration.seconds(60)

  /// The limits of RFC 5321, where it has one.
  public init() {}
}

/// A way to get the account's password or access token, asked once, when the first connection is
/// made.
public typealias SecretSource = () throws(SecretTrouble) -> SecretBytes

/// Why there is no password, in words that hold nothing of it.
public struct SecretTrouble: Error, Equatable {
  /// Such as the exit status of the password command.
  public let detail: String

  /// Trouble of this kind.
  public init(_ detail: String) {
    self.detail = detail
  }
}
