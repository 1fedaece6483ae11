import Configuration
import MessageFormat
import MessageStore
import Outbox
import Posix
import Sealing
import Wording

// What captures and notes that are sent again have in common: each step says why it fails.
extension Home {
  func openOutbox() throws(ExitStatus) -> MaildirFolder {
    do throws(MessageStoreError) {
      return try MailStore.outbox(at: paths.mail)
    } catch {
      throw stop(.notSaved(language.text(error)), .tryAgain)
    }
  }

  func recipient() throws(ExitStatus) -> Recipient {
    do throws(IdentityFolder.Failure) {
      return try IdentityFolder(paths.identity).recipient(
        keyIsElsewhere: settings.identity.key == .elsewhere, now: memo.clock.seconds,
        random: memo.random)
    } catch {
      let status: ExitStatus = if case .file = error { .tryAgain } else { .configuration }
      throw stop(.notSaved(language.text(error)), status)
    }
  }

  /// The identity and date of a note that is made now.
  func newIdentity() throws(ExitStatus) -> (id: NoteID, date: MessageDate) {
    let milliseconds = memo.clock.milliseconds()
    let seconds = memo.clock.seconds
    let random: [UInt8]
    do throws(Errno) {
      random = try memo.random.bytes(10)
    } catch {
      throw stop(.notSaved(language.text(.noRandomness(error))), .tryAgain)
    }
    let date = MessageDate(
      secondsSinceEpoch: seconds, zoneOffset: memo.clock.zoneOffset(seconds))
    return (NoteID(milliseconds: milliseconds, random: random), date)
  }

  func enqueue(
    _ note: Note, _ outbox: borrowing MaildirFolder, _ recipient: borrowing Recipient,
    from correspondents: Correspondents
  ) throws(ExitStatus) {
    do throws(EnqueueError) {
      try outbox.enqueue(
        note, to: recipient, from: correspondents,
        host: NoteFileName.hostLabel(Machine.hostName))
    } catch {
      switch error {
      case .notDurable(let why): throw stop(.notDurable(language.text(why)), .ioError)
      case .storing(let why): throw stop(.notSaved(language.text(why)), .tryAgain)
      case .sealing(let why): throw stop(.notSaved(language.text(why)), .tryAgain)
      }
    }
  }

  func stop(_ sentence: CaptureSentence, _ status: ExitStatus) -> ExitStatus {
    say(language.text(sentence))
    return status
  }
}

extension Correspondents {
  /// The mailboxes of an account, as far as they can be used.
  init(_ account: Account?) {
    self.init(
      from: account?.from.flatMap { try? Mailbox(parsing: $0) },
      to: account?.to.flatMap { try? Mailbox(parsing: $0) })
  }
}
