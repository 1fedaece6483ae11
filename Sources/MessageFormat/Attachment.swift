/// A file that goes with a note.
public struct Attachment: Sendable, Equatable {
  /// The file's name, without folders.
  public var name: String

  /// Type and subtype, such as `image/png`.
  public var contentType: String

  /// The file's octets.
  public var content: [UInt8]

  /// A file to go with a note.
  ///
  /// - Parameters:
  ///   - name: The file's name; folders before it are left out when the message is composed.
  ///   - contentType: Its media type, nil to go by the name.
  ///   - content: Its octets.
  public init(name: String, contentType: String? = nil, content: [UInt8]) {
    self.name = name
    self.contentType = contentType ?? ContentType.forFileName(name).mediaType
    self.content = content
  }
}

/// What may be the name of an attached file.
enum FileName {
  /// A name that is safe to write into a message and to save a file under.
  ///
  /// Folders, also those of other systems, are dropped, and control characters with them; what is
  /// left of a name that was nothing else is `attachment`.
  static func cleaned(_ name: String) -> String {
    let octets = name.utf8
    let start = octets.lastIndex { $0 == 0x2F || $0 == .backslash }.map { octets.index(after: $0) }
    let last = name[(start ?? octets.startIndex)...].unicodeScalars.filter { scalar in
      switch scalar.value {
      case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: false
      default: true
      }
    }
    let cleaned = String(String.UnicodeScalarView(last))
    let isName = cleaned.utf8.contains { $0 != 0x2E && $0 != .space }
    return isName ? cleaned : "attachment"
  }
}
