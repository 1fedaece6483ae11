/// Whoever supplies a transfer's octets and watches over it.
///
/// All is called on the thread that runs the transfer, from inside it.
public protocol TransferObserver: AnyObject {
  /// The server sent a line, its end included; `false` stops the transfer before more is sent.
  ///
  /// - Parameters:
  ///   - line: The octets of the line.
  ///   - certificate: Gives the server's certificate in PEM, where the observer has to check it
  ///     and the line came under TLS.
  /// - Returns: Whether the transfer goes on.
  func received(line: Span<UInt8>, certificate: () -> [UInt8]?) -> Bool

  /// A command line went out, or part of a login, whose octets must not be kept.
  func sent(command: Span<UInt8>)

  /// Some octets of the message went out.
  func sentOctets()

  /// The message's next octets, at most `limit`: empty at its end, `nil` to abort without a dot.
  func nextOctets(atMost limit: Int) -> ArraySlice<UInt8>?

  /// Called at least once a second while a transfer runs; `false` ends it at once.
  func mayContinue(_ progress: ConnectionProgress) -> Bool
}

/// How far a new connection has come.
public enum ConnectionProgress: Sendable, Comparable {
  /// There is no connection yet.
  case none
  /// TCP is connected.
  case connected
  /// A TLS handshake is done.
  case secured
}
