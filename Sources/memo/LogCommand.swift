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
    let history = try home.history()
    let all = try home.entries(of: history, in: Set(MailStore.FolderName.allCases))
    let ids = all.compactMap(\.id)
    var shown = all.filter { options.folders.contains($0.folder) }
    if let count = options.count { shown = Array(shown.prefix(count)) }
    if shown.isEmpty, StandardStream.output.isTerminal, !options.isJSON {
      home.say(language.text(.noNotes))
    }
    for entry in shown {
      guard let line = line(of: entry, history, ids) else { continue }
      _ = try home.memo.write(line + "\n")
    }
    return .success
  }

  private func line(
    of entry: HistoryEntry, _ history: borrowing History, _ ids: [NoteID]
  ) -> String? {
    do throws(HistoryError) {
      let state = try history.state(of: entry)
      let first = try firstLine(of: entry, history)
      if options.isJSON { return json(entry, state, first) }
      return text(entry, state, first ?? language.text(.noText), ids)
    } catch {
      switch error {
      // Gone, or not a note at all: a folder or a link that lies among them.
      case .vanished, .store: return nil
      case .sealed: return withoutText(entry, history, ids, .sealed)
      case .encrypted, .notDecrypted:
        return withoutText(entry, history, ids, .encrypted)
      case .damaged: return withoutText(entry, history, ids, .damaged)
      }
    }
  }

  private func withoutText(
    _ entry: HistoryEntry, _ history: borrowing History, _ ids: [NoteID],
    _ sentence: HistorySentence
  ) -> String? {
    guard let state = try? history.state(of: entry) else { return nil }
    return options.isJSON
      ? json(entry, state, nil) : text(entry, state, language.text(sentence), ids)
  }

  private func firstLine(
    of entry: HistoryEntry, _ history: borrowing History
  ) throws(HistoryError) -> String? {
    try history.content(of: entry).message.subject
  }
}

// MARK: - A line

extension LogCommand {
  private func text(
    _ entry: HistoryEntry, _ state: HistoryEntry.State, _ first: String, _ ids: [NoteID]
  ) -> String {
    let id = entry.id?.shortestEnding(among: ids) ?? "-"
    let start = padded(id, toWidth: 8) + padded(home.when(entry.captured / 1000), toWidth: 13)
    let badge = badge(state).map { "  [" + sanitised($0) + "]" } ?? ""
    let first = sanitised(first)
    guard let columns = StandardStream.output.columns else { return start + first + badge }
    // The badge is what matters: the text gives way to it, down to a third of the line.
    let room = max(columns - width(start) - width(badge), columns / 3)
    return truncated(start + truncated(first, toWidth: room) + badge, toWidth: columns)
  }

  private func badge(_ state: HistoryEntry.State) -> String? {
    switch state {
    case .sent: nil
    case .waiting(let until, let reason):
      language.text(.badgeWaiting(until: home.nextTry(until), reason))
    case .perhapsDelivered: language.text(.badgePerhaps)
    case .failed(let reason): language.text(.badgeFailed(reason))
    }
  }

  private func json(
    _ entry: HistoryEntry, _ state: HistoryEntry.State, _ first: String?
  ) -> String {
    JSON.object(home.members(of: entry, state) + [("first_line", .optional(first))]).text
  }
}

extension Home {
  /// What log and show tell programs of a note.
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
