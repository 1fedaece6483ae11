import Characters
import Configuration
import Posix
import Sealing
import Wording

extension KeyCommand {
  func show() throws(ExitStatus) -> ExitStatus {
    let identity = try home.withIdentity { (identity) throws(IdentityFolder.Failure) in
      try identity.description()
    }
    let isElsewhere = home.settings.identity.key == .elsewhere
    if identity.fingerprint == nil, identity.key == .missing {
      home.say(language.text(KeySentence.none))
    } else {
      let shown = KeySentence.shown(
        identity, folder: home.paths.identity, made: identity.made.map { home.when($0) },
        isElsewhere: isElsewhere)
      _ = try write(language.text(shown))
    }
    return try write(language.text(openPGP()))
  }

  private func write(_ text: String) throws(ExitStatus) -> ExitStatus {
    try home.memo.write(sanitised(text, as: .text))
  }

  private func openPGP() -> KeySentence {
    guard let gpg = Executable.find("gpg", environment: home.memo.environment) else {
      return .noGPG
    }
    // gpg would make its folder just to say that there is nothing in it.
    let folder = home.memo.environment["GNUPGHOME"] ?? home.paths.home + "/.gnupg"
    guard (try? Directory(folder)) != nil else { return .noOpenPGPKey }
    do throws(ShellCommand.Failure) {
      let keys = try OpenPGPKey.all(gpg, environment: home.memo.environment)
      return keys.isEmpty ? .noOpenPGPKey : .openPGP(keys.map { ($0.fingerprint, $0.user) })
    } catch {
      return .gpgFailed(error)
    }
  }
}
