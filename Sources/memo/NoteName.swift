import History
import MessageFormat
import MessageStore
import Posix
import Wording

/// How a note is named on the command line.
struct NoteName {
  let reference: NoteReference
  /// As it was typed.
  let text: String

  static let newest = NoteName(reference: .nth(1), text: "@1")

  private init(reference: NoteReference, text: String) {
    (self.reference, self.text) = (reference, text)
  }

  /// The name that an argument of a verb is.
  init(_ argument: String, after verb: String) throws(CommandError) {
    guard let reference = NoteReference(argument) else {
      throw .usage(.notAReference(argument), first: verb)
    }
    self.init(reference: reference, text: argument)
  }
}

/// The notes that a verb is to do something with.
struct NoteNames {
  let names: [NoteName]

  init(_ rest: inout Arguments) throws(CommandError) {
    var names: [NoteName] = []
    while let argument = rest.next() { names.append(try NoteName(argument, after: rest.verb)) }
    guard !names.isEmpty else { throw .usage(.missingReference(verb: rest.verb), first: rest.verb) }
    self.names = names
  }
}

extension Home {
  /// The one note that is meant; none or several are told.
  ///
  /// One that a mail client renames while the folders are read can be missed: they are read again
  /// before a note is said not to be there.
  func note(
    _ name: NoteName, of history: borrowing History, among entries: [HistoryEntry]
  ) throws(ExitStatus) -> HistoryEntry {
    var matches = History.matches(name.reference, among: entries)
    for _ in 0..<Self.looks where matches.isEmpty && !entries.isEmpty {
      let again = try self.entries(of: history, in: Set(MailStore.FolderName.allCases))
      matches = History.matches(name.reference, among: again)
    }
    if matches.count == 1 { return matches[0] }
    if entries.isEmpty {
      say(language.text(.noNotes))
    } else if matches.isEmpty {
      say(language.text(.noSuchNote(name.text)))
    } else {
      say(language.text(.ambiguous(name.text)))
      for match in matches.prefix(10) {
        hint("\(match.id?.description ?? "-")  \(when(match.captured / 1000))")
      }
    }
    throw .noInput
  }

  private static let looks = 4

  /// Does something with each of some notes, once; those that are not there are told.
  ///
  /// All names are understood before anything changes, or `@2` would mean another note after the
  /// first was done.
  ///
  /// - Returns: Success, else the gravest of what went wrong.
  func forEach(
    _ names: NoteNames, of history: borrowing History, among entries: [HistoryEntry],
    _ body: (HistoryEntry, NoteName) throws(ExitStatus) -> Void
  ) -> ExitStatus {
    var worst = ExitStatus.success
    var meant: [(HistoryEntry, NoteName)] = []
    func gather(_ step: () throws(ExitStatus) -> Void) {
      do throws(ExitStatus) {
        try step()
      } catch {
        if error.rawValue > worst.rawValue { worst = error }
      }
    }
    for name in names.names {
      gather { () throws(ExitStatus) in
        let entry = try note(name, of: history, among: entries)
        if !meant.contains(where: { $0.0 == entry }) { meant.append((entry, name)) }
      }
    }
    for (entry, name) in meant { gather { () throws(ExitStatus) in try body(entry, name) } }
    return worst
  }
}
