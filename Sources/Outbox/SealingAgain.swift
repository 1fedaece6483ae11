public import MessageFormat
internal import MessageStore
internal import Posix
public import Sealing

// Design: what waits is sealed, always: only then can it go without gpg, a passphrase or a person. A
// note that comes back from the history in another form is sealed before it moves, or, where a mail
// client moved it, before it is tried. It stays the same note: UUID, Date, Message-ID, content.

extension Recipient {
  /// Seals a note that lay in another form, as it was sealed when it was captured.
  ///
  /// - Parameters:
  ///   - message: The note in the clear.
  ///   - outer: The message of its file, which tells its account and who is to be seen outside.
  /// - Returns: The message to be stored, without a reason.
  /// - Throws: `library` when memory is short; `noRandomness`.
  public borrowing func seal(
    again message: Message, lyingAs outer: Message
  ) throws(SealingError) -> Message {
    var inside = message
    inside.header = Reason.removed(from: inside.header)
    for name in ["From", "To", SealedMessage.accountField] { inside.header.remove(named: name) }
    return try seal(
      inside, outer: ["From", "To"].compactMap { outer.header.first(named: $0) },
      account: outer.header.first(named: SealedMessage.accountField)?.decodedText)
  }
}

extension Sender {
  /// The sealed form of a note whose file has another one.
  ///
  /// - Returns: Its sealed original where that is kept and opens, else a new one; nil where the file
  ///   is not that note.
  /// - Throws: Why it cannot be sealed now.
  borrowing func sealedAgain(_ outer: Message, _ id: NoteID) throws(Trouble) -> Message? {
    if let kept = protection.cache?.message(of: id, limit: options.sizeLimit),
      (try? opener.open(kept, expecting: id)) != nil
    {
      return Message(header: Reason.removed(from: kept.header), body: kept.body)
    }
    let message = try outer.openPGPArmor.map(protection.decrypt) ?? outer
    guard message.noteID == id else { return nil }
    return try protection.sealAgain(message.unprotected(), outer)
  }

  /// Gives a note of failed/ that is to wait again its sealed form back, and its reason with it.
  ///
  /// - Returns: Whether it has that now.
  borrowing func restoreSealed(
    _ failed: MaildirFolder.Entry, _ id: NoteID
  ) throws(MessageStoreError) -> Bool {
    let content = try store.failed.read(failed, limit: options.sizeLimit)
    guard let outer = try? Message(parsing: content), !SealedMessage.isSealed(outer) else {
      return true
    }
    guard var sealed = try? sealedAgain(outer, id) else { return false }
    for field in Reason(outer.header)?.fields ?? [] { sealed.header.append(field) }
    try store.failed.replace(failed, with: sealed.bytes(lineEnds: .lf))
    return true
  }

  /// Seals a note that a mail client moved into the outbox as it lay elsewhere.
  ///
  /// - Returns: What its file holds now; `content` where that is sealed, or is no note.
  /// - Throws: Why it cannot be sealed now; it then stays as it is.
  borrowing func sealingAgain(
    _ content: [UInt8], of entry: MaildirFolder.Entry, _ id: NoteID, for account: Account
  ) throws(Trouble) -> [UInt8] {
    guard let outer = try? Message(parsing: content), !SealedMessage.isSealed(outer),
      account.owns(outer.header.first(named: SealedMessage.accountField)?.decodedText),
      let sealed = try sealedAgain(outer, id)
    else { return content }
    let bytes = sealed.bytes(lineEnds: .lf)
    do throws(MessageStoreError) {
      try store.outbox.replace(entry, with: bytes)
    } catch {
      report(.storeFailed(error))
      throw Trouble(.file)
    }
    return bytes
  }
}
