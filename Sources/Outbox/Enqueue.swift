public import MessageFormat
public import MessageStore
internal import Posix
public import Sealing

// Design: everything that can fail without the note being promised comes first; the link into
// outbox/new is the promise. What the server will be told of From and To is not fixed here: it
// comes from the account as it is when the note is sent.

extension MaildirFolder {
  /// Promises a note: composes, seals and stores it in this outbox.
  ///
  /// - Parameters:
  ///   - note: The note.
  ///   - recipient: The identity it is sealed to.
  ///   - sender: The account's mailboxes where they are known: its domain ends the Message-ID,
  ///     and both stand in the file's outer header for mail clients.
  ///   - host: This machine's label in file names.
  /// - Throws: `EnqueueError.notDurable` when the note is queued but may not survive a power
  ///   cut; any other error means that it is not queued.
  public borrowing func enqueue(
    _ note: Note, to recipient: borrowing Recipient, from sender: Correspondents, host: String
  ) throws(EnqueueError) {
    let message = Message(composing: note, domain: sender.domain)
    let sealed: Message
    do throws(SealingError) {
      sealed = try recipient.seal(message, outer: sender.outerFields, account: note.account)
    } catch {
      throw .sealing(error)
    }
    do throws(MessageStoreError) {
      let name = NoteFileName(id: note.id, host: host)
      try publish(sealed.bytes(lineEnds: .lf), as: name, in: .new)
    } catch {
      if case .notDurable = error { throw .notDurable(error) }
      throw .storing(error)
    }
  }
}

extension Message {
  /// The message of a note, with From and To as far as they are known.
  public init(composing note: Note, for correspondents: Correspondents) {
    self.init(composing: note, domain: correspondents.domain)
    address(correspondents)
  }

  /// Puts From and To as they are now in the place of those that are there.
  mutating func address(_ correspondents: Correspondents) {
    header.remove(named: "From")
    header.remove(named: "To")
    var last = "Date"
    for field in correspondents.outerFields {
      header.insert(field, after: last)
      last = field.name
    }
  }
}

/// Why a note was not promised, or not to be believed in after a power cut.
public enum EnqueueError: Error, Equatable, Sendable {
  /// It could not be sealed.
  case sealing(SealingError)
  /// It could not be stored.
  case storing(MessageStoreError)
  /// It is queued, but not proven durable.
  case notDurable(MessageStoreError)
}

/// Who writes and who gets the notes of an account, as far as it is configured.
public struct Correspondents: Sendable, Equatable {
  /// The mailbox in the From field.
  public let from: Mailbox?
  /// The mailbox in the To field.
  public let to: Mailbox?

  /// The mailboxes of an account.
  public init(from: Mailbox?, to: Mailbox?) {
    self.from = from
    self.to = to
  }

  /// What follows the `@` of Message-IDs: the sender's domain, else `memo.invalid`.
  ///
  /// RFC 2606 §2 keeps `.invalid` for names that are surely nobody's.
  var domain: String { from?.domain ?? "memo.invalid" }

  /// The From and To fields that are known.
  var outerFields: [HeaderField] {
    var fields: [HeaderField] = []
    if let from { fields.append(HeaderField("From", from)) }
    if let to { fields.append(HeaderField("To", to)) }
    return fields
  }
}
