import Characters
import History
import MessageFormat
import Posix
import Wording

/// Saves the files of a note in a folder, and prints their paths.
struct SavingFiles {
  let home: Home
  let folder: String
  private var language: any Language { home.language }

  /// How many files of one name there may be.
  private static let mostAlike = 1000

  func save(_ message: Message) throws(ExitStatus) -> ExitStatus {
    let attachments = message.attachments
    guard !attachments.isEmpty else {
      home.say(language.text(.noFiles))
      throw .attention
    }
    for attachment in attachments {
      let path = folder + (folder.hasSuffix("/") ? "" : "/") + (try save(attachment))
      let shown = StandardStream.output.isTerminal ? sanitised(path) : path
      _ = try home.memo.write(shown + "\n")
    }
    return .success
  }

  /// Saves a file under a name that nothing has yet; returns the name.
  private func save(_ attachment: Attachment) throws(ExitStatus) -> String {
    do throws(Errno) {
      let directory = try Directory(folder)
      let name = SavedName(attachment.name)
      for number in 1...Self.mostAlike {
        let candidate = name.candidate(number)
        do throws(Errno) {
          try write(attachment.content, candidate, directory)
          return candidate
        } catch .fileExists {
          // Never over what is there, nor through a link.
        }
      }
      throw .fileExists
    } catch {
      home.say(language.text(.cannotSave(folder: folder, error)))
      throw .ioError
    }
  }

  private func write(
    _ content: [UInt8], _ name: String, _ directory: borrowing Directory
  ) throws(Errno) {
    let file = try directory.open(name, .createExclusively)
    do throws(Errno) {
      try file.write(content.span)
      try file.close()
    } catch {
      // Half a file would be taken for the whole one.
      try? directory.remove(name)
      throw error
    }
  }
}
