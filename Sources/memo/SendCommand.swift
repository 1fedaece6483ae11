import Configuration
import Posix
import Wording

extension Memo {
  /// Becomes memo-send, which has the network code.
  func send(_ arguments: [String]) throws(ExitStatus) -> ExitStatus {
    guard let path = try home().senderPath else {
      messenger.say(messenger.language.text(.programMissing("$MEMO_SEND")))
      throw .unavailable
    }
    do throws(Errno) {
      try ChildProcess.replace(with: path, arguments, environment: environment)
    } catch {
      messenger.say(messenger.language.text(.programMissing("\(path): \(error.text)")))
    }
    throw .unavailable
  }
}
