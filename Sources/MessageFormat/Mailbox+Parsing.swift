// Design: a person writes `Doe, Jane <me@example.org>` in a settings file and means one mailbox.
// A name that is neither a quoted-string nor plain words is therefore taken as it is written;
// strictly, it would be two addresses or lose its comment (case C09).

extension Mailbox {
  /// Reads one mailbox: an address, or a name and an address in angle brackets.
  ///
  /// Comments beside a bare address, quoted names and encoded-words in names are understood.
  ///
  /// - Parameters:
  ///   - text: The mailbox.
  ///   - aLabels: Makes A-labels of a domain with U-labels; `nil` where there are none. Without it
  ///     such a domain is refused.
  /// - Throws: When there is not exactly one valid address, or a control character.
  public init(
    parsing text: String, aLabels: (String) -> String? = { _ in nil }
  ) throws(MailboxError) {
    let octets = Array(text.utf8)
    guard HeaderText.cleaned(text) == text || octets.allSatisfy({ !$0.isControl || $0 == .tab })
    else { throw .controlCharacter }
    guard !octets.trimmingBlanks.isEmpty else { throw .empty }
    let end = Mailbox.withoutComments(octets)
    guard end.last == 0x3E else {
      try self.init(displayName: nil, address: Mailbox.bareAddress(end), aLabels: aLabels)
      return
    }
    guard let start = Mailbox.lastAngle(in: end) else { throw .malformedAddress }
    let name = Array(end[..<start].trimmingBlanks)
    try Mailbox.checkSingle(name)
    let address = String(repairing: end[(start + 1)...].dropLast().trimmingBlanks)
    try self.init(displayName: MailboxName.read(name), address: address, aLabels: aLabels)
  }

  private static func bareAddress(_ text: ArraySlice<UInt8>) throws(MailboxError) -> String {
    let start = CommentSkipper.end(ofCommentsIn: Array(text), from: 0)
    let address = Array(text).dropFirst(start)
    guard !address.isEmpty else { throw .empty }
    if address.first != .quote, address.contains(0x2C) || address.contains(0x3E) { throw .several }
    return String(repairing: address)
  }

  /// The text without blanks at both ends and without the comments after the address.
  private static func withoutComments(_ text: [UInt8]) -> ArraySlice<UInt8> {
    let text = Array(text.trimmingBlanks)
    var position = text.lastIndex(of: 0x3E) ?? text.lastIndex(of: 0x40) ?? text.endIndex
    while position < text.endIndex, text[position] != 0x28 {
      position += 1
    }
    let end = CommentSkipper.end(ofCommentsIn: text, from: position)
    return end == text.endIndex ? text[..<position].trimmingBlanks : text[...]
  }

  /// The `<` of the address, which no quoted local part hides.
  private static func lastAngle(in text: ArraySlice<UInt8>) -> Int? {
    var isQuoted = false
    for index in text.indices.reversed() {
      if text[index] == .quote { isQuoted.toggle() }
      if text[index] == 0x3C, !isQuoted { return index }
    }
    return nil
  }

  /// Refuses what stands before the address when that holds an address itself.
  private static func checkSingle(_ name: [UInt8]) throws(MailboxError) {
    guard MailboxName.unquoted(name) == nil else { return }
    if name.contains(0x3C) || name.contains(0x3E) { throw .several }
    for piece in name.split(separator: 0x2C).dropLast()
    where (try? checked(Array(piece.trimmingBlanks))) != nil {
      throw .several
    }
  }
}
