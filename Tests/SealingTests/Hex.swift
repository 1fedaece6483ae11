/// The octets in hexadecimal; blanks and hyphens count for nothing.
func hex(_ text: some StringProtocol) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map {
    UInt8(digits[$0] << 4 | digits[$0 + 1])
  }
}

/// Numbers that look random and are the same in every run.
///
/// Marsaglia's xorshift64*.
struct FixedRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }

  mutating func octets(_ count: Int) -> [UInt8] {
    var octets: [UInt8] = []
    octets.reserveCapacity(count)
    while octets.count < min(count, 65_536) {
      octets.append(UInt8(truncatingIfNeeded: next() >> 32))
    }
    // More of them repeat: they only have to differ from place to place.
    while octets.count < count { octets += octets.prefix(count - octets.count) }
    return octets
  }
}
