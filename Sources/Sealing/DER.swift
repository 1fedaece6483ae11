/// Writing the Distinguished Encoding Rules.
///
/// X.690 §8 and §10.
package enum DER {
  /// The identifier octet of an element.
  package struct Tag: Equatable, Sendable {
    package let octet: UInt8

    package static let integer = Tag(octet: 0x02)
    package static let bitString = Tag(octet: 0x03)
    package static let octetString = Tag(octet: 0x04)
    package static let objectIdentifier = Tag(octet: 0x06)
    package static let utf8String = Tag(octet: 0x0C)
    package static let utcTime = Tag(octet: 0x17)
    package static let generalizedTime = Tag(octet: 0x18)
    package static let sequence = Tag(octet: 0x30)
    package static let set = Tag(octet: 0x31)

    /// A context tag that holds an element, or replaces the tag of a constructed one.
    package static func explicit(_ number: UInt8) -> Tag { Tag(octet: 0xA0 | number) }

    /// A context tag that replaces the tag of a primitive element.
    package static func implicit(_ number: UInt8) -> Tag { Tag(octet: 0x80 | number) }
  }

  /// An element that holds the parts, one after the other.
  package static func element(_ tag: Tag, _ parts: [UInt8]...) -> [UInt8] {
    var element = header(tag, length: parts.reduce(0) { $0 + $1.count })
    for part in parts { element += part }
    return element
  }

  /// What stands before contents of that length: the tag, and the length as short as can be.
  package static func header(_ tag: Tag, length: Int) -> [UInt8] {
    guard length >= 0x80 else { return [tag.octet, UInt8(length)] }
    let octets = (length.bitWidth - length.leadingZeroBitCount + 7) / 8
    var header = [tag.octet, 0x80 | UInt8(octets)]
    for index in (0..<octets).reversed() {
      header.append(UInt8(truncatingIfNeeded: length >> (8 * index)))
    }
    return header
  }
}
