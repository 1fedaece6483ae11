/// Random numbers that are the same in each run.
///
/// SplitMix64, as given by Steele, Lea and Flood, "Fast splittable pseudorandom number generators"
/// (OOPSLA 2014), figure 16.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator whose numbers follow from `seed` alone.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next number of the sequence.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// As many random octets as asked for.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 56) }
  }

  /// The octets with one to four pieces put in, changed or cut out.
  public mutating func mutation(of bytes: [UInt8], with pieces: [[UInt8]]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &self) {
      let place = Int.random(in: 0...bytes.count, using: &self)
      let end = min(bytes.count, place + Int.random(in: 0...8, using: &self))
      switch Int.random(in: 0..<4, using: &self) {
      case 0: bytes.removeSubrange(place..<end)
      case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &self)
      case 2: bytes.replaceSubrange(place..<end, with: pieces.randomElement(using: &self) ?? [])
      default: bytes.insert(contentsOf: pieces.randomElement(using: &self) ?? [], at: place)
      }
    }
    return bytes
  }
}
