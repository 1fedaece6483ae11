/// Whoever hands a message to a server and tells what became of it.
///
/// The outbox knows no SMTP: it gives the agent the bytes and a commit point, and acts on the
/// outcome.
public protocol DeliveryAgent: ~Copyable {
  /// Delivers one message over the account's connection, opened if there is none.
  ///
  /// Returns within the account's time-outs, never throws, and leaves no transaction open.
  ///
  /// - Parameters:
  ///   - message: An RFC 5322 message, every line ended by CRLF, not dot-stuffed.
  ///   - commit: Called once, right before the last octets of the message are given to the
  ///     server: from then on the message may be delivered. `false` means that the note may not
  ///     be sent: nothing more is given and the transaction is aborted.
  /// - Returns: What became of the message. Every outcome save `accepted`, `unknown`, a
  ///   `deferred` or `rejected` at `.message` and an `account` with a reply to the final dot comes
  ///   from before the commit point. After it only `unknown` leaves open what became of it.
  mutating func deliver(_ message: [UInt8], commit: () -> Bool) -> Outcome

  /// Whether a message that was given whole to a server before, without an answer, has arrived.
  ///
  /// - Parameters:
  ///   - noteID: The value of its `Memo-ID`.
  ///   - messageID: The value of its `Message-ID`, with the angle brackets.
  /// - Returns: `true` only when it was seen in the mailbox. `false` proves nothing.
  mutating func hasArrived(noteID: String, messageID: String) -> Bool
}

extension DeliveryAgent where Self: ~Copyable {
  /// An agent that has no way to look.
  public mutating func hasArrived(noteID: String, messageID: String) -> Bool { false }
}
