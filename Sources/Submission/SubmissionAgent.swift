public import Outbox
import Posix
import Transfer

/// Hands messages to an account's submission server, over one connection after the other.
///
/// RFC 6409. One handle is one connection: it is made for the first message, left after
/// `messagesPerConnection` of them, and given up after any outcome that leaves it in doubt.
/// The program must ignore SIGPIPE.
public struct SubmissionAgent: ~Copyable, DeliveryAgent {
  private let settings: SubmissionSettings
  private let source: SecretSource
  private let isStopping: () -> Bool
  private var secret: SecretBytes?
  private var session: Session?
  private var refusal: Outcome?
  private var search: MailboxSearch?

  /// An agent for an account; nothing is connected and no secret asked for yet.
  ///
  /// - Parameters:
  ///   - settings: The account.
  ///   - secret: Asked once, before the first connection. An agent is for one run, so that the
  ///     next one asks for a fresh token.
  ///   - isStopping: Whether the program was told to stop. Before the commit point the transfer
  ///     is then aborted at once; after it the reply is awaited for `timeouts.stop` at most.
  public init(
    _ settings: SubmissionSettings, secret: @escaping SecretSource,
    isStopping: @escaping () -> Bool = { false }
  ) {
    self.settings = settings
    source = secret
    self.isStopping = isStopping
  }

  /// Delivers one message over the open connection, or a new one.
  ///
  /// A message larger than the server said it takes is refused here, as by 552 to MAIL. After a
  /// refused login no other is tried: servers lock out who keeps trying.
  public mutating func deliver(_ message: [UInt8], commit: () -> Bool) -> Outcome {
    guard MessageSource.isWireForm(message) else {
      return .local(Trouble(.aborted, detail: "the message is not in wire form"))
    }
    if let refusal { return refusal }
    if let limit = session?.sizeLimit, message.count > limit {
      return .tooLarge(size: message.count, limit: limit)
    }
    return withoutActuallyEscaping(commit) { commit in
      var exchange = attempt(message, commit: commit)
      if case .success(let first) = exchange, first.hitClosedConnection {
        exchange = attempt(message, commit: commit)
      }
      switch exchange {
      case .success(let exchange): return noted(exchange.outcome())
      case .failure(let obstacle): return obstacle.outcome
      }
    }
  }

  private mutating func noted(_ outcome: Outcome) -> Outcome {
    guard case .account(let trouble) = outcome else { return outcome }
    let told = Outcome.account(secret?.withheld(from: trouble) ?? trouble)
    if trouble.cause == .loginRefused { refusal = told }
    return told
  }

  /// Says QUIT and closes the connection, in bounded time.
  public mutating func finish() {
    guard let session = session.take() else { return }
    session.transfer.quit(observer: Farewell(within: settings.timeouts.quit, now: Self.now))
  }

  private static func now() -> SuspendingClock.Instant { SuspendingClock.now }
}

// MARK: - Sessions

extension SubmissionAgent {
  /// A connection and what is known of it.
  private struct Session: ~Copyable {
    let transfer: MailTransfer
    var sent = 0
    var sizeLimit: Int?
  }

  /// What stands in the way of a connection, on this side.
  private struct Obstacle: Error {
    let outcome: Outcome
    let trouble: Trouble

    /// Trouble of the account.
    init(_ trouble: Trouble) {
      self.trouble = trouble
      outcome = .account(trouble)
    }

    /// Trouble of this machine.
    init(local trouble: Trouble) {
      self.trouble = trouble
      outcome = .local(trouble)
    }
  }

  private mutating func attempt(
    _ message: [UInt8], commit: @escaping () -> Bool
  ) -> Result<Exchange, Obstacle> {
    var session: Session
    do throws(Obstacle) {
      session = try takeSession()
    } catch {
      return .failure(error)
    }
    let dialogue = Dialogue(
      message, settings: settings, now: Self.now, isStopping: isStopping, commit: commit)
    let result = session.transfer.send(count: message.count, observer: dialogue)
    let exchange = dialogue.exchange(result)
    session.sent += 1
    if let capabilities = dialogue.capabilities { session.sizeLimit = capabilities.sizeLimit }
    if exchange.leavesConnection { self.session = consume session }
    return .success(exchange)
  }

  private mutating func takeSession() throws(Obstacle) -> Session {
    if let sent = session?.sent, sent >= settings.messagesPerConnection { finish() }
    if let session = session.take() { return session }
    return try openSession()
  }
}

// MARK: - Asking

extension SubmissionAgent {
  /// Whether the account's mailbox, where there is one, already holds a note.
  ///
  /// For a note that may have been delivered, before it is sent again: `found` means that it was
  /// accepted, everything else changes nothing. The login and what makes a certificate good are
  /// those of the submission server. It takes no longer than `timeouts.reply`, and in a run only
  /// once as long as that when there is trouble.
  ///
  /// - Parameters:
  ///   - noteID: The value of the message's `Memo-ID`.
  ///   - messageID: The value of its `Message-ID`, with the angle brackets.
  /// - Returns: What is known; `notFound` where no mailbox is configured.
  package mutating func mayHold(noteID: String, messageID: String) -> MailboxFinding {
    guard let mailbox = settings.mailbox else { return .notFound }
    do throws(Obstacle) {
      let search = try openSearch(mailbox)
      try loadSecret()
      let finding = secret?.withBytes { octets in
        search.mayHold(noteID: noteID, messageID: messageID, secret: octets)
      }
      return finding ?? .notFound
    } catch {
      return .trouble(error.trouble)
    }
  }

