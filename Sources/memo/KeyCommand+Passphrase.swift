import Configuration
import Posix
import Sealing
import Wording

// Design: passphrases are typed, both of them, and come from nowhere else: a command line and an
// environment can be read by others, and a file would be the very copy that a passphrase is to
// make useless. What the command for unattended sending prints is compared at the end.

extension KeyCommand {
  func changePassphrase(isRemoved: Bool) throws(ExitStatus) -> ExitStatus {
    if !isRemoved { try refuseToLockOut() }
    guard HiddenQuestion.canAsk else { throw home.stop(.noTerminal, .noPermission) }
    let path = home.paths.identity + "/key.pem"
    let typed = PassphraseSource(
      command: nil, environment: home.memo.environment,
      question: language.text(.ask(path: path)))
    let left = try home.withIdentity {
      (identity) throws(IdentityFolder.Failure) -> Outcome in
      let change = try identity.beginChange()
      let isLocked = try identity.isLocked()
      if isRemoved, !isLocked { return .stopped(home.stop(.hasNoPassphrase, .attention)) }
      let key = try identity.unlocked(typed)
      guard !isRemoved else { return .done(left: try identity.protect(change, key, under: nil)) }
      let new: SecretBytes
      do throws(ExitStatus) {
        new = try home.askNewPassphrase(of: path, orHint: .emptyPassphraseHint)
      } catch {
        return .stopped(error)
      }
      let trouble = troubleWithCommand(new)
      let left = try identity.protect(change, key, under: consume new)
      if let trouble { home.say(language.text(trouble)) }
      return .done(left: left)
    }
    switch left {
    case .stopped(let status): throw status
    case .done(let left):
      for name in left { home.say(language.text(.oldKeyLeft(name: name))) }
      return left.isEmpty ? .success : .attention
    }
  }

  private enum Outcome {
    case done(left: [String])
    case stopped(ExitStatus)
  }

  private func refuseToLockOut() throws(ExitStatus) {
    guard home.settings.identity.passphraseCommand == nil, home.sendsUnattended else { return }
    home.say(language.text(.wouldLockSender))
    home.hint(language.text(.wouldLockSenderHint))
    throw .configuration
  }

  /// What is wrong when the command that unattended sending relies on prints something else.
  private func troubleWithCommand(_ passphrase: borrowing SecretBytes) -> KeySentence? {
    guard let command = home.settings.identity.passphraseCommand else { return nil }
    let source = PassphraseSource(
      command: command, environment: home.memo.environment, question: nil)
    do throws(PassphraseSource.Failure) {
      guard let printed = try source.passphrase(), printed.holdsSame(as: passphrase) else {
        return .commandDiffers
      }
      return nil
    } catch {
      return .commandFails(error)
    }
  }

  func rotate() throws(ExitStatus) -> ExitStatus {
    let name = try home.withIdentity {
      (identity) throws(IdentityFolder.Failure) -> String? in
      let change = try identity.beginChange()
      let key = try identity.unlocked(home.passphraseSource)
      try identity.rotate(change, key, now: home.memo.clock.seconds)
      return try identity.description().keyIdentifier
    }
    home.say(language.text(.rotated(keyIdentifier: name ?? "")))
    home.hint(language.text(.rotatedHint))
    return .success
  }
}
