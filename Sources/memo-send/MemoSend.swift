import Configuration
import Posix
import Wording

/// The program: its surroundings, and what its arguments ask for.
struct MemoSend {
  let environment: ProcessEnvironment
  let clock: Clock
  let random: Randomness
  let messenger = Messenger(English())

  /// Does what the arguments ask for: a verb and its options.
  func run(_ arguments: [String]) -> ExitStatus {
    do throws(ExitStatus) {
      guard let verb = arguments.first else { throw misunderstood("memo-send") }
      let paths = try paths()
      switch verb {
      case "flush":
        guard let options = FlushOptions(arguments.dropFirst()) else { throw misunderstood(verb) }
        guard options.lingers else { return try flush(paths, options) }
        return try Watch(self, paths, .whileSomethingIsDue).run()
      case "watch":
        guard arguments.count == 1 else { throw misunderstood(verb) }
        return try Watch(self, paths, .untilStopped).run()
      default:
        messenger.say(messenger.language.text(.notBuilt(verb)))
        throw .unavailable
      }
    } catch {
      return error
    }
  }

  /// One run, in which a signal only asks it to stop: a reply that is due is awaited.
  private func flush(_ paths: Paths, _ options: FlushOptions) throws(ExitStatus) -> ExitStatus {
    do throws(Errno) {
      _ = try StopRequest()
    } catch {
      messenger.say(messenger.language.text(.systemFailed(error.text)))
      throw .ioError
    }
    var options = options
    options.mayAsk = true
    return try Flush(self, paths, options).run().status
  }

  private func paths() throws(ExitStatus) -> Paths {
    do throws(ConfigurationError) {
      return try Paths(
        environment: environment.variables, homeFromPasswd: Machine.homeFromPasswordFile())
    } catch {
      messenger.say(messenger.language.text(error))
      throw .configuration
    }
  }

  private func misunderstood(_ verb: String) -> ExitStatus {
    messenger.say(messenger.language.text(.unexpectedArgument(verb: verb)))
    return .usage
  }
}

/// What `memo flush` is asked for.
struct FlushOptions {
  /// Notes are tried that are not due, and accounts that are on hold.
  var now = false
  /// What happens is told note by note.
  var isVerbose = false
  /// What would be sent is told, and nothing is sent.
  var isDryRun = false
  /// A capture started it: it stays while something falls due soon.
  var lingers = false
  /// A person is there, who has just made a note.
  var isAsked = false
  /// A person may be asked for the key's passphrase: this one run is all there is.
  var mayAsk = false
  /// A link, an address or a route has just changed.
  var networkChanged = false

  /// The options of a run that nobody asked for.
  init() {}

  /// Understands the arguments behind the verb; nil when they are not understood.
  init?(_ arguments: ArraySlice<String>) {
    for option in arguments {
      switch option {
      case "--now": now = true
      case "-v", "--verbose": isVerbose = true
      case "-n", "--dry-run": isDryRun = true
      case "--linger": lingers = true
      default: return nil
      }
    }
  }
}
