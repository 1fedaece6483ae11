public import Capture

/// What is said about the command line.
public enum UsageSentence: Sendable {
  /// An option or its value is wrong.
  case option(UsageError)
  /// How to note words that begin like an option or a verb.
  case noteHint(String)
  /// A verb is followed by what cannot be its argument.
  case unexpectedArgument(verb: String)
  /// A verb, or an option of one, that is not built into this version.
  case notBuilt(String)
  /// No account has this name; those that there are.
  case unknownAccount(String, known: [String])
  /// A verb is not told of which note.
  case missingReference(verb: String)
  /// What follows a verb cannot name a note.
  case notAReference(String)
  /// A search for nothing that could be seen.
  case nothingToSearch
  /// The number after an option is none.
  case notANumber(option: String)
  /// A verb needs a mail client to run.
  case noClientGiven
  /// No argument of a mail client tells it where the notes are.
  case noPlaceholder(String)
  /// A program of the package is missing, with where it was looked for.
  case programMissing(String)
}

extension English {
  /// The English words.
  public func text(_ sentence: UsageSentence) -> String {
    switch sentence {
    case .option(.unknownOption(let name)): "unknown option: \(name)"
    case .option(.missingValue(let name)): "option \(name) needs a value"
    case .option(.unexpectedValue(let name)): "option \(name) takes no value"
    case .option(.badValue(let name)): "the value of option \(name) is not UTF-8 text"
    case .noteHint(let first): "to note the words as they stand: memo -- \(first) ..."
    case .unexpectedArgument(let verb): "'\(verb)' is a command and does not take these words"
    case .notBuilt(let what): "'\(what)' is not built into this version yet"
    case .unknownAccount(let name, let known):
      known.isEmpty
        ? "no account is named '\(name)'"
        : "no account is named '\(name)'; there is \(known.joined(separator: ", "))"
    case .missingReference(let verb): "'\(verb)' needs the id of a note"
    case .notAReference(let text): "'\(text)' is not the id of a note"
    case .nothingToSearch: "there is no word to search for"
    case .notANumber(let option): "option \(option) needs a number"
    case .noClientGiven: "view needs a mail client to run, as in: memo view mutt -f {}"
    case .noPlaceholder(let client):
      "no argument is {}, which stands for the folder of the notes, as in: memo view \(client) -f {}"
    case .programMissing(let path): "cannot find memo-send: \(path)"
    }
  }
}
