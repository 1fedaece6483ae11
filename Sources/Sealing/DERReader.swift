/// Reading the Distinguished Encoding Rules: elements one after the other, never past their end.
///
/// It keeps only a position, so that it can walk secrets too. Tags of one octet; lengths must be
/// definite and as short as can be. X.690 §8.1 and §10.1.
struct DERReader {
  /// Not what was asked for, or not DER.
  struct Mismatch: Error {}

  private var position: Int
  private let end: Int

  /// Reads the elements in that part of the octets.
  init(_ part: Range<Int>) {
    position = part.lowerBound
    end = part.upperBound
  }

  /// Whether nothing is left.
  var isAtEnd: Bool { position == end }

  /// The next element must have that tag; gives where its contents are.
  mutating func read(_ tag: DER.Tag, in bytes: Span<UInt8>) throws(Mismatch) -> Range<Int> {
    guard next(in: bytes) == tag else { throw Mismatch() }
    position += 1
    let length = try readLength(in: bytes)
    guard length <= end - position else { throw Mismatch() }
    defer { position += length }
    return position..<position + length
  }

  /// Whatever element is next; gives where it is, tag and length included.
  mutating func readElement(in bytes: Span<UInt8>) throws(Mismatch) -> Range<Int> {
    guard let tag = next(in: bytes) else { throw Mismatch() }
    let start = position
    return start..<(try read(tag, in: bytes).upperBound)
  }

  /// The next octets must be these, which may be several elements.
  mutating func expect(_ octets: [UInt8], in bytes: Span<UInt8>) throws(Mismatch) {
    guard octets.count <= end - position else { throw Mismatch() }
    for octet in octets {
      guard bytes[position] == octet else { throw Mismatch() }
      position += 1
    }
  }

  /// The tag of the next element, if there is one.
  func next(in bytes: Span<UInt8>) -> DER.Tag? {
    position < end ? DER.Tag(octet: bytes[position]) : nil
  }

  /// Nothing may be left.
  func finish() throws(Mismatch) {
    guard isAtEnd else { throw Mismatch() }
  }

  private mutating func readLength(in bytes: Span<UInt8>) throws(Mismatch) -> Int {
    let first = try readOctet(in: bytes)
    guard first >= 0x80 else { return first }
    // Seven octets hold every length there can be, and cannot overflow.
    guard (1...7).contains(first - 0x80) else { throw Mismatch() }
    var length = 0
    for _ in 0..<first - 0x80 { length = length << 8 | (try readOctet(in: bytes)) }
    guard length >= 0x80, length >> (8 * (first - 0x81)) != 0 else { throw Mismatch() }
    return length
  }

  private mutating func readOctet(in bytes: Span<UInt8>) throws(Mismatch) -> Int {
    guard position < end else { throw Mismatch() }
    defer { position += 1 }
    return Int(bytes[position])
  }
}

extension Span<UInt8> {
  /// A copy of a part.
  func copy(_ part: Range<Int>) -> [UInt8] {
    part.map { self[$0] }
  }
}
