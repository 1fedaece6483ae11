public import MessageFormat

/// An account that has all it takes to send.
public struct ReadyAccount: Sendable, Equatable {
  /// Its name, nil for `[account]`.
  public let name: String?
  /// Who writes its notes.
  public let from: Mailbox
  /// Who gets them.
  public let to: Mailbox
  /// Its submission server.
  public let server: ServerAddress
  /// The user it logs in as.
  public let user: String
  /// Where its password or token comes from.
  public let secret: Secret
  /// How it logs in; automatic fits either kind of secret.
  public let auth: Account.Auth

  /// Where a secret comes from.
  public enum Secret: Sendable, Equatable {
    /// A password, the first line that this command prints.
    case command(String)
    /// A password, the first line of this file.
    case file(String)
    /// An access token, the first line that this command prints.
    case token(String)
  }

  /// What an account lacks.
  public enum Fault: Error, Equatable, Sendable {
    /// A key is missing.
    case missing(AccountKey)
    /// The value of a key is not one address.
    case badAddress(AccountKey)
    /// The address has other letters than those of ASCII before its `@`.
    ///
    /// Design: the header of a note would need RFC 6532 for it, so that every server and client on
    /// its way had to know that. One whose domain alone has such letters is no trouble.
    case localPartNotASCII(AccountKey)
  }

  /// Looks whether an account is complete.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - aLabels: Makes A-labels of a domain's U-labels, `nil` where there are none. Without it,
  ///     which does for a look, such a domain becomes another.
  /// - Throws: What it lacks.
  public init(
    _ account: Account, aLabels: (String) -> String? = { _ in "memo.invalid" }
  ) throws(Fault) {
    name = account.name
    from = try Self.mailbox(account.from, .from, aLabels)
    to = try Self.mailbox(account.to, .to, aLabels)
    guard let server = account.server else { throw .missing(.server) }
    guard let user = account.user else { throw .missing(.user) }
    self.server = server
    self.user = user
    auth = account.auth
    secret = try Self.secret(account)
  }

  /// A token is of use only to the mechanisms that take one, and a password to none of them.
  private static func secret(_ account: Account) throws(Fault) -> Secret {
    let token = account.tokenCommand.map { Secret.token($0) }
    let password =
      account.passwordCommand.map { Secret.command($0) }
      ?? account.passwordFile.map { Secret.file($0) }
    let secret: Secret? =
      switch account.auth {
      case .automatic: token ?? password
      case .plain, .login: password
      case .xoauth2, .oauthbearer: token
      }
    guard let secret else {
      throw .missing(account.auth.takesToken ? .tokenCommand : .passwordCommand)
    }
    return secret
  }

  private static func mailbox(
    _ text: String?, _ key: AccountKey, _ aLabels: (String) -> String?
  ) throws(Fault) -> Mailbox {
    guard let text else { throw .missing(key) }
    do throws(MailboxError) {
      return try Mailbox(parsing: text, aLabels: aLabels)
    } catch {
      throw error == .localPartNotASCII ? .localPartNotASCII(key) : .badAddress(key)
    }
  }
}
