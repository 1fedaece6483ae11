/// The name of a mailbox as a command takes it: an atom or a quoted string, verbatim.
///
/// RFC 3501 §5.1.
struct MailboxName: Equatable {
  let text: String

  /// The one mailbox that every account has.
  static let inbox = MailboxName(text: "INBOX")
  /// The name most servers have for sent mail, when none tells of another.
  static let sent = MailboxName(text: "Sent")
}

/// What the untagged lines of an answer tell, as far as a search needs it.
///
/// Nothing else is kept of them. RFC 3501 §7.2.
struct MailboxAnswer {
  /// Whether a search found a message.
  private(set) var hasMatches = false
  /// Whether LIST can be asked for mailboxes of special use.
  ///
  /// RFC 6154 §2.
  private(set) var offersSpecialUse = false
  /// The first mailbox with the attribute `\Sent`.
  private(set) var sentMailbox: MailboxName?

  private static let longestLine = 8192

  // mailbox-data = "LIST" SP mailbox-list / "SEARCH" *(SP nz-number)                RFC 3501 §9
  /// Takes a line with its end.
  mutating func read(_ line: Span<UInt8>) {
    guard line.count <= Self.longestLine else { return }
    let text = String(decoding: line.indices.map { line[$0] }, as: UTF8.self)
    let words = text.utf8.split { $0 <= UInt8(ascii: " ") }.map { String(Substring($0)) }
    guard words.count > 1 else { return }
    let upper = words.map { $0.uppercased() }
    if upper.contains(where: { $0.hasSuffix("CAPABILITY") }) {
      // As a line of its own, or as a code in the line that ends a login.
      offersSpecialUse = offersSpecialUse || upper.contains { $0.hasPrefix("SPECIAL-USE") }
    }
    guard words[0] == "*" else { return }
    if upper[1] == "SEARCH", words.dropFirst(2).contains(where: Self.isNumber) { hasMatches = true }
    if upper[1] == "LIST", sentMailbox == nil { readMailbox(Array(text.utf8)) }
  }

  private static func isNumber(_ word: String) -> Bool {
    word.utf8.allSatisfy(\.isDigit) && word.utf8.first != UInt8(ascii: "0")
  }

  // mailbox-list = "(" [mbx-list-flags] ")" SP (DQUOTE QUOTED-CHAR DQUOTE / nil) SP mailbox
  private mutating func readMailbox(_ line: [UInt8]) {
    guard let open = line.firstIndex(of: UInt8(ascii: "(")),
      let close = line[open...].firstIndex(of: UInt8(ascii: ")"))
    else { return }
    let flags = line[(open + 1)..<close].split(separator: UInt8(ascii: " "))
    guard flags.contains(where: Self.isSent) else { return }
    let rest = line[(close + 1)...].drop { $0 == UInt8(ascii: " ") }
    guard let separator = Self.word(rest) else { return }
    let name = Self.word(rest[separator.endIndex...].drop { $0 == UInt8(ascii: " ") })
    // A literal is not read: its octets come on a line of their own.
    guard let name, name.first != UInt8(ascii: "{"), !name.contains(where: { $0 < 0x20 }) else {
      return
    }
    sentMailbox = MailboxName(text: String(decoding: name, as: UTF8.self))
  }

  private static func isSent(_ flag: ArraySlice<UInt8>) -> Bool {
    flag.map { $0 | 0x20 }.elementsEqual("\\sent".utf8.map { $0 | 0x20 })
  }

  /// The atom or quoted string that begins a text; `nil` where there is none.
  private static func word(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard text.first == UInt8(ascii: "\"") else {
      let atom = text.prefix { $0 > UInt8(ascii: " ") }
      return atom.isEmpty ? nil : atom
    }
    var index = text.startIndex + 1
    while index < text.endIndex, text[index] != UInt8(ascii: "\"") {
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index < text.endIndex ? text[...index] : nil
  }
}
