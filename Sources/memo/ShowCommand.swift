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
    let history = try home.history(opening: true)
    let entries = try home.entries(of: history, in: Set(MailStore.FolderName.allCases))
    let entry = try home.note(options.name, of: history, among: entries)
    let content = try home.content(of: entry, in: history)
    if case .save(let folder) = options.form {
      return try SavingFiles(home: home, folder: folder).save(content.message)
    }
    return try home.memo.write(bytes(of: entry, content))
  }
}

// MARK: - Forms

extension ShowCommand {
  private func bytes(of entry: HistoryEntry, _ content: HistoryContent) -> [UInt8] {
    switch options.form {
    case .raw: shown(content.message.bytes(lineEnds: .lf))
    case .headers: Array(headers(content).utf8)
    case .json: Array((json(entry, content) + "\n").utf8)
    case .text, .save: Array(text(entry, content).utf8)
    }
  }

  /// On a terminal made safe for it; elsewhere as it was written.
  private func shown(_ text: String, as form: TerminalForm) -> String {
    StandardStream.output.isTerminal ? sanitised(text, as: form) : text
  }

  /// The same for octets of any kind.
  private func shown(_ bytes: [UInt8]) -> [UInt8] {
    StandardStream.output.isTerminal ? Array(sanitised(bytes, as: .text).utf8) : bytes
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
