public import Posix
public import Sealing

/// What is said about the key that notes are sealed to.
public enum KeySentence: Sendable {
  /// The lines of `memo key show`.
  case shown(IdentityDescription, folder: String, made: String?, isElsewhere: Bool)
  /// There is no identity yet.
  case none
  /// Which OpenPGP keys can encrypt, and what to write into the configuration file.
  case openPGP([(fingerprint: String, user: String)])
  /// No OpenPGP key can be used.
  case noOpenPGPKey
  /// There is no gpg in PATH.
  case noGPG
  /// gpg gave no list of its keys.
  case gpgFailed(ShellCommand.Failure)

  /// A key in clear is not shown on a terminal unasked.
  case notOnTerminal
  /// How to have it nevertheless.
  case notOnTerminalHint
  /// A file was not written.
  case notWritten(path: String, Errno)
  /// A file holds the key with nothing to protect it.
  case writtenInClear(path: String)
  /// Old keys are not in what was exported.
  case oldKeysApart(Int, folder: String)

  /// The question for the passphrase of a key.
  case ask(path: String)
  /// The question for a new passphrase.
  case askNew(what: String)
  /// The question for a new passphrase, once more.
  case askAgain
  /// There is no terminal to ask on.
  case noTerminal
  /// Nothing was typed.
  case emptyPassphrase
  /// How to have none.
  case emptyPassphraseHint
  /// The two were not the same.
  case differ
  /// The passphrase is too long, or there was none.
  case noPassphrase(Errno)
  /// The file with a passphrase cannot be used.
  case passphraseFile(path: String, Errno)
  /// The file with a passphrase can be read by others.
  case passphraseFileOpen(path: String)
  /// The key has none to remove.
  case hasNoPassphrase
  /// A passphrase would keep notes from being sent unattended.
  case wouldLockSender
  /// What to do before.
  case wouldLockSenderHint
  /// `passphrase-command` prints another one than the new one.
  case commandDiffers
  /// `passphrase-command` prints nothing that could be compared.
  case commandFails(PassphraseSource.Failure)
  /// An old key has another passphrase, and stays as it is.
  case oldKeyLeft(name: String)

  /// Several messages cannot be told apart on standard output.
  case recoverNeedsFolder
  /// A file could not be recovered; why, in words.
  case notRecovered(path: String, why: String)
  /// How many were recovered, how many were there already, how many could not be.
  case recovered(Int, present: Int, bad: Int)
  /// Another file has the name that a recovered one would get.
  case otherFileThere(path: String)
  /// A message is encrypted with OpenPGP.
  case isOpenPGP
  /// No message of memo's.
  case isNoNote
  /// The key that was named is not one.
  case keyOption(path: String, SealingError)

  /// A new key is in use.
  case rotated(keyIdentifier: String)
  /// What to do next.
  case rotatedHint
  /// A sender is at work.
  case senderAtWork
  /// How many files were sealed anew, how many had been already, how many could not be.
  case rewrapped(Int, already: Int, bad: Int)
  /// A file was not sealed anew; why, in words.
  case notRewrapped(path: String, why: String)
  /// An old key was removed.
  case oldKeyRemoved(name: String)
  /// Old keys are not removed while there are files that could not be looked at.
  case oldKeysKept
  /// Old keys are not removed so soon after a rotation.
  case tooSoon(until: String)
}

