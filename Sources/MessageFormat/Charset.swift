/// A character set that text is read in.
///
/// memo writes UTF-8 only; the others are what mail of other programs most often has.
enum Charset: Equatable {
  case utf8
  case latin1
  case latin9
  case windows1252

  /// The character set of a label, UTF-8 for one that is not known.
  ///
  /// RFC 2231 §5 lets a language follow the name of an encoded-word's, after `*`.
  init(label: some Collection<UInt8>) {
    let name = String(repairing: label.prefix { $0 != 0x2A }).asciiLowercased
    switch name {
    case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "l1": self = .latin1
    case "iso-8859-15", "iso8859-15", "iso_8859-15", "latin-9", "latin9": self = .latin9
    case "windows-1252", "cp1252", "cp-1252", "x-cp1252": self = .windows1252
    default: self = .utf8
    }
  }

  /// The octets as UTF-8; those said to be UTF-8 already are not checked.
  func transcode(_ octets: [UInt8]) -> [UInt8] {
    guard self != .utf8 else { return octets }
    var output: [UInt8] = []
    output.reserveCapacity(octets.count + octets.count / 2)
    for octet in octets { append(octet, to: &output) }
    return output
  }

  private func append(_ octet: UInt8, to output: inout [UInt8]) {
    guard !octet.isASCII else { return output.append(octet) }
    let scalar = scalar(for: octet)
    if scalar < 0x800 {
      output.append(0xC0 | UInt8(truncatingIfNeeded: scalar >> 6))
    } else {
      output.append(0xE0 | UInt8(truncatingIfNeeded: scalar >> 12))
      output.append(0x80 | UInt8(truncatingIfNeeded: scalar >> 6 & 63))
    }
    output.append(0x80 | UInt8(truncatingIfNeeded: scalar & 63))
  }

  private func scalar(for octet: UInt8) -> UInt16 {
    switch self {
    case .latin9: Self.scalarInLatin9(octet)
    case .windows1252 where octet < 0xA0: Self.windows1252Scalars[Int(octet & 31)]
    default: UInt16(octet)
    }
  }

  private static func scalarInLatin9(_ octet: UInt8) -> UInt16 {
    switch octet {
    case 0xA4: 0x20AC
    case 0xA6: 0x0160
    case 0xA8: 0x0161
    case 0xB4: 0x017D
    case 0xB8: 0x017E
    case 0xBC: 0x0152
    case 0xBD: 0x0153
    case 0xBE: 0x0178
    default: UInt16(octet)
    }
  }

  /// 0x80 to 0x9F; the five that are not assigned stay as they are.
  private static let windows1252Scalars: [UInt16] = [
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
    0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
  ]
}
