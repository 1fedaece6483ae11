internal import MessageFormat
internal import MessageStore
internal import Posix

// Design: a verdict is one rename, whatever else follows it: the reason is kept aside before, and
// written into the file after, so that a crash between them is mended by the next run's tidying.

extension Sender {
  /// Puts a note where the outcome of its attempt says.
  ///
  /// - Parameters:
  ///   - entry: The note's file, as it was named last.
  ///   - committed: Whether the commit point was passed: its A was counted up.
  ///   - outcome: What became of the attempt.
  ///   - account: The account that was used.
  /// - Returns: The outcome acted upon, which may be graver than what the agent told.
  /// - Throws: When the store fails; the note then stays what its name says.
  mutating func dispose(
    of entry: MaildirFolder.Entry, committed: Bool, _ outcome: Outcome, for account: Account
  ) throws(MessageStoreError) -> Outcome {
    guard let name = entry.note else { return outcome }
    let verdict = escalated(outcome, of: name.id, for: account)
    report(.tried(name.id, verdict))
    endHold(of: account, after: verdict)
    do throws(MessageStoreError) {
      switch verdict {
      case .accepted: try accept(entry, name.id, for: account)
      case .deferred, .interrupted: try countFailure(entry, committed, Reason(verdict))
      case .rejected: try reject(entry, committed, Reason(verdict))
      case .unknown: try leaveUnknown(entry, Reason(verdict))
      case .account: try hold(.paused, account, entry, committed, Reason(verdict))
      case .offline: try hold(.offline, account, entry, committed, Reason(verdict))
      case .local: try leave(entry, committed, Reason(verdict))
      }
    } catch .vanished {
      // Its owner took it away while it was being sent.
    } catch {
      guard error.isOfOneFile, !verdict.isAccepted else { throw error }
      report(.storeFailed(error))
    }
    return verdict
  }

  private borrowing func accept(
    _ entry: MaildirFolder.Entry, _ id: NoteID, for account: Account
  ) throws(MessageStoreError) {
    do throws(MessageStoreError) {
      // In both places after a power cut, it is known by the one in sent/: the next note's commit
      // point, or the end of the run, makes its absence here durable as well.
      _ = try store.outbox.move(
        entry, into: store.sent, modified: clock.seconds, leaving: .later
      ) { Self.nameInSent($0) }
    } catch .file(_, .fileExists) {
      // Its copy in sent/ is the owner's; this one says nothing more.
      try store.outbox.remove(entry)
    }
    state.setReason(nil, for: id)
    change(account) { $0.recordAccepted(now: clock.seconds) }
  }

  /// The name of a note that was accepted.
  static func nameInSent(_ name: NoteFileName) -> NoteFileName {
    var name = name.moved(flags: "S")
    (name.failures, name.unanswered) = (0, 0)
    return name
  }

  private borrowing func countFailure(
    _ entry: MaildirFolder.Entry, _ committed: Bool, _ reason: Reason?
  ) throws(MessageStoreError) {
    guard let id = entry.note?.id, let reason else { return }
    state.setReason(reason, for: id)
    let counted = try store.outbox.rename(entry, modified: clock.seconds) { name in
      var name = name
      name.failures += 1
      if committed { name.unanswered -= 1 }
      return name
    }
    if let name = counted.note,
      Schedule.isTooOld(name, giveUpAfter: options.giveUpSeconds)
    {
      try giveUp(counted, Reason(.tooOld, reply: reason.reply, detail: reason.detail))
    }
  }

  private borrowing func reject(
    _ entry: MaildirFolder.Entry, _ committed: Bool, _ reason: Reason?
  ) throws(MessageStoreError) {
    guard let reason else { return }
    // The commit is not undone by a rename of its own: the verdict's rename does it.
    try giveUp(entry, reason, committed: committed)
  }

  private borrowing func leaveUnknown(
    _ entry: MaildirFolder.Entry, _ reason: Reason?
  ) throws(MessageStoreError) {
    guard let name = entry.note, let reason else { return }
    state.setReason(reason, for: name.id)
    if name.unanswered >= Schedule.mostUnanswered {
      try giveUp(entry, Reason(.unanswered, reply: reason.reply, detail: reason.detail))
    }
  }

  private borrowing func leave(
    _ entry: MaildirFolder.Entry, _ committed: Bool, _ reason: Reason?
  ) throws(MessageStoreError) {
    guard let id = entry.note?.id else { return }
    state.setReason(reason, for: id)
    guard committed else { return }
    _ = try store.outbox.rename(entry, modified: clock.seconds) { name in
      var name = name
      name.unanswered -= 1
      return name
    }
  }

  private borrowing func hold(
    _ kind: AccountState.Hold.Kind, _ account: Account, _ entry: MaildirFolder.Entry,
    _ committed: Bool, _ reason: Reason?
  ) throws(MessageStoreError) {
    guard let reason else { return }
    var accountState = state.account(account.name)
    accountState.beginHold(kind, reason, now: clock.seconds)
    state.setAccount(account.name, accountState)
    if let hold = accountState.hold { report(.held(hold)) }
    try leave(entry, committed, reason)
  }

