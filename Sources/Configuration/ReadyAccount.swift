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
  /// Where its password comes from.
  public let secret: Secret

  /// Where a password comes from.
  public enum Secret: Sendable, Equatable {
    /// The first line that this command prints.
    case command(String)
    /// The first line of this file.
    case file(String)
  }

  /// What an account lacks.
  public enum Fault: Error, Equatable, Sendable {
    /// A key is missing.
    case missing(AccountKey)
    /// The value of a key is not one address.
    case badAddress(AccountKey)
  }

  /// Looks whether an account is complete.
  public init(_ account: Account) throws(Fault) {
    name = account.name
    from = try Self.mailbox(account.from, .from)
    to = try Self.mailbox(account.to, .to)
    guard let server = account.server else { throw .missing(.server) }
    guard let user = account.user else { throw .missing(.user) }
    self.server = server
    self.user = user
    if let command = account.passwordCommand {
      secret = .command(command)
    } else if let file = account.passwordFile {
      secret = .file(file)
    } else {
      throw .missing(.passwordCommand)
    }
  }

  private static func mailbox(_ text: String?, _ key: AccountKey) throws(Fault) -> Mailbox {
    guard let text else { throw .missing(key) }
    do throws(MailboxError) {
      return try Mailbox(parsing: text)
    } catch {
      throw .badAddress(key)
    }
  }
}
