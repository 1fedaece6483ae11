package import Outbox
import Transfer

// Design: a note that was found has arrived, and need not be sent again. One that was not found
// may still be on its way, be moved, be filtered or be hidden by a server that does not index the
// field: that proves nothing, and neither does trouble. Mailboxes are opened by EXAMINE, so that
// nothing in them changes, and trouble ends the asking for the run, as each further question would
// wait as long.

/// What a mailbox says about a note that may have been delivered.
package enum MailboxFinding: Sendable, Equatable {
  /// The note is there: it was accepted.
  case found
  /// The note is not in the mailboxes looked at, which proves nothing.
  case notFound
  /// Nothing was learnt.
  case trouble(Trouble)
}

/// Looks for notes in an account's inbox and its mailbox of sent mail.
///
/// RFC 3501 §6.3.2, §6.4.4; RFC 6154.
final class MailboxSearch {
  private let server: ServerSettings
  private let fingerprint: CertificateFingerprint?
  private let limit: Duration
  private let isStopping: () -> Bool
  private let now: () -> SuspendingClock.Instant

  private var transfer: MailboxTransfer?
  private var selected: MailboxName?
  private var sentMailbox: MailboxName?
  private var offersSpecialUse = false
  private var failure: Trouble?

  /// A search that has not connected yet.
  ///
  /// - Parameters:
  ///   - server: The server and the login.
  ///   - fingerprint: Of the one certificate that is good, where there is one.
  ///   - limit: How long one search may take, all in all.
  ///   - isStopping: Whether the program was told to stop, which ends the search at once.
  ///   - now: The clock.
  init(
    _ server: ServerSettings, fingerprint: CertificateFingerprint?, limit: Duration,
    isStopping: @escaping () -> Bool, now: @escaping () -> SuspendingClock.Instant
  ) {
    self.server = server
    self.fingerprint = fingerprint
    self.limit = limit
    self.isStopping = isStopping
    self.now = now
  }

  /// Whether a mailbox holds the note, by the field `Memo-ID`, else by `Message-ID`.
  ///
  /// - Parameters:
  ///   - noteID: The value of `Memo-ID`.
  ///   - messageID: The value of `Message-ID`, with its angle brackets.
  ///   - secret: The octets of the password or token, used for the first connection.
  /// - Returns: What is known. No message is marked as read.
  func mayHold(noteID: String, messageID: String, secret: Span<UInt8>) -> MailboxFinding {
    if let failure { return .trouble(failure) }
    do throws(Obstacle) {
      try open(secret)
      let deadline = now() + limit
      if try look(in: .inbox, noteID, messageID, deadline) { return .found }
      let sent = try findSentMailbox(deadline)
      return try look(in: sent, noteID, messageID, deadline) ? .found : .notFound
    } catch {
      transfer = nil
      failure = error.trouble
      return .trouble(error.trouble)
    }
  }

  /// Why a search ended.
  private struct Obstacle: Error {
    let trouble: Trouble
  }

  private func open(_ secret: Span<UInt8>) throws(Obstacle) {
    selected = nil
    guard transfer == nil else { return }
    do throws(TransferError) {
      transfer = try MailboxTransfer(server, secret: secret)
    } catch {
      throw Obstacle(trouble: Trouble(.resources, detail: "libcurl: \(error)"))
    }
  }
}

// MARK: - Searching

extension MailboxSearch {
  private func look(
    in mailbox: MailboxName, _ noteID: String, _ messageID: String,
    _ deadline: SuspendingClock.Instant
  ) throws(Obstacle) -> Bool {
    for (field, value) in [("Memo-ID", noteID), ("Message-ID", messageID)] {
      guard Self.isPlain(value), try select(mailbox, deadline) else { continue }
      // uid = "UID" SP search    search = "SEARCH" 1*(SP search-key)               RFC 3501 §9
      let answer = try ask("UID SEARCH HEADER \(field) \"\(value)\"", deadline)
      if answer?.hasMatches ?? false { return true }
    }
    return false
  }

  /// Opens a mailbox for reading; `false` when the server does not let us.
  ///
  /// libcurl closes the connection after a refusal, and the next one knows of no mailbox.
  private func select(
    _ mailbox: MailboxName, _ deadline: SuspendingClock.Instant
  ) throws(Obstacle) -> Bool {
    if selected == mailbox, transfer?.isConnected ?? false { return true }
    selected = try ask("EXAMINE " + mailbox.text, deadline) == nil ? nil : mailbox
    return selected != nil
  }

  /// The mailbox with the attribute `\Sent`, else the one of that name.
  ///
  /// A server that cannot be asked for it may tell all the same; of its mailboxes only the topmost
  /// are listed, as libcurl takes some hundred lines for an attack.
  private func findSentMailbox(
    _ deadline: SuspendingClock.Instant
  ) throws(Obstacle) -> MailboxName {
    if let sentMailbox { return sentMailbox }
    let list = offersSpecialUse ? "LIST (SPECIAL-USE) \"\" \"*\"" : "LIST \"\" \"%\""
    let answer = try ask(list, deadline)
    let found = answer?.sentMailbox ?? .sent
    sentMailbox = found
    return found
  }

  /// Whether a value can stand in a quoted string, and is none that every message has.
  private static func isPlain(_ value: String) -> Bool {
    value.utf8.count >= 8 && value.utf8.count <= 998
      && value.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
  }
}

// MARK: - Commands

extension MailboxSearch {
  /// The answer to a command; `nil` when the server refuses it.
  private func ask(
    _ command: String, _ deadline: SuspendingClock.Instant
  ) throws(Obstacle) -> MailboxAnswer? {
    let conversation = MailboxConversation(
      fingerprint, until: deadline, isStopping: isStopping, now: now)
    guard let result = transfer?.ask(command, observer: conversation) else { return nil }
    if conversation.answer.offersSpecialUse { offersSpecialUse = true }
    if let trouble = conversation.trouble { throw Obstacle(trouble: trouble) }
    switch result.code {
    case .ok: return conversation.answer
    case .commandRefused: return nil
    default: throw Obstacle(trouble: Trouble(result.mailboxCause, detail: result.code.words))
    }
  }
}

extension TransferResult {
  /// The kind of trouble that kept a mailbox from being asked.
  fileprivate var mailboxCause: Trouble.Cause {
    switch code {
    case .notResolved, .proxyNotResolved: .resolver
    case .notConnected: .connect
    case .outOfMemory: .resources
    case .certificateRefused, .badTrustFile: .certificate
    case .noTLS: .noTLS
    case .loginDenied: .loginRefused
    case .handshakeFailed: .handshake
    case .timedOut: .timeout
    case .nothingReceived, .sendFailed, .receiveFailed: .connectionLost
    default: .protocolError
    }
  }
}
