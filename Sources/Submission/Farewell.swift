import Transfer

/// Waits for the answer to QUIT, but not for long.
final class Farewell: TransferObserver {
  private let deadline: SuspendingClock.Instant
  private let now: () -> SuspendingClock.Instant

  init(within limit: Duration, now: @escaping () -> SuspendingClock.Instant) {
    self.now = now
    deadline = now() + limit
  }

  func received(line: Span<UInt8>, certificate: () -> [UInt8]?) -> Bool { true }

  func sent(command: Span<UInt8>) {}

  func sentOctets() {}

  func nextOctets(atMost limit: Int) -> ArraySlice<UInt8>? { nil }

  func mayContinue(_ progress: ConnectionProgress) -> Bool { now() < deadline }
}
