internal import MessageFormat
internal import MessageStore
internal import Posix
internal import Sealing

// Design: the commit point is a rename, durable before the server gets the last octets. A crash
// after it leaves A ≥ 1 in the name: it may have been delivered, and nobody will claim otherwise.

extension Sender {
  /// Tries one note, and puts it where its outcome says.
  ///
  /// - Returns: nil when the note was not this account's to try.
  mutating func attempt<Agent: DeliveryAgent & ~Copyable>(
    _ entry: MaildirFolder.Entry, _ left: Int, for account: Account, with agent: inout Agent
  ) throws(MessageStoreError) -> Outcome? {
    guard let name = entry.note else { return nil }
    var content: [UInt8]
    do throws(MessageStoreError) {
      content = try store.outbox.read(entry, limit: options.sizeLimit)
    } catch .vanished {
      return nil
    } catch {
      return leaveUnread(name.id, error)
    }
    do throws(Trouble) {
      content = try sealingAgain(content, of: entry, name.id, for: account)
    } catch {
      return leaveUnsealed(name.id, error)
    }
    let message: Message
    switch open(content, name.id, for: account) {
    case .message(let opened): message = opened
    case .otherAccount: return nil
    case .otherKey:
      seen.insert(name.id)
      report(.notOurs(name.id))
      return nil
    case .damaged:
      seen.insert(name.id)
      try giveUp(entry, Reason(.damaged))
      return nil
    case .trouble(let detail):
      return try dispose(
        of: entry, committed: false, .local(Trouble(.resources, detail: detail)), for: account)
    }
    seen.insert(name.id)
    report(.trying(name.id, left: left))
    return try deliver(message, of: entry, for: account, with: &agent)
  }

  /// Leaves a note whose file cannot be read; nil where that says nothing of the next one's.
  private mutating func leaveUnread(_ id: NoteID, _ error: MessageStoreError) -> Outcome? {
    seen.insert(id)
    report(.storeFailed(error))
    state.setReason(Reason(.trouble(.file)), for: id)
    if case .file(_, .accessDenied) = error { return nil }
    return error.isOfOneFile ? nil : .local(Trouble(.file))
  }

  /// Leaves a note that cannot be sealed: that says nothing of the next one.
  private mutating func leaveUnsealed(_ id: NoteID, _ trouble: Trouble) -> Outcome? {
    seen.insert(id)
    state.setReason(Reason(Outcome.local(trouble)), for: id)
    report(.notSealed(id, trouble))
    return nil
  }

  private mutating func deliver<Agent: DeliveryAgent & ~Copyable>(
    _ message: Message, of entry: MaildirFolder.Entry, for account: Account,
    with agent: inout Agent
  ) throws(MessageStoreError) -> Outcome? {
    guard let name = entry.note else { return nil }
    let id = name.id
    let message = message.addressed(account)
    if name.unanswered > 0,
      agent.hasArrived(noteID: "\(id)", messageID: message.messageID ?? "")
    {
      // The server took it after all: that it lies in the mailbox is its answer.
      let reply = Reply(code: 250, lines: ["found in the mailbox"])
      let outcome = try dispose(of: entry, committed: false, .accepted(reply), for: account)
      protect(accepted: entry, message, sent: nil)
      return outcome
    }
    let wire: Message
    do throws(Trouble) {
      wire = protection.encryptsWire ? try protection.encrypt(message, .wire) : message
    } catch {
      return try dispose(of: entry, committed: false, .local(error), for: account)
    }
    var committed: MaildirFolder.Entry?
    var refusal: MessageStoreError?
    let outcome = agent.deliver(wire.bytes(lineEnds: .crlf)) {
      do throws(MessageStoreError) {
        committed = try commit(entry)
        return true
      } catch {
        refusal = error
        return false
      }
    }
    switch refusal {
    case .vanished: return nil  // Its owner cancelled it in time.
    case .some(let error):
      report(.storeFailed(error))
      state.setReason(Reason(.trouble(.file)), for: id)
      // The transfer was broken off: two in a row end the run, as two lost connections do.
      return error.isOfOneFile ? .interrupted(Trouble(.file)) : .local(Trouble(.file))
    case nil:
      // Told to stop in time: nothing came of it, and there is nothing to tell.
      if committed == nil, isStopping(), case .local = outcome { return nil }
      let verdict = try dispose(
        of: committed ?? entry, committed: committed != nil, outcome, for: account)
      if case .accepted = verdict { protect(accepted: committed ?? entry, message, sent: wire) }
      return verdict
    }
  }

  private borrowing func commit(
    _ entry: MaildirFolder.Entry
  ) throws(MessageStoreError) -> MaildirFolder.Entry {
    try store.outbox.rename(entry, modified: clock.seconds) { name in
      // Its owner may have marked it just now.
      guard !name.isTrashed else { return nil }
      var name = name
      name.unanswered += 1
      return name
    }
  }
}

extension MessageStoreError {
  /// Whether it comes from one file's name or kind, and says nothing of other files.
  var isOfOneFile: Bool {
    guard case .file(_, let error) = self else { return false }
    return [.fileExists, .nameTooLong, .isLink, .wrongKind, .tooLarge].contains(error)
  }
}

// MARK: - Opening

/// What a file of the outbox turned out to hold.
private enum Opened {
  case message(Message)
  case otherAccount
  case otherKey
  case damaged
  case trouble(String)
}

extension Sender {
  private borrowing func open(
    _ content: [UInt8], _ id: NoteID, for account: Account
  ) -> Opened {
    guard let outer = try? Message(parsing: content) else { return .damaged }
    let noteAccount = outer.header.first(named: SealedMessage.accountField)?.decodedText
    guard account.owns(noteAccount) else { return .otherAccount }
    do throws(SealingError) {
      return .message(try opener.open(outer, expecting: id))
    } catch {
      switch error {
      case .damaged, .notSealed: return .damaged
      case .library, .noRandomness: return .trouble("\(error)")
      case .otherRecipient, .keyLocked, .keyUnreadable, .passphraseWrong, .certificateUnreadable,
        .keyDoesNotMatch:
        return .otherKey
      }
    }
  }
}

extension Message {
  /// The message as it goes to the server: with From and To of the account as it is now.
  fileprivate func addressed(_ account: Sender.Account) -> Message {
    var message = self
    message.address(Correspondents(from: account.from, to: account.to))
    return message
  }
}
