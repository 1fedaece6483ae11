import MessageFormat
import Testing

@testable import Configuration

/// What it takes before an account can send.
@Suite struct ReadyAccountTests {
  // MARK: - Secrets

  @Test(
    arguments: [
      (.automatic, "password-command", .command("x")), (.plain, "password-file", .file("x")),
      (.login, "password-command", .command("x")), (.automatic, "token-command", .token("x")),
      (.xoauth2, "token-command", .token("x")), (.oauthbearer, "token-command", .token("x")),
    ] as [(Account.Auth, String, ReadyAccount.Secret)])
  func aSecretOfTheRightKindIsTaken(
    auth: Account.Auth, key: String, secret: ReadyAccount.Secret
  ) throws {
    let ready = try ReadyAccount(account(auth, key))
    #expect(ready.secret == secret)
    #expect(ready.auth == auth)
  }

  /// A password is not for a mechanism that takes a token, nor a token for one that takes a
  /// password, which would send it to servers that may log what they take for a password.
  @Test(
    arguments: [
      (.automatic, "", .passwordCommand), (.plain, "token-command", .passwordCommand),
      (.login, "token-command", .passwordCommand), (.xoauth2, "password-command", .tokenCommand),
      (.oauthbearer, "password-file", .tokenCommand), (.xoauth2, "", .tokenCommand),
    ] as [(Account.Auth, String, AccountKey)])
  func aSecretOfTheWrongKindIsMissing(auth: Account.Auth, key: String, missing: AccountKey) {
    #expect(throws: ReadyAccount.Fault.missing(missing)) {
      try ReadyAccount(account(auth, key))
    }
  }

  // MARK: - Addresses

  @Test func aDomainIsMadeALabelsInNameAndAddress() throws {
    var account = account(.plain, "password-file")
    account.from = "Jörg Doe <me@bücher.example>"
    account.to = "me@bücher.example"
    let ready = try ReadyAccount(account) { $0 == "bücher.example" ? "xn--bcher-kva.example" : nil }
    #expect(ready.from.address == "me@xn--bcher-kva.example")
    #expect(ready.from.displayName == "Jörg Doe")
    #expect(ready.to.headerText == "me@xn--bcher-kva.example")
    #expect(throws: ReadyAccount.Fault.badAddress(.from)) {
      try ReadyAccount(account) { _ in nil }
    }
    #expect(throws: Never.self) { try ReadyAccount(account) }
  }

  @Test func aLocalPartInOtherLettersIsRefusedInItsOwnWords() {
    var account = account(.plain, "password-file")
    account.to = "jörg@example.org"
    #expect(throws: ReadyAccount.Fault.localPartNotASCII(.to)) { try ReadyAccount(account) }
  }

  private func account(_ auth: Account.Auth, _ key: String) -> Account {
    var account = Account()
    account.from = "me@example.org"
    account.to = "me@example.org"
    account.user = "me"
    account.server = ServerAddress(.submission, .implicitTLS, host: "example.org", port: 465)
    account.auth = auth
    account.passwordCommand = key == "password-command" ? "x" : nil
    account.passwordFile = key == "password-file" ? "x" : nil
    account.tokenCommand = key == "token-command" ? "x" : nil
    return account
  }
}
