import Outbox
import Transfer

/// Follows one command to a server of mailboxes, keeps what it answers, and ends it in time.
final class MailboxConversation: TransferObserver {
  private let fingerprint: CertificateFingerprint?
  private let deadline: SuspendingClock.Instant
  private let isStopping: () -> Bool
  private let now: () -> SuspendingClock.Instant

  /// What the server said.
  private(set) var answer = MailboxAnswer()
  /// Why it was ended from this side, if it was.
  private(set) var trouble: Trouble?

  init(
    _ fingerprint: CertificateFingerprint?, until deadline: SuspendingClock.Instant,
    isStopping: @escaping () -> Bool, now: @escaping () -> SuspendingClock.Instant
  ) {
    self.fingerprint = fingerprint
    self.deadline = deadline
    self.isStopping = isStopping
    self.now = now
  }

  private func stop(_ trouble: Trouble) -> Bool {
    self.trouble = trouble
    return false
  }

  /// A login comes after a line under TLS: the greeting, or the capabilities told after STARTTLS.
  ///
  /// Lines in clear have no certificate, and nothing but STARTTLS follows them.
  func received(line: Span<UInt8>, certificate: () -> [UInt8]?) -> Bool {
    if let fingerprint, let certificate = certificate() {
      let found = CertificateFingerprint(ofPEM: certificate)
      guard found == fingerprint else {
        return stop(Trouble(.certificate, detail: fingerprint.difference(from: found)))
      }
    }
    answer.read(line)
    return true
  }

  func sent(command: Span<UInt8>) {}

  func sentOctets() {}

  func nextOctets(atMost limit: Int) -> ArraySlice<UInt8>? { nil }

  func mayContinue(_ progress: ConnectionProgress) -> Bool {
    guard trouble == nil else { return false }
    guard !isStopping() else { return stop(Trouble(.aborted)) }
    return now() < deadline ? true : stop(Trouble(.timeout))
  }
}
