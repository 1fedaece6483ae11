import TestSupport
import Testing

@testable import Configuration

@Suite struct SettingsTests {
  private func settings(_ text: String) -> Result<Settings, LineFault> {
    parsed(text).flatMap { file in
      do throws(ConfigurationError) {
        return .success(try Settings(file, home: "/home/me"))
      } catch {
        return .failure(LineFault(error))
      }
    }
  }

  @Test func theSampleIsUnderstood() throws {
    let settings = try settings(ConfigurationFileTests.sample).get()
    var account = Account()
    account.from = "Jane Doe <me@example.org>"
    account.to = "me@example.org"
    account.server = ServerAddress(
      .submission, .implicitTLS, host: "mail.example.org", port: 465)
    account.user = "me@example.org"
    account.passwordCommand = "secret-tool lookup service memo"
    #expect(settings.accounts == [account])
    #expect(settings.delivery == Settings.Delivery())
    #expect(settings.unbuiltFeatures == [])
  }

  // DESIGN §8.
  @Test func anEmptyFileGivesTheDefaults() throws {
    let settings = try settings("").get()
    #expect(settings == Settings())
    #expect(settings.defaultAccount == nil)
    #expect(settings.delivery.afterCapture)
    #expect(settings.delivery.pace == .milliseconds(800)...(.milliseconds(1500)))
    #expect(settings.delivery.replyTimeout == .seconds(600))
    #expect(settings.delivery.giveUp == .seconds(432_000))
    #expect(settings.delivery.hosts == .own)
    #expect(settings.delivery.maxSize.bytes == 26_214_400)
    #expect(settings.identity.key == .here)
    #expect(settings.gpg == Settings.GPG())
    #expect(settings.history.protection == .sealed)
    #expect(settings.history.keep == .forever)
  }

