/// The identity of a note: a version 7 UUID, ordered by the time of capture.
///
/// RFC 9562 §5.7. Any UUID can be read, since files of other origin may have one.
@frozen
public struct NoteID: Sendable, Hashable {
  @usableFromInline let high: UInt64
  @usableFromInline let low: UInt64

  @inlinable
  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  // unix_ts_ms = 48 bits, ver = 7, rand_a = 12 bits, var = 0b10, rand_b = 62 bits  RFC 9562 §5.7
  /// An identity for a note captured now.
  ///
  /// - Parameters:
  ///   - milliseconds: Milliseconds since 1970; clamped to 0 ... 2^48 - 1.
  ///   - random: At least 10 octets from the kernel, of which 74 bits are used.
  public init(milliseconds: Int64, random: [UInt8]) {
    precondition(random.count >= 10, "a UUID needs 10 random octets")
    let time = UInt64(min(max(milliseconds, 0), 0xFFFF_FFFF_FFFF))
    let a = UInt64(random[0] & 0x0F) << 8 | UInt64(random[1])
    let b = random[2..<10].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    high = time << 16 | 0x7000 | a
    low = b & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
  }

  /// The 16 octets, in network order.
  public var bytes: [UInt8] {
    [high, low].flatMap { half in
      (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * UInt64($0))) }
    }
  }

  /// The 128 bits.
  package var halves: (high: UInt64, low: UInt64) { (high, low) }

  /// The identity right before it in order, itself where there is none.
  public var predecessor: NoteID {
    if low > 0 { return NoteID(high: high, low: low - 1) }
    return high > 0 ? NoteID(high: high - 1, low: .max) : self
  }

  /// Whether it tells a time of capture: a UUID of another version does not.
  ///
  /// RFC 9562 §4.1 and §4.2.
  public var hasTime: Bool { high >> 12 & 0xF == 7 && low >> 62 == 2 }

  /// The time of capture, in milliseconds since 1970.
  public var milliseconds: Int64 { Int64(high >> 16) }
}

// MARK: - Text

extension NoteID: CustomStringConvertible {
  // UUID = 8hexDigit "-" 4hexDigit "-" 4hexDigit "-" 4hexDigit "-" 12hexDigit     RFC 9562 §4
  /// The identity written as 36 characters, in either case.
  public init?(_ text: String) {
    guard text.utf8.count == 36 else { return nil }
    self.init(utf8: text.utf8)
  }

  /// The identity in the first 36 octets, in either case; what follows them is not looked at.
  @inlinable
  public init?(utf8 octets: some Collection<UInt8>) {
    var halves: (UInt64, UInt64) = (0, 0)
    var position = 0
    for octet in octets {
      if position == 36 { break }
      if position == 8 || position == 13 || position == 18 || position == 23 {
        guard octet == 0x2D else { return nil }
      } else {
        guard let digit = Self.value(ofHexDigit: octet) else { return nil }
        halves.0 = halves.0 << 4 | halves.1 >> 60
        halves.1 = halves.1 << 4 | digit
      }
      position += 1
    }
    guard position == 36 else { return nil }
    self.init(high: halves.0, low: halves.1)
  }

  @inlinable
  static func value(ofHexDigit octet: UInt8) -> UInt64? {
    switch octet {
    case 0x30...0x39: UInt64(octet) - 0x30
    case 0x41...0x46: UInt64(octet) - 0x37
    case 0x61...0x66: UInt64(octet) - 0x57
    default: nil
    }
  }

  /// The 36 characters in lower case.
  public var description: String {
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for position in 0..<32 {
      if position == 8 || position == 12 || position == 16 || position == 20 { text.append(0x2D) }
      let half = position < 16 ? high : low
      let digit = UInt8(truncatingIfNeeded: half >> (60 - 4 * UInt64(position % 16))) & 15
      text.append(UInt8.hexDigit(digit).lowercased)
    }
    return String(repairing: text)
  }
}

extension NoteID: Comparable {
  /// Whether one was captured before the other; within a millisecond the order is by chance.
  @inlinable
  public static func < (one: NoteID, other: NoteID) -> Bool {
    (one.high, one.low) < (other.high, other.low)
  }
}
