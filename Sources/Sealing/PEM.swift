package import Posix

/// The textual encoding of keys and certificates.
///
/// RFC 7468. What stands before the first line with the label is passed over, as
/// `openssl x509 -text` writes it; line ends may be LF or CRLF.
package enum PEM {
  /// What a PEM block holds.
  package enum Label: String, Sendable {
    /// RFC 7468 §5.
    case certificate = "CERTIFICATE"
    /// RFC 7468 §10.
    case privateKey = "PRIVATE KEY"
    /// RFC 7468 §11.
    case encryptedPrivateKey = "ENCRYPTED PRIVATE KEY"
  }

  private static let lineLength = 64
}

// MARK: - Reading

extension PEM {
  /// The octets of the first block with that label; nil when there is none, or it is not base64.
  package static func decode(_ label: Label, in text: Span<UInt8>) -> SecretBytes? {
    let begin = Array("-----BEGIN \(label.rawValue)-----".utf8)
    let end = Array("-----END \(label.rawValue)-----".utf8)
    guard let start = position(of: begin, in: text, from: 0),
      let stop = position(of: end, in: text, from: start + begin.count)
    else { return nil }
    return decodeBase64(text.extracting(start + begin.count..<stop))
  }

  /// Where the octets first stand at the beginning of a line.
  private static func position(of line: [UInt8], in text: Span<UInt8>, from start: Int) -> Int? {
    guard line.count <= text.count else { return nil }
    for position in start..<max(start, text.count - line.count + 1)
    where (position == 0 || text[position - 1] == 0x0A)
      && line.indices.allSatisfy({ text[position + $0] == line[$0] })
    {
      return position
    }
    return nil
  }

  // base64text = *(4base64char) with "=" at the end, blanks and line ends between   RFC 7468 §3
  private static func decodeBase64(_ text: Span<UInt8>) -> SecretBytes? {
    var decoded = SecretBytes(capacity: text.count / 4 * 3 + 3)
    var group: UInt32 = 0
    var characters = 0
    var padding = 0
    for index in text.indices where !isBlank(text[index]) {
      let character = text[index]
      if character == 0x3D {
        padding += 1
        continue
      }
      guard padding == 0, let value = value(of: character) else { return nil }
      group = group << 6 | value
      characters += 1
      guard characters % 4 == 0 else { continue }
      for shift in [UInt32(16), 8, 0] { decoded.append(UInt8(truncatingIfNeeded: group >> shift)) }
    }
    guard padding == (4 - characters % 4) % 4, padding < 3 else { return nil }
    group <<= 6 * UInt32(padding)
    if padding != 0 { decoded.append(UInt8(truncatingIfNeeded: group >> 16)) }
    if padding == 1 { decoded.append(UInt8(truncatingIfNeeded: group >> 8)) }
    return decoded
  }

  private static func isBlank(_ character: UInt8) -> Bool {
    character == 0x0A || character == 0x0D || character == 0x20
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case 0x41...0x5A: UInt32(character) - 0x41
    case 0x61...0x7A: UInt32(character) - 0x61 + 26
    case 0x30...0x39: UInt32(character) - 0x30 + 52
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}

// MARK: - Writing

extension PEM {
  /// A block with that label, in lines of 64 characters.
  package static func encode(_ label: Label, _ bytes: Span<UInt8>) -> SecretBytes {
    let begin = Array("-----BEGIN \(label.rawValue)-----\n".utf8)
    let end = Array("-----END \(label.rawValue)-----\n".utf8)
    let characters = (bytes.count + 2) / 3 * 4
    let lines = (characters + lineLength - 1) / lineLength
    var text = SecretBytes(capacity: begin.count + characters + lines + end.count)
    text.append(begin.span)
    encodeBase64(bytes, into: &text)
    text.append(end.span)
    return text
  }

  private static func encodeBase64(_ bytes: Span<UInt8>, into text: inout SecretBytes) {
    let perLine = lineLength / 4 * 3
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let present = min(3, bytes.count - start)
      var group: UInt32 = 0
      for offset in 0..<3 {
        group = group << 8 | (offset < present ? UInt32(bytes[start + offset]) : 0)
      }
      for place in 0..<4 {
        let value = UInt8(truncatingIfNeeded: group >> (18 - 6 * UInt32(place))) & 0x3F
        text.append(place <= present ? character(of: value) : 0x3D)
      }
      if (start + 3) % perLine == 0 || start + 3 >= bytes.count { text.append(0x0A) }
    }
  }

  private static func character(of value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: value + 0x41
    case 26..<52: value - 26 + 0x61
    case 52..<62: value - 52 + 0x30
    case 62: 0x2B
    default: 0x2F
    }
  }
}
