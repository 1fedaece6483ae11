import Outbox
import Transfer

// Design: the stage comes from the commands themselves, which libcurl shows to its debug callback
// as it sends them. Counting replies would be a shadow of libcurl's state that one stray reply
// puts out of step; the words of its error texts change with the version; its last reply code
// is left over from an earlier command when a connection is lost, and is that of QUIT in some
// versions. A reply is kept with the command it answers, and forgotten when the next one goes out.

/// Follows one message through a session, gives its octets, and stops what must not go on.
final class Dialogue: TransferObserver {
  private let security: SubmissionSettings.Security
  private let mechanism: SubmissionSettings.Mechanism
  private let fingerprint: CertificateFingerprint?
  private let keyNeedingUTF8: String?
  private let messageSize: Int
  private let now: () -> SuspendingClock.Instant
  private let isStopping: () -> Bool
  private let commit: () -> Bool

  private var source: MessageSource
  private var watch: Watch
  private var reader = ReplyReader()
  private var isSecured: Bool
  private var isQuitting = false

  /// What the server offered under TLS, where this message's session began with an EHLO.
  private(set) var capabilities: Capabilities?
  private(set) var step = Step.connect
  private(set) var reply: Reply?
  private(set) var halt: Exchange.Halt?
  private(set) var isCommitted = false
  private(set) var isReused = false
  private(set) var tokenRefusal: TokenRefusal?

  init(
    _ message: [UInt8], settings: SubmissionSettings, now: @escaping () -> SuspendingClock.Instant,
    isStopping: @escaping () -> Bool, commit: @escaping () -> Bool
  ) {
    security = settings.security
    mechanism = settings.mechanism
    fingerprint = settings.fingerprint
    keyNeedingUTF8 = settings.keyNeedingUTF8
    messageSize = message.count
    isSecured = settings.security == .implicitTLS
    self.now = now
    self.isStopping = isStopping
    self.commit = commit
    source = MessageSource(message)
    watch = Watch(settings.timeouts, at: now())
  }

  /// What happened, once the transfer has ended.
  func exchange(_ result: TransferResult) -> Exchange {
    Exchange(
      result: result, step: step, isCommitted: isCommitted, isReused: isReused, reply: reply,
      halt: halt, offered: capabilities?.offered ?? [], tokenRefusal: tokenRefusal)
  }

  private func enter(_ step: Step) {
    self.step = step
    reply = nil
    reader.reset()
    watch.begin(.step(step), at: now())
  }

  private func stop(_ halt: Exchange.Halt) -> Bool {
    self.halt = halt
    return false
  }
}

// MARK: - Commands

extension Dialogue {
  func sent(command: Span<UInt8>) {
    switch Command(command) {
    case .step(let next):
      if next == .mail, step == .connect { isReused = true }
      if next == .ehlo { capabilities = isSecured ? Capabilities() : nil }
      enter(next)
    case .quit:
      isQuitting = true
      watch.begin(.quit, at: now())
    case nil:
      enter(step)
    }
  }
}

// MARK: - Replies

extension Dialogue {
  func received(line: Span<UInt8>, certificate: () -> [UInt8]?) -> Bool {
    guard !isQuitting else { return true }
    if step == .connect || step == .handshake { enter(.greeting) }
    if step == .ehlo, let text = ReplyReader.text(of: line) { capabilities?.read(text) }
    guard let reply = reader.read(line) else { return true }
    self.reply = reply
    if step == .startTLS, reply.code == 220 { secured() }
    if step == .login, reply.code == 334 { challenged(reply) }
    return step == .ehlo ? mayLogIn(reply, certificate) : true
  }

  private func secured() {
    isSecured = true
    enter(.handshake)
  }

  private func challenged(_ reply: Reply) {
    guard mechanism.takesToken else { return }
    tokenRefusal = TokenRefusal(challenge: Array(reply.lines[0].utf8)) ?? tokenRefusal
  }

  /// Stops a session under TLS before a wrong server could learn a secret, and before libcurl
  /// would go on without a login, with HELO or without.
  private func mayLogIn(_ reply: Reply, _ certificate: () -> [UInt8]?) -> Bool {
    guard isSecured else { return true }
    if let fingerprint {
      let found = certificate().flatMap(CertificateFingerprint.init(ofPEM:))
      guard found == fingerprint else {
        return stop(.wrongCertificate(expected: fingerprint, found: found))
      }
    }
    guard reply.code == 250, let capabilities else { return stop(.noEHLO) }
    guard capabilities.allows(mechanism) else { return stop(.noLogin) }
    if let keyNeedingUTF8, !capabilities.takesUTF8 { return stop(.noUTF8(keyNeedingUTF8)) }
    guard let limit = capabilities.sizeLimit, messageSize > limit else { return true }
    return stop(.tooLarge(size: messageSize, limit: limit))
  }
}

// MARK: - Message

extension Dialogue {
  func nextOctets(atMost limit: Int) -> ArraySlice<UInt8>? {
    guard halt == nil else { return nil }
    switch source.next(atMost: limit) {
    case .nothing: return []
    case .more(let octets):
      if step != .body { enter(.body) }
      return octets
    case .last(let octets): return mayCommit() ? octets : nil
    }
  }

  private func mayCommit() -> Bool {
    guard !isStopping() else { return stop(.stopRequested) }
    guard commit() else { return stop(.cancelled) }
    isCommitted = true
    enter(.message)
    return true
  }

  func sentOctets() {
    watch.begin(.step(step), at: now())
  }
}

// MARK: - Time

extension Dialogue {
  func mayContinue(_ progress: ConnectionProgress) -> Bool {
    note(progress)
    guard halt == nil else { return false }
    if isStopping() {
      guard isCommitted || isQuitting else { return stop(.stopRequested) }
      watch.stop(at: now())
    }
    guard watch.isOverdue(at: now()) else { return true }
    return isQuitting ? false : stop(.timeout)
  }

  private func note(_ progress: ConnectionProgress) {
    if step == .connect, progress >= .connected {
      enter(security == .implicitTLS ? .handshake : .greeting)
    }
    if step == .handshake, security == .implicitTLS, progress == .secured { enter(.greeting) }
  }
}