extension English {
  /// The English words.
  public func text(_ sentence: KeySentence) -> String {
    switch sentence {
    case .shown(let identity, let folder, let made, let isElsewhere):
      shown(identity, folder, made, isElsewhere)
    case .none: "there is no key yet: the first note makes one"
    case .openPGP(let keys):
      "OpenPGP keys that can encrypt; to use one, write its line under [gpg]:\n"
        + keys.map { "  \($0.user)\nkey = \($0.fingerprint)\n" }.joined()
    case .noOpenPGPKey: "gpg has no secret key that can encrypt\n"
    case .noGPG: "no gpg in PATH\n"
    case .gpgFailed(let failure): "gpg gives no list of its keys\(text(failure))\n"
    case .notOnTerminal: "the key is not shown on a terminal"
    case .notOnTerminalHint: "memo key export --pem FILE; or '--pem -' to see it nevertheless"
    case .notWritten(let path, .fileExists): "\(path): there is a file already; nothing was written"
    case .notWritten(let path, let error): "\(path): \(error.text)"
    case .writtenInClear(let path):
      "\(path) opens every note and has no passphrase: keep it safe"
    case .oldKeysApart(let count, let folder):
      "\(count == 1 ? "an old key is" : "\(count) old keys are") not in it: copy \(folder) too"
    case .ask(let path): "passphrase of \(path): "
    case .askNew(let what): "new passphrase of \(what): "
    case .askAgain: "the same once more: "
    case .noTerminal: "a passphrase is asked for on a terminal, and there is none"
    case .emptyPassphrase: "the passphrase is empty; nothing was changed"
    case .emptyPassphraseHint: "to have none: memo key passphrase --remove"
    case .differ: "the two are not the same; nothing was changed"
    case .noPassphrase(let error): "no passphrase: \(error.text)"
    case .passphraseFile(let path, let error): "\(path): \(error.text)"
    case .passphraseFileOpen(let path): "\(path) can be read by others; run: chmod go= \(path)"
    case .hasNoPassphrase: "the key has no passphrase"
    case .wouldLockSender:
      "not changed: notes are sent unattended, and there is no passphrase-command"
    case .wouldLockSenderHint:
      "set 'passphrase-command', or 'after-capture = no' and use no timer and no 'memo watch'"
    case .commandDiffers:
      "the passphrase is set, but passphrase-command prints another one: notes wait"
    case .commandFails(let failure):
      "the passphrase is set, but \(text(failure)): notes wait"
    case .oldKeyLeft(let name): "old key \(name) has another passphrase and was left as it is"
    case .recoverNeedsFolder: "several messages need a folder: --to DIR"
    case .notRecovered(let path, let why): "\(path): \(why)"
    case .recovered(let new, let present, let bad):
      "\(count(new, "note", "notes")) recovered"
        + (present > 0 ? ", \(present) there already" : "") + (bad > 0 ? ", \(bad) not" : "")
    case .otherFileThere(let path): "\(path) is another file, and stays"
    case .isOpenPGP: "encrypted with OpenPGP: gpg opens it, not this key"
    case .isNoNote: "not a note of memo's"
    case .keyOption(let path, let error): "\(path): \(text(error))"
    case .rotated(let name): "new key \(name); what was noted before stays readable"
    case .rotatedHint:
      "copy the new key to a safe place, and to machines that only capture the new certificate"
    case .senderAtWork: "a sender is at work; try again when it is done"
    case .rewrapped(let new, let already, let bad):
      "\(count(new, "file", "files")) sealed to the present key"
        + (already > 0 ? ", \(already) were already" : "")
        + (bad > 0 ? ", \(bad) could not be" : "")
    case .notRewrapped(let path, let why): "\(path): \(why)"
    case .oldKeyRemoved(let name): "old key \(name) removed"
    case .oldKeysKept: "old keys stay, as not every file could be looked at"
    case .tooSoon(let until):
      "old keys stay until \(until): a note begun before may still be sealed to them"
    }
  }

  private func shown(
    _ identity: IdentityDescription, _ folder: String, _ made: String?, _ isElsewhere: Bool
  ) -> String {
    var lines: [String] = []
    if let fingerprint = identity.fingerprint {
      lines.append("certificate  SHA-256 \(colons(fingerprint))")
    }
    if let name = identity.keyIdentifier { lines.append("key          \(name)") }
    if let made { lines.append("made         \(made)") }
    lines.append("folder       \(folder)")
    lines.append("passphrase   \(passphrase(identity.key, isElsewhere))")
    for old in identity.oldKeys { lines.append("old key      \(old)") }
    return lines.map { $0 + "\n" }.joined()
  }

  private func passphrase(_ key: IdentityDescription.Key, _ isElsewhere: Bool) -> String {
    switch key {
    case .missing: isElsewhere ? "- (the key is elsewhere)" : "- (the key is gone)"
    case .plain: "no"
    case .underPassphrase: "yes"
    case .unusable: "- (key.pem is not a key that can be used)"
    }
  }

  /// Digits as openssl shows a fingerprint.
  private func colons(_ digits: String) -> String {
    let digits = Array(digits.uppercased())
    return stride(from: 0, to: digits.count, by: 2)
      .map { String(digits[$0..<min($0 + 2, digits.count)]) }.joined(separator: ":")
  }

  /// Why there is no passphrase.
  func text(_ failure: PassphraseSource.Failure) -> String {
    switch failure {
    case .command(let failure): "passphrase-command" + text(failure)
    case .commandWrong: "passphrase-command prints a wrong passphrase"
    case .terminal(let error): text(KeySentence.noPassphrase(error))
    }
  }

  /// What became of a command, after its name.
  func text(_ failure: ShellCommand.Failure) -> String {
    switch failure {
    case .system(let error): ": \(error.text)"
    case .ended(.exited(let status)): " ended with status \(status)"
    case .ended(.signalled(let signal)): " was ended by signal \(signal)"
    case .timedOut: " took too long"
    case .empty: " printed nothing"
    }
  }
}
