internal import MessageFormat

// Design: what comes from gpg is looked at before it goes anywhere. Whatever stands in gpg's place
// on a machine, plaintext has not the form of packets that say they are encrypted.

/// An encrypted OpenPGP message in ASCII armor.
struct ArmoredMessage {
  private static let begin = Array("-----BEGIN PGP MESSAGE-----".utf8)
  private static let end = Array("-----END PGP MESSAGE-----".utf8)

  /// The octets that the armor holds.
  let packets: [UInt8]

  // armor = begin *(header) blank-line base64 "=" checksum end                      RFC 4880 §6.2
  /// Reads an armor; nil when it is none, or is not followed by its checksum.
  ///
  /// gpgme, and with it many mail clients, reads no armor without that line.
  init?(_ armor: [UInt8]) {
    var lines = armor.filter { $0 != UInt8(ascii: "\r") }
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
    while lines.last?.isEmpty == true { lines.removeLast() }
    guard lines.popFirst()?.elementsEqual(Self.begin) == true,
      lines.popLast()?.elementsEqual(Self.end) == true, let blank = lines.firstIndex(of: []),
      let sum = lines.popLast(), sum.count == 5, sum.first == UInt8(ascii: "=")
    else { return nil }
    let text = Array(lines[(blank + 1)...].joined(separator: [UInt8(ascii: "\n")]))
    guard let packets = Base64.decode(text, garbage: .refused),
      Base64.decode(Array(sum.dropFirst())) == Self.checksum(packets)
    else { return nil }
    self.packets = packets
  }

  // CRC-24: generator 0x864CFB, start value 0xB704CE                              RFC 4880 §6.1
  private static func checksum(_ octets: [UInt8]) -> [UInt8] {
    var crc: UInt32 = 0xB704CE
    for octet in octets {
      crc ^= UInt32(octet) << 16
      for _ in 0..<8 {
        crc <<= 1
        if crc & 0x100_0000 != 0 { crc ^= 0x186_4CFB }
      }
    }
    return [UInt8(crc >> 16 & 255), UInt8(crc >> 8 & 255), UInt8(crc & 255)]
  }

  /// What a message to be sent may be made of.
  ///
  /// RFC 4880 §4.3, §5.13; tag 20 is GnuPG's own, for keys that ask for OCB.
  private enum Tag {
    static let sessionKeyForPublicKey = 1
    static let protectedData = 18
    static let authenticatedData = 20
  }

  /// Whether it is nothing but session keys for public keys, and data that is encrypted with them
  /// and protected against change.
  var isEncrypted: Bool {
    var reader = PacketReader(packets)
    guard reader.nextTag() == Tag.sessionKeyForPublicKey else { return false }
    while true {
      guard reader.skipBody(), let tag = reader.nextTag() else { return false }
      switch tag {
      case Tag.sessionKeyForPublicKey: continue
      case Tag.protectedData, Tag.authenticatedData:
        return reader.skipBody() && reader.isAtEnd
      default: return false
      }
    }
  }
}

/// Goes from packet to packet, and looks into none.
///
/// RFC 4880 §4.2.
private struct PacketReader {
  private var rest: ArraySlice<UInt8>
  private var first: UInt8 = 0

  init(_ packets: [UInt8]) { rest = packets[...] }

  var isAtEnd: Bool { rest.isEmpty }

  private var isOldForm: Bool { first & 0x40 == 0 }

  // old form: 0b10 tag(4) length-type(2)     new form: 0b11 tag(6)                  RFC 4880 §4.2
  /// The tag of the next packet, nil where there is none.
  mutating func nextTag() -> Int? {
    guard let octet = rest.popFirst(), octet & 0x80 != 0 else { return nil }
    first = octet
    return isOldForm ? Int(octet >> 2 & 0x0F) : Int(octet & 0x3F)
  }

  /// Goes to the end of the packet's body; false where that is not there.
  mutating func skipBody() -> Bool {
    while let (length, isLast) = isOldForm ? oldLength() : newLength() {
      guard length <= rest.count else { return false }
      rest = rest.dropFirst(length)
      if isLast { return true }
    }
    return false
  }

  /// RFC 4880 §4.2.1; a length of type 3 is all that is left.
  private mutating func oldLength() -> (Int, isLast: Bool)? {
    let type = first & 3
    if type == 3 { return (rest.count, true) }
    return number(1 << Int(type)).map { ($0, true) }
  }

  /// RFC 4880 §4.2.2; a body may come in pieces, each with its length.
  private mutating func newLength() -> (Int, isLast: Bool)? {
    guard let octet = rest.popFirst() else { return nil }
    switch octet {
    case 0..<192: return (Int(octet), true)
    case 192..<224: return number(1).map { ((Int(octet) - 192) << 8 + $0 + 192, true) }
    case 255: return number(4).map { ($0, true) }
    default: return (1 << Int(octet & 31), false)
    }
  }

  /// The number in so many octets.
  private mutating func number(_ count: Int) -> Int? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
  }
}
