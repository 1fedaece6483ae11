import Capture
import Configuration
import Outbox
import Posix
import Sealing
import Wording

/// The program: its surroundings, and what its arguments ask for.
struct Memo {
  let environment: ProcessEnvironment
  let clock: Clock
  let random: Randomness
  let messenger = Messenger(English())

  /// Does what the arguments ask for.
  func run(_ arguments: [[UInt8]]) -> ExitStatus {
    do throws(ExitStatus) {
      switch try command(arguments) {
      case .capture(let request): return try CaptureCommand(self, request).run()
      case .send(let arguments): return try send(arguments)
      case .log(let options): return try LogCommand(try home(), options).run()
      case .show(let options): return try ShowCommand(try home(), options).run()
      case .status(let options): return try StatusCommand(try home(), options).run()
      case .view(let options): return try ViewCommand(try home(), options).run()
      case .copy(let name): return try CopyCommand(try home(), name).run()
      case .resend(let names): return try ResendCommand(try home(), names).run()
      case .cancel(let names): return try CancelCommand(try home(), names).run()
      case .search(let options): return try SearchCommand(try home(), options).run()
      case .key(let request): return try KeyCommand(try home(), request).run()
      case .help(let verb): return try write(messenger.language.help(verb))
      case .version: return try write("memo \(version)\n")
      }
    } catch {
      return error
    }
  }

  private func command(_ arguments: [[UInt8]]) throws(ExitStatus) -> Command {
    do throws(CommandError) {
      return try Command(parsing: arguments)
    } catch {
      switch error {
      case .usage(let sentence, let first):
        messenger.say(messenger.language.text(sentence))
        messenger.hint(messenger.language.text(.noteHint(first)))
        throw .usage
      case .notBuilt(let what):
        messenger.say(messenger.language.text(.notBuilt(what)))
        throw .unavailable
      }
    }
  }

  /// The version of the package.
  private var version: String { "0.1" }
}

// MARK: - Surroundings

extension Memo {
  /// The places and settings of this user.
  func home() throws(ExitStatus) -> Home {
    do throws(ConfigurationError) {
      let passwd = environment["HOME"] == nil ? Machine.homeFromPasswordFile() : nil
      let paths = try Paths(environment: { environment[$0] }, homeFromPasswd: passwd)
      let loaded = LoadedSettings(at: paths)
      let source = PassphraseSource(
        command: loaded.settings.identity.passphraseCommand, environment: environment,
        question: messenger.language.text(.ask(path: paths.identity + "/key.pem")))
      return Home(memo: self, paths: paths, loaded: loaded, passphraseSource: source)
    } catch {
      messenger.say(
        messenger.language.text(.notSaved(messenger.language.text(error))))
      throw .tryAgain
    }
  }

  /// Writes data; where that fails nothing is well.
  func write(_ text: String) throws(ExitStatus) -> ExitStatus { try write(Array(text.utf8)) }

  /// Writes data; where that fails nothing is well.
  func write(_ bytes: [UInt8]) throws(ExitStatus) -> ExitStatus {
    do throws(Errno) {
      try StandardStream.output.write(bytes)
      return .success
    } catch {
      messenger.say(messenger.language.text(.outputFailed(error.text)))
      throw .ioError
    }
  }
}

/// The program at home with a user.
struct Home {
  let memo: Memo
  let paths: Paths
  let loaded: LoadedSettings
  /// Where the key's passphrase comes from: a person may be there, who is asked once.
  let passphraseSource: PassphraseSource

  var settings: Settings { loaded.settings }
  var language: any Language { memo.messenger.language }
  func say(_ words: String) { memo.messenger.say(words) }
  func hint(_ words: String) { memo.messenger.hint(words) }
}
