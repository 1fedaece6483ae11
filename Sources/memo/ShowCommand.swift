import Characters
import History
import MessageFormat
import MessageStore
import Posix
import Wording

/// Shows one note.
struct ShowCommand {
  private let home: Home
  private let options: ShowOptions
  private var language: any Language { home.language }

  init(_ home: Home, _ options: ShowOptions) {
    self.home = home
    self.options = options
  }

  func run() throws(ExitStatus) -> ExitStatus {
    let history = try home.history()
    let entries = try home.entries(of: history, in: Set(MailStore.FolderName.allCases))
    let entry = try theOne(among: entries)
    let content: HistoryContent
    do throws(HistoryError) {
      content = try history.content(of: entry) { (armor) throws(HistoryError) in
        try decrypted(armor)
      }
    } catch {
      home.say(language.text(.cannotShow(error)))
      if case .notDecrypted(.locked) = error { home.hint(language.text(.decryptHint)) }
      throw .noInput
    }
    return try home.memo.write(bytes(of: entry, content))
  }

  private func decrypted(_ armor: [UInt8]) throws(HistoryError) -> Message {
    let isAttended = StandardStream.input.isTerminal && StandardStream.messages.isTerminal
    let gpg = OpenPGPDecryption(
      environment: home.memo.environment,
      terminal: isAttended ? StandardStream.input.terminalPath : nil)
    do throws(OpenPGPDecryption.Failure) {
      return try gpg.message(in: armor)
    } catch {
      throw .notDecrypted(error)
    }
  }

  private func theOne(among entries: [HistoryEntry]) throws(ExitStatus) -> HistoryEntry {
    let matches = History.matches(options.reference, among: entries)
    if matches.count == 1 { return matches[0] }
    if entries.isEmpty {
      home.say(language.text(.noNotes))
    } else if matches.isEmpty {
      home.say(language.text(.noSuchNote(options.name)))
    } else {
      home.say(language.text(.ambiguous(options.name)))
      for match in matches.prefix(10) {
        home.hint("\(match.id?.description ?? "-")  \(home.when(match.captured / 1000))")
      }
    }
    throw .noInput
  }
}

// MARK: - Forms

extension ShowCommand {
  private func bytes(of entry: HistoryEntry, _ content: HistoryContent) -> [UInt8] {
    switch options.form {
    case .raw: content.message.bytes(lineEnds: .lf)
    case .headers: Array(headers(content).utf8)
    case .json: Array((json(entry, content) + "\n").utf8)
    case .text: Array(text(entry, content).utf8)
    }
  }

  /// On a terminal made safe for it; elsewhere as it was written.
  private func shown(_ text: String, as form: TerminalForm) -> String {
    StandardStream.output.isTerminal ? sanitised(text, as: form) : text
  }

  private func text(_ entry: HistoryEntry, _ content: HistoryContent) -> String {
    var output = shown(content.message.text, as: .text)
    if !output.isEmpty, !output.hasSuffix("\n") { output += "\n" }
    for attachment in content.message.attachments {
      let line = language.text(.attachment(name: attachment.name, size: attachment.content.count))
      output += sanitised(line) + "\n"
    }
    if case .sent = content.state { return output }
    let until = home.nextTry(content.state.nextTry)
    home.say(language.text(.state(content.state, until: until)))
    return output
  }

  private func headers(_ content: HistoryContent) -> String {
    content.message.header.fields
      .map { shown("\($0.name): \($0.decodedText)", as: .line) + "\n" }.joined()
  }

  private func json(_ entry: HistoryEntry, _ content: HistoryContent) -> String {
    let message = content.message
    let attachments = message.attachments.map { attachment in
      JSON.object([
        ("name", .string(attachment.name)), ("type", .string(attachment.contentType)),
        ("size", .number(Int64(attachment.content.count))),
      ])
    }
    return JSON.object(
      home.members(of: entry, content.state) + [
        ("date", .optional(message.date?.description)),
        ("subject", .optional(message.subject)),
        ("account", .optional(content.account)),
        ("text", .string(message.text)),
        ("attachments", .array(attachments)),
      ]
    ).text
  }
}
