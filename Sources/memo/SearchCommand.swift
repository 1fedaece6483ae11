import Characters
import History
import MessageStore
import Posix
import Wording

/// What `memo search` is asked for.
struct SearchOptions {
  let words: FoldedWords
  var isJSON = false

  init(_ rest: inout Arguments) throws(CommandError) {
    var typed: [String] = []
    var takesOptions = true
    while let argument = rest.next() {
      switch argument {
      case "--" where takesOptions: takesOptions = false
      case "--json" where takesOptions: isJSON = true
      case _ where takesOptions && argument.hasPrefix("-"): throw rest.unexpected
      default: typed.append(argument)
      }
    }
    guard let words = FoldedWords(typed) else {
      throw .usage(.nothingToSearch, first: rest.verb)
    }
    self.words = words
  }
}

/// Lists the notes in which each of some words is, newest first.
struct SearchCommand {
  private let home: Home
  private let options: SearchOptions

  init(_ home: Home, _ options: SearchOptions) {
    self.home = home
    self.options = options
  }

  func run() throws(ExitStatus) -> ExitStatus {
    let history = try home.history(opening: true)
    let entries = try home.entries(of: history, in: Set(MailStore.FolderName.allCases))
    let line = NoteLine(home, isJSON: options.isJSON, among: entries)
    let home = home
    let summary = try Search(for: options.words, in: entries).run(
      processors: Machine.processorCount, open: { try? home.history(opening: true) }
    ) { (hit: Search.Hit) throws(ExitStatus) in
      _ = try home.memo.write(line.text(hit.entry, hit.state, hit.subject) + "\n")
    }
    if StandardStream.messages.isTerminal { tell(summary) }
    return summary.hits > 0 ? .success : .attention
  }

  /// What a person wants to know besides, and a program does not.
  private func tell(_ summary: Search.Summary) {
    if summary.unreadable > 0 {
      home.say(home.language.text(.notSearched(summary.unreadable)))
    }
    guard summary.hits == 0 else { return }
    home.say(home.language.text(.nothingFound))
    home.hint(home.language.text(.noteHint("search")))
  }
}
