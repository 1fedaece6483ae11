/// A message on its way to the server, given out in pieces.
///
/// The last piece is kept back until its reader has been asked again: before it is given, the
/// message cannot have been delivered; afterwards it can. RFC 5321 §6.1.
struct MessageSource {
  private let message: [UInt8]
  private var position = 0

  /// A message ready for the wire.
  init(_ message: [UInt8]) {
    self.message = message
  }

  /// What is next to give.
  enum Piece: Equatable {
    /// Octets with more to follow.
    case more(ArraySlice<UInt8>)
    /// The octets that complete the message.
    case last(ArraySlice<UInt8>)
    /// All has been given.
    case nothing
  }

  /// The next octets, at most `limit`.
  mutating func next(atMost limit: Int) -> Piece {
    let end = min(position + max(limit, 0), message.count)
    let piece = message[position..<end]
    position = end
    guard !piece.isEmpty else { return .nothing }
    return end == message.count ? .last(piece) : .more(piece)
  }

  /// Whether a message can go on the wire: CRLF after every line, no other CR or LF, no NUL.
  ///
  /// A bare LF before a dot would pass libcurl's dot-stuffing. RFC 5321 §2.3.8, §4.1.1.4.
  static func isWireForm(_ message: [UInt8]) -> Bool {
    var previous: UInt8 = 0
    for octet in message {
      let endsLine = octet == UInt8(ascii: "\n")
      guard octet != 0, endsLine == (previous == UInt8(ascii: "\r")) else { return false }
      previous = octet
    }
    return previous == UInt8(ascii: "\n")
  }
}
