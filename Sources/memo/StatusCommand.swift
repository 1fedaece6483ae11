import Characters
import Configuration
import History
import MessageStore
import Outbox
import Posix
import Sealing
import Wording

/// Tells how things stand; status 1 when a person is needed.
struct StatusCommand {
  private let home: Home
  private let options: StatusOptions
  private var language: any Language { home.language }

  init(_ home: Home, _ options: StatusOptions) {
    self.home = home
    self.options = options
  }

  func run() throws(ExitStatus) -> ExitStatus {
    home.removeAbandoned()
    let history = try home.history(opening: false)
    let report: StatusReport
    do throws(HistoryError) {
      report = try history.status(
        accounts: home.settings.accounts.map(\.name), settingsModified: home.loaded.modified,
        openPGPKey: home.settings.gpg.key)
    } catch {
      home.say(language.text(.cannotShow(error)))
      throw .tryAgain
    }
    let trouble = trouble()
    _ = try home.memo.write(options.isJSON ? json(report, trouble) : text(report, trouble))
    return report.needsPerson || !trouble.isEmpty ? .attention : .success
  }

  /// What is wrong with the settings or the identity, in words.
  private func trouble() -> [String] {
    var trouble: [String] = []
    if case .broken(let error) = home.loaded { trouble.append(language.text(error)) }
    if home.settings.accounts.isEmpty, case .broken = home.loaded {
    } else if home.settings.accounts.isEmpty {
      trouble.append(language.text(.noAccount))
    }
    for account in home.settings.accounts {
      do throws(ReadyAccount.Fault) {
        _ = try ReadyAccount(account)
      } catch {
        trouble.append(language.text(error, of: account.name))
      }
    }
    for unbuilt in home.settings.unbuiltFeatures {
      trouble.append(language.text(.notBuilt(line: unbuilt.line, key: unbuilt.key.name)))
    }
    if let identity = identityTrouble() { trouble.append(identity) }
    return trouble
  }

  private func identityTrouble() -> String? {
    do throws(IdentityFolder.Failure) {
      let identity = try IdentityFolder(home.paths.identity)
      guard try identity.exists() else { return nil }
      guard home.settings.identity.key == .here else { return nil }
      if try identity.isLocked() {
        let isNeeded = home.settings.identity.passphraseCommand == nil && home.sendsUnattended
        return isNeeded ? language.text(.statusKeyLocked) : nil
      }
      _ = try identity.opener()
      return nil
    } catch {
      return language.text(error)
    }
  }
}

// MARK: - Forms

extension StatusCommand {
  private func text(_ report: StatusReport, _ trouble: [String]) -> String {
    var sentences: [HistorySentence] = [
      .statusWaiting(report.waiting, nextDue: home.nextTry(report.nextDue))
    ]
    if report.perhapsDelivered > 0 { sentences.append(.statusPerhaps(report.perhapsDelivered)) }
    if report.failed > 0 { sentences.append(.statusFailed(report.failed)) }
    sentences.append(
      .statusSent(report.sent, last: report.lastAccepted.map { home.when($0) }))
    for held in report.held {
      sentences.append(
        .statusHeld(account: held.account, until: home.when(held.hold.until), held.hold.reason))
    }
    if let reason = report.openPGPTrouble { sentences.append(.statusOpenPGP(reason)) }
    if let expires = report.keyExpires {
      sentences.append(
        .statusKeyExpires(home.when(expires), isPast: expires <= home.memo.clock.seconds))
    }
    if report.waiting > 0, !retries(report) { sentences.append(.statusNothingRetries) }
    sentences += trouble.map { .statusTrouble($0) }
    return sentences.map { sanitised(language.text($0)) + "\n" }.joined()
  }

  /// Whether whatever waits is tried again without anybody asking for it: a sender waits, or a
  /// timer had one at work in the last day.
  private func retries(_ report: StatusReport) -> Bool {
    if MailStore.hasWaitingSender(at: home.paths.mail) { return true }
    guard let last = report.lastUnattendedRun else { return false }
    return home.memo.clock.seconds - last < 86400
  }

  private func json(_ report: StatusReport, _ trouble: [String]) -> String {
    let held = report.held.map { held in
      JSON.object([
        ("account", .optional(held.account)),
        ("kind", .string(held.hold.kind.rawValue)),
        ("until", JSON.time(held.hold.until)),
        ("reason", .string(language.text(held.hold.reason))),
      ])
    }
    let members: [(String, JSON)] = [
      ("waiting", .number(Int64(report.waiting))),
      ("perhaps_delivered", .number(Int64(report.perhapsDelivered))),
      ("failed", .number(Int64(report.failed))),
      ("sent", .number(Int64(report.sent))),
      ("next_due", report.nextDue.map(JSON.time) ?? .null),
      ("last_accepted", report.lastAccepted.map(JSON.time) ?? .null),
      ("held", .array(held)),
      ("openpgp", .optional(report.openPGPTrouble.map { language.text($0) })),
      ("openpgp_key_expires", report.keyExpires.map(JSON.time) ?? .null),
      ("retries", .bool(retries(report))),
      ("trouble", .array(trouble.map { .string($0) })),
    ]
    return JSON.object(members).text + "\n"
  }
}
