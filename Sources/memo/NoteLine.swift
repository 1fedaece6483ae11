import Characters
import History
import MessageFormat
import Posix
import Wording

/// A note as a line of a list: for log and search.
struct NoteLine {
  let home: Home
  let isJSON: Bool
  /// All notes there are, among which an id has to be told apart.
  let ids: [NoteID]
  private var language: any Language { home.language }

  init(_ home: Home, isJSON: Bool, among entries: [HistoryEntry]) {
    self.home = home
    self.isJSON = isJSON
    ids = entries.compactMap(\.id)
  }

  /// The line, without its end.
  ///
  /// - Parameters:
  ///   - entry: The note.
  ///   - state: What became of it.
  ///   - first: Its first line, nil when it has none or does not open.
  ///   - instead: What is shown in the place of a first line.
  /// - Returns: Text that is safe on a terminal.
  func text(
    _ entry: HistoryEntry, _ state: HistoryEntry.State, _ first: String?,
    instead: HistorySentence = .noText
  ) -> String {
    guard !isJSON else { return json(entry, state, first) }
    let id = entry.id?.shortestEnding(among: ids) ?? "-"
    let start = padded(id, toWidth: 8) + padded(home.when(entry.captured / 1000), toWidth: 13)
    let badge = badge(state).map { "  [" + sanitised($0) + "]" } ?? ""
    let first = sanitised(first ?? language.text(instead))
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
