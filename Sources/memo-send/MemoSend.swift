import Configuration
import Posix
import Wording

/// The program: its surroundings, and what its arguments ask for.
struct MemoSend {
  let environment: ProcessEnvironment
  let clock: Clock
  let messenger = Messenger(English())

  /// Does what the arguments ask for: a verb and its options.
  func run(_ arguments: [String]) -> ExitStatus {
    guard let verb = arguments.first else { return misunderstood("memo-send") }
    guard verb == "flush" else {
      messenger.say(messenger.language.text(.notBuilt(verb)))
      return .unavailable
    }
    var options = FlushOptions()
    for option in arguments.dropFirst() {
      switch option {
      case "--now": options.now = true
      case "-v", "--verbose": options.isVerbose = true
      case "-n", "--dry-run": options.isDryRun = true
      default: return misunderstood(verb)
      }
    }
    do throws(ExitStatus) {
      return try Flush(self, options).run()
    } catch {
      return error
    }
  }

  private func misunderstood(_ verb: String) -> ExitStatus {
    messenger.say(messenger.language.text(.unexpectedArgument(verb: verb)))
    return .usage
  }
}

/// What `memo flush` is asked for.
struct FlushOptions {
  /// Notes are tried that are not due, and accounts that are paused.
  var now = false
  /// What happens is told note by note.
  var isVerbose = false
  /// What would be sent is told, and nothing is sent.
  var isDryRun = false
}