  /// Moves a note to failed/, then writes the reason into its file.
  borrowing func giveUp(
    _ entry: MaildirFolder.Entry, _ reason: Reason, committed: Bool = false
  ) throws(MessageStoreError) {
    guard let id = entry.note?.id else { return }
    state.setReason(reason, for: id)
    let failed: MaildirFolder.Entry
    do throws(MessageStoreError) {
      failed = try store.outbox.move(entry, into: store.failed, modified: clock.seconds) { name in
        var name = name.moved(flags: "F")
        name.failures = 0
        if committed { name.unanswered -= 1 }
        return name
      }
    } catch .file(_, .fileExists) {
      return try store.outbox.remove(entry)
    }
    report(.failed(id, reason))
    do throws(MessageStoreError) {
      try writeReason(reason, into: failed)
      protect(failed: failed, id)
    } catch {
      // The next run writes it.
      report(.storeFailed(error))
    }
  }

  /// Writes the reason a note failed for into the outer header of its file.
  borrowing func writeReason(
    _ reason: Reason, into entry: MaildirFolder.Entry
  ) throws(MessageStoreError) {
    // A damaged file's octets are all there is of the note: they stay untouched.
    guard let id = entry.note?.id, reason.kind != .damaged else { return }
    let content = try store.failed.read(entry, limit: options.sizeLimit)
    guard var message = try? Message(parsing: content) else { return }
    message.header = Reason.removed(from: message.header)
    for field in reason.fields { message.header.append(field) }
    try store.failed.replace(entry, with: message.bytes(lineEnds: .lf))
    state.setReason(nil, for: id)
  }
}

extension Sender {
  /// A server that speaks about a note can be reached and logged in to: a hold is over.
  private borrowing func endHold(of account: Account, after verdict: Outcome) {
    switch verdict {
    case .deferred, .rejected: change(account) { $0.hold = nil }
    case .accepted, .unknown, .interrupted, .account, .offline, .local: break
    }
  }

  /// Changes what is remembered of an account, on disk only where it does change.
  private borrowing func change(_ account: Account, _ body: (inout AccountState) -> Void) {
    let known = state.account(account.name)
    var changed = known
    body(&changed)
    if changed != known { state.setAccount(account.name, changed) }
  }
}

// MARK: - The same refusal twice

extension Sender {
  /// Turns the second refusal of the envelope in a row into trouble of the account.
  ///
  /// All notes of an account share one envelope: when two in a row are refused at MAIL or RCPT
  /// with the same code, and no other verdict came between, the fault is the account's. The first
  /// of them then comes back to the outbox.
  private mutating func escalated(
    _ outcome: Outcome, of id: NoteID, for account: Account
  ) -> Outcome {
    // A success forgets what was refused before, where it is recorded.
    if outcome.isAccepted { return outcome }
    let known = state.account(account.name)
    var accountState = known
    defer { if accountState != known { state.setAccount(account.name, accountState) } }
    guard case .rejected(let reply, let stage) = outcome, stage == .mail || stage == .rcpt,
      !reply.isAboutSize
    else {
      if outcome.isVerdict { accountState.lastRefusal = nil }
      return outcome
    }
    let refusal = AccountState.Refusal(stage: stage, code: reply.code, note: id)
    guard let last = accountState.lastRefusal, last.isSame(as: refusal), last.note != id else {
      accountState.lastRefusal = refusal
      return outcome
    }
    accountState.lastRefusal = nil
    let trouble = Trouble(.envelopeRefused, reply: reply)
    bringBack(last.note, Reason(.account(trouble)))
    return .account(trouble)
  }

  private borrowing func bringBack(_ id: NoteID, _ reason: Reason?) {
    do throws(MessageStoreError) {
      guard let failed = try store.failed.find(id), try restoreSealed(failed, id) else { return }
      let entry = try store.failed.move(failed, into: store.outbox, modified: clock.seconds) {
        $0.moved(flags: "")
      }
      state.setReason(reason, for: id)
      try eraseReason(in: entry)
    } catch {
      report(.storeFailed(error))
    }
  }

  /// Takes the reason it once failed for out of a waiting note's file.
  private borrowing func eraseReason(in entry: MaildirFolder.Entry) throws(MessageStoreError) {
    let content = try store.outbox.read(entry, limit: options.sizeLimit)
    guard var message = try? Message(parsing: content) else { return }
    message.header = Reason.removed(from: message.header)
    try store.outbox.replace(entry, with: message.bytes(lineEnds: .lf))
  }
}

extension Outcome {
  /// Whether the server took the message.
  fileprivate var isAccepted: Bool {
    if case .accepted = self { true } else { false }
  }

  /// Whether the server judged the message or its envelope, for now or for good.
  fileprivate var isVerdict: Bool {
    switch self {
    case .accepted, .deferred, .rejected, .unknown: true
    case .interrupted, .account, .offline, .local: false
    }
  }
}

extension Reply {
  /// Whether it refuses the message's size, which is no fault of the envelope.
  ///
  /// RFC 1870 §6 and RFC 3463 §3.3, §3.4.
  fileprivate var isAboutSize: Bool {
    let about = [EnhancedStatusCode(5, 2, 3), EnhancedStatusCode(5, 3, 4)]
    return code == 552 || enhancedStatusCode.map(about.contains) ?? false
  }
}