  @Test func everyKeyIsUnderstood() throws {
    let settings = try settings(
      """
      [account]
      to-verified = me@example.org
      password-file = ~/.secret dir/mail
      auth = login
      ca-file = /etc/ca.pem
      fingerprint = \(String(repeating: "AB:", count: 31))AB
      ehlo = [IPv6:2001:db8::1]
      limit = 20/1h
      imap = imaps://mail.example.org
      [delivery]
      after-capture = no
      pace = off
      reply-timeout = 2s
      give-up = 1.5d
      hosts = any
      max-size = 1G
      [identity]
      passphrase-command = cat /x
      key = elsewhere
      [gpg]
      key = 0123 4567 89ab cdef 0123  4567 89AB CDEF 0123 4567
      wire = plain
      sign = yes
      [history]
      protection = none
      cache = no
      keep = 365d
      [composer]
      stay = yes
      animation = no
      sound = yes
      announce = yes
      cover = yes
      share = yes
      """
    ).get()
    let account = try #require(settings.account(named: nil))
    #expect(account.toVerified == "me@example.org")
    #expect(account.passwordFile == "/home/me/.secret dir/mail")
    #expect(account.auth == .login)
    #expect(account.caFile == "/etc/ca.pem")
    #expect(account.fingerprint == String(repeating: "ab", count: 32))
    #expect(account.ehlo == "[IPv6:2001:db8::1]")
    #expect(account.limit?.count == 20)
    #expect(account.limit?.interval == .seconds(3600))
    #expect(account.imap?.port == 993)
    #expect(!settings.delivery.afterCapture)
    #expect(settings.delivery.pace == nil)
    #expect(settings.delivery.replyTimeout == .seconds(2))
    #expect(settings.delivery.giveUp == .seconds(129_600))
    #expect(settings.delivery.hosts == .any)
    #expect(settings.delivery.maxSize.bytes == 1 << 30)
    #expect(settings.identity.passphraseCommand == "cat /x")
    #expect(settings.identity.key == .elsewhere)
    #expect(settings.gpg.key == "0123456789ABCDEF0123456789ABCDEF01234567")
    #expect(settings.gpg.wire == .plain)
    #expect(settings.gpg.sign)
    #expect(settings.history.protection == .none)
    #expect(!settings.history.cache)
    #expect(settings.history.keep == .age(.seconds(365 * 86400)))
    #expect(!settings.composer.animation)
    #expect(
      [
        settings.composer.stay, settings.composer.sound, settings.composer.announce,
        settings.composer.cover, settings.composer.share,
      ].allSatisfy { $0 })
  }

  @Test func aGPGKeyMakesTheHistoryPGPUnlessSaidOtherwise() throws {
    let key = "[gpg]\nkey = " + String(repeating: "A", count: 40) + "\n"
    #expect(try settings(key).get().history.protection == .pgp)
    #expect(try settings(key + "[history]\nprotection=sealed").get().history.protection == .sealed)
    #expect(try settings("[history]\nprotection=none\n" + key).get().history.protection == .none)
  }

  // MARK: - Accounts

  @Test func theDefaultAccountIsTheUnnamedElseTheFirst() throws {
    let both = try settings("[account work]\nto=w\n[account]\nto=h").get()
    #expect(both.defaultAccount?.to == "h")
    #expect(both.account(named: nil)?.to == "h")
    #expect(both.account(named: "work")?.to == "w")
    #expect(both.account(named: "Work") == nil)
    #expect(both.account(named: "") == nil)
    let named = try settings("[account a]\nto=1\n[account b]\nto=2").get()
    #expect(named.defaultAccount?.name == "a")
    #expect(named.account(named: "b")?.to == "2")
  }

  @Test func aSecretComesFromOnePlace() {
    #expect(
      settings("[account]\npassword-file=/x\nuser=a\npassword-command=b")
        == .failure(
          LineFault(
            4,
            .conflictingKeys(
              .account(.passwordCommand), and: .account(.passwordFile), firstLine: 2))))
    #expect(throws: Never.self) {
      try settings("[account]\npassword-file=/x\n[account b]\ntoken-command=b").get()
    }
  }

  // MARK: - Wrong values

  @Test(arguments: [
    (
      Key.account(.server),
      ["mail.example.org", "http://mail.example.org", "smtps://", "imaps://a"]
    ),
    (.account(.imap), ["smtps://a", "imaps://"]),
    (.account(.passwordFile), ["secret", "./secret", "~", "~me/secret", "$HOME/x"]),
    (.account(.caFile), ["ca.pem"]),
    (.account(.auth), ["PLAIN", "none", "cram-md5", "plain login"]),
    (.account(.fingerprint), ["ab", String(repeating: "g", count: 64), ":"]),
    (.account(.ehlo), ["my_host", "a b", "[::1]", "[1.2.3]", "[]", "-a", "a..b", "mü.example"]),
    (.account(.limit), ["20", "0/1h", "20/h", "20/0s", "-1/1h", "1/1h/1h"]),
    (.delivery(.afterCapture), ["Yes", "true", "1", "on"]),
    (.delivery(.pace), ["on", "1", "2s-1s", "1s-", "-1s", "1s-2s-3s", "2h", "1s - 2s"]),
    (
      .delivery(.replyTimeout),
      ["600", "0s", "2d", "1e3s", "+5s", "5 s", "s", "5ms", "99999999999999999999s"]
    ),
    (.delivery(.giveUp), ["0d", "366d", "5D", "5days", "1.2345d", ".5d", "5.d", "1.1.1d"]),
    (.delivery(.hosts), ["all", "Own"]),
    (.delivery(.maxSize), ["0", "1", "2G", "25MB", "M", "-1M", "1.5M", "9999999999999999999G"]),
    (.identity(.key), ["here elsewhere", "/x"]),
    (.gpg(.key), ["me@example.org", "01234567", String(repeating: "A", count: 39)]),
    (.gpg(.wire), ["clear"]), (.gpg(.sign), ["me"]),
    (.history(.protection), ["gpg"]), (.history(.cache), ["off"]),
    (
      .history(.keep),
      [
        "never", "0s", "yes", "23h", "90", "365", "999", "1e4", "-5000", "10000 notes",
        "1000000000", "36501d", "99999999999999999999",
      ]
    ),
    (.composer(.stay), ["y"]), (.composer(.animation), ["off"]), (.composer(.sound), ["0"]),
    (.composer(.announce), ["0"]), (.composer(.cover), ["0"]), (.composer(.share), ["0"]),
  ])
  func aWrongValueIsNamedWithTheFormAllowed(key: Key, values: [String]) {
    for value in values {
      let text = "# c\n[\(key.section.rawValue)]\n\(key.name) = \(value)\n"
      guard case .failure(let error) = settings(text),
        case .invalidValue(key, allowed: _) = error.fault
      else {
        Issue.record("\(key) = \(value) is taken")
        continue
      }
      #expect(error.line == 3)
    }
  }

  @Test func theAllowedFormIsData() {
    #expect(
      settings("[delivery]\nhosts=x")
        == .failure(
          LineFault(2, .invalidValue(.delivery(.hosts), allowed: .oneOf(["own", "any"])))))
    #expect(
      settings("[delivery]\nreply-timeout=0s")
        == .failure(
          LineFault(
            2,
            .invalidValue(
              .delivery(.replyTimeout), allowed: .duration(.seconds(1)...(.seconds(86400)))))))
  }

  // MARK: - OpenPGP without a key

  @Test(arguments: [
    ("[gpg]\nwire=encrypted", 2, Key.gpg(.wire)), ("[gpg]\nwire=plain\nsign=yes", 3, .gpg(.sign)),
    ("[history]\nprotection=pgp", 2, .history(.protection)),
  ])
  func whatNeedsAKeyIsRefusedWithoutOne(text: String, line: Int, key: Key) {
    #expect(settings(text) == .failure(LineFault(line, .needs(.gpg(.key), for: key))))
  }

  // MARK: - What is not built

  @Test(arguments: [
    ("[account]\nauth=plain", []), ("[account]\nauth=automatic", []), ("[account]\nauth=login", []),
    ("[account]\nauth=xoauth2", []), ("[account]\nto=a\ntoken-command=x\nlimit=1/1s", []),
    (
      "[account]\nto-verified=x\nimap=imaps://a\nfingerprint=\(String(repeating: "a", count: 64))",
      [2]
    ), ("[delivery]\npace=off", []),
    ("[identity]\nkey=elsewhere\npassphrase-command=x", []), ("[gpg]\nsign=no", []),
    ("[history]\nprotection=sealed\ncache=yes", []), ("[history]\nkeep=1d\ncache=yes", []),
    ("[composer]\nstay=no\nshare=no", [2, 3]),
  ])
  func whatIsAskedForAndNotBuiltIsListed(text: String, lines: [Int]) throws {
    #expect(try settings(text).get().unbuiltFeatures.map(\.line) == lines)
  }
}

@Suite struct QuantityTests {
  @Test(arguments: [
    ("25M", 25 << 20), ("100k", 100 << 10), ("1G", 1 << 30), ("1g", 1 << 30), ("5K", 5 << 10),
    ("7", 7), ("0", 0), ("007", 7),
  ])
  func byteCountsAreRead(text: String, bytes: Int) {
    #expect(ByteCount(text)?.bytes == bytes)
  }

  @Test func byteCountsReadBack() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<1000 {
      let count = ByteCount(
        Int.random(in: 0...4096, using: &random) << Int.random(in: 0...30, using: &random))
      #expect(ByteCount(count.description) == count)
    }
    #expect(ByteCount(25 << 20).description == "25M")
    #expect(ByteCount(0).description == "0")
  }

  @Test(arguments: [
    ("600s", 600_000), ("10m", 600_000), ("3h", 10_800_000), ("5d", 432_000_000), ("0.8s", 800),
    ("1.5s", 1500), ("0.001s", 1), ("0.25h", 900_000), ("00s", 0),
  ])
  func durationsAreRead(text: String, milliseconds: Int) {
    #expect(Duration(parsing: text.octets) == .milliseconds(milliseconds))
  }
}