  /// Whether the account's mailbox holds the message.
  ///
  /// Asked before a message that may have been delivered is sent again.
  public mutating func hasArrived(noteID: String, messageID: String) -> Bool {
    mayHold(noteID: noteID, messageID: messageID) == .found
  }

  private mutating func openSearch(
    _ mailbox: SubmissionSettings.MailboxServer
  ) throws(Obstacle) -> MailboxSearch {
    if let search { return search }
    guard let url = ServerURL(mailbox) else {
      throw Obstacle(Trouble(.notConfigured, detail: "imap"))
    }
    let search = MailboxSearch(
      try server(at: url), fingerprint: settings.fingerprint, limit: settings.timeouts.reply,
      isStopping: isStopping, now: Self.now)
    self.search = search
    return search
  }
}

// MARK: - Opening

extension SubmissionAgent {
  private mutating func openSession() throws(Obstacle) -> Session {
    let server = try checkedServer()
    let from = try checked(settings.from, "from")
    let to = try checked(settings.to, "to")
    try loadSecret()
    do throws(TransferError) {
      return Session(transfer: try makeTransfer(server, from, to))
    } catch {
      let trouble = Trouble(.resources, detail: "libcurl: \(error)")
      throw Obstacle(local: trouble)
    }
  }

  private func makeTransfer(
    _ server: ServerSettings, _ from: String, _ to: String
  ) throws(TransferError) -> MailTransfer {
    let transfer = try secret?.withBytes { (octets) throws(TransferError) -> MailTransfer in
      try MailTransfer(server, secret: octets, from: from, to: to)
    }
    guard let transfer else { throw .unavailable }
    return transfer
  }

  private mutating func loadSecret() throws(Obstacle) {
    guard secret == nil else { return }
    do throws(SecretTrouble) {
      let secret = try source()
      guard secret.count > 0 else { throw SecretTrouble("empty") }
      guard !secret.holdsNUL else { throw SecretTrouble("holds a NUL octet") }
      self.secret = consume secret
    } catch {
      throw Obstacle(Trouble(.noSecret, detail: error.detail))
    }
  }

  private func checkedServer() throws(Obstacle) -> ServerSettings {
    let name = EHLOName.choose(configured: settings.ehloName, hostName: settings.hostName)
    let url = ServerURL(
      host: settings.host, port: settings.port, security: settings.security, ehloName: name)
    guard let url else {
      throw Obstacle(Trouble(.notConfigured, detail: "server"))
    }
    return try server(at: url)
  }

  private func server(at url: ServerURL) throws(Obstacle) -> ServerSettings {
    let timeouts = settings.timeouts
    return ServerSettings(
      url: url.text, user: try checkedUser(), loginOptions: settings.mechanism.loginOptions,
      secret: settings.mechanism.takesToken ? .token : .password, trust: settings.trust,
      connectLimit: timeouts.connect * 2 + timeouts.reply * 6 + .seconds(5),
      replyLimit: max(timeouts.reply, timeouts.finalReply, timeouts.stall) + .seconds(5))
  }

  private func checked(_ address: String, _ key: String) throws(Obstacle) -> String {
    guard let address = EnvelopeAddress(address) else {
      throw Obstacle(Trouble(.badAddress, detail: key))
    }
    return address.text
  }

  private func checkedUser() throws(Obstacle) -> String {
    guard !settings.user.isEmpty, !settings.user.utf8.contains(0) else {
      throw Obstacle(Trouble(.notConfigured, detail: "user"))
    }
    return settings.user
  }
}

extension SecretBytes {
  /// The trouble without the lines of a reply in which the server repeats the secret.
  fileprivate borrowing func withheld(from trouble: Trouble) -> Trouble {
    guard let reply = trouble.reply else { return trouble }
    var lines: [String] = []
    for line in reply.lines { lines.append(isTold(in: line) ? "(withheld)" : line) }
    return Trouble(
      trouble.cause, reply: Reply(code: reply.code, lines: lines), detail: trouble.detail)
  }

  /// Whether a text repeats the secret; one of a few letters could be any word of it.
  private borrowing func isTold(in line: String) -> Bool {
    let text = Array(line.utf8)
    return withBytes { secret in
      guard secret.count > 4, secret.count <= text.count else { return false }
      return (0...(text.count - secret.count)).contains { start in
        secret.indices.allSatisfy { text[start + $0] == secret[$0] }
      }
    }
  }

  /// Whether an octet is NUL, which would end the secret early in C.
  fileprivate var holdsNUL: Bool {
    withBytes { octets in octets.indices.contains { octets[$0] == 0 } }
  }
}
