/// An account notes are sent from, to, and through.
///
/// Anything may be missing: notes are captured before there is an account, and wait.
public struct Account: Sendable, Equatable {
  /// The NAME of `[account NAME]`, nil for `[account]`.
  public var name: String?

  /// The author, `Jane Doe <me@example.org>` or a bare address, as it is in the file.
  public var from: String?

  /// The one recipient, as it is in the file.
  public var to: String?

  /// The recipient that was shown to receive what is sent, as it is in the file.
  public var toVerified: String?

  /// The submission server.
  public var server: ServerAddress?

  /// The name to log in with; without one there is no login.
  public var user: String?

  /// The command, for `/bin/sh -c`, whose first line of output is the password.
  public var passwordCommand: String?

  /// The path of the file whose first line is the password.
  public var passwordFile: String?

  /// The command, for `/bin/sh -c`, whose first line of output is an OAuth 2.0 access token.
  public var tokenCommand: String?

  /// How to log in.
  public var auth: Auth = .automatic

  /// The path of a file of certificates to trust instead of the system's.
  public var caFile: String?

  /// The SHA-256 fingerprint of the server's certificate, 64 lower-case digits.
  public var fingerprint: String?

  /// The name to greet the server with: a domain name or an address literal.
  public var ehlo: String?

  /// How many notes may be sent in a time.
  public var limit: Rate?

  /// The server the account's mail is read from.
  public var imap: ServerAddress?

  /// The mechanisms of a login.
  ///
  /// RFC 4954.
  public enum Auth: String, Sendable, CaseIterable {
    /// PLAIN, else LOGIN, whichever the server offers; with a `token-command` OAUTHBEARER, else
    /// XOAUTH2.
    case automatic
    /// PLAIN. RFC 4616.
    case plain
    /// LOGIN, of no RFC.
    case login
    /// XOAUTH2, of no RFC.
    case xoauth2
    /// OAUTHBEARER. RFC 7628.
    case oauthbearer

    /// Whether it logs in with an access token, whatever the secret.
    var takesToken: Bool { self == .xoauth2 || self == .oauthbearer }
  }

  /// An account of which nothing else is known.
  public init(name: String? = nil) { self.name = name }

  // account-name = (ALPHA / DIGIT / "_") *63(ALPHA / DIGIT / "_" / "-" / "." / "@" / "+")
  /// Whether a text can be the NAME of an account.
  ///
  /// It becomes part of file names and of the field `Memo-Account`.
  public static func isName(_ text: String) -> Bool {
    let isWord = { (octet: UInt8) in
      HostSyntax.isLetterOrDigit(octet) || octet == UInt8(ascii: "_")
    }
    guard let first = text.utf8.first, isWord(first), text.utf8.count <= 64 else { return false }
    return text.utf8.allSatisfy { isWord($0) || "-.@+".utf8.contains($0) }
  }
}
