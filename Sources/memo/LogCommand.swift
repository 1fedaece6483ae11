import Characters
import History
import MessageFormat
import MessageStore
import Outbox
import Posix
import Wording

/// Lists the notes, newest first, a line each.
struct LogCommand {
  private let home: Home
  private let options: LogOptions
  private var language: any Language { home.language }

  init(_ home: Home, _ options: LogOptions) {
    self.home = home
    self.options = options
  }

  func run() throws(ExitStatus) -> ExitStatus {
    let history = try home.history(opening: true)
    let all = try home.entries(of: history, in: Set(MailStore.FolderName.allCases))
    let line = NoteLine(home, isJSON: options.isJSON, among: all)
    var shown = all.filter { options.folders.contains($0.folder) }
    if let count = options.count { shown = Array(shown.prefix(count)) }
    if shown.isEmpty, StandardStream.output.isTerminal, !options.isJSON {
      home.say(language.text(.noNotes))
    }
    for entry in shown {
      guard let text = self.line(of: entry, history, line) else { continue }
      _ = try home.memo.write(text + "\n")
    }
    return .success
  }

  private func line(
    of entry: HistoryEntry, _ history: borrowing History, _ line: NoteLine
  ) -> String? {
    do throws(HistoryError) {
      // Together: a mail client may move the note meanwhile.
      let content = try history.content(of: entry)
      return line.text(entry, content.state, content.message.subject)
    } catch {
      guard let state = try? history.state(of: entry) else { return nil }
      switch error {
      // Gone, or not a note at all: a folder or a link that lies among them.
      case .vanished, .store: return nil
      case .sealed: return line.text(entry, state, nil, instead: .sealed)
      case .locked: return line.text(entry, state, nil, instead: .locked)
      case .encrypted, .notDecrypted: return line.text(entry, state, nil, instead: .encrypted)
      case .damaged: return line.text(entry, state, nil, instead: .damaged)
      }
    }
  }
}

extension Home {
  /// What log, search and show tell programs of a note.
  func members(of entry: HistoryEntry, _ state: HistoryEntry.State) -> [(String, JSON)] {
    [
      ("id", .optional(entry.id?.description)),
      ("state", .string(state.name)),
      ("captured", JSON.time(entry.captured / 1000)),
      ("next_try", state.nextTry.map(JSON.time) ?? .null),
      ("reason", state.reason.map { .string(language.text($0)) } ?? .null),
      ("code", state.reason?.reply.map { .number(Int64($0.code)) } ?? .null),
      (
        "enhanced_status_code",
        .optional(state.reason?.reply?.enhancedStatusCode?.description)
      ),
      (
        "reply",
        state.reason?.reply.map { .array($0.lines.map { .string($0) }) } ?? .null
      ),
    ]
  }
}
