import History
import MessageFormat
import Posix
import Wording

extension Home {
  /// What a note says, for a person who asked for this one: gpg may have to open it.
  func content(
    of entry: HistoryEntry, in history: borrowing History
  ) throws(ExitStatus) -> HistoryContent {
    do throws(HistoryError) {
      return try history.content(of: entry) { (armor) throws(HistoryError) in
        try decrypted(armor)
      }
    } catch {
      say(language.text(.cannotShow(error)))
      if case .notDecrypted(.locked) = error { hint(language.text(.decryptHint)) }
      throw error == .locked ? .noPermission : .noInput
    }
  }

  private func decrypted(_ armor: [UInt8]) throws(HistoryError) -> Message {
    let isAttended = StandardStream.input.isTerminal && StandardStream.messages.isTerminal
    let gpg = OpenPGPDecryption(
      environment: memo.environment,
      terminal: isAttended ? StandardStream.input.terminalPath : nil)
    do throws(OpenPGPDecryption.Failure) {
      return try gpg.message(in: armor)
    } catch {
      throw .notDecrypted(error)
    }
  }
}
