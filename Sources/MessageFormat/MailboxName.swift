/// How the name of a mailbox is written and read.
enum MailboxName {
  // display-name = phrase    phrase = 1*word / obs-phrase                      RFC 5322 §3.2.5
  /// The name as words, as a quoted-string, or as encoded-words, whichever is the least.
  static func phrase(for name: String) -> String {
    let octets = Array(name.utf8)
    let isASCII = octets.allSatisfy { $0.isVisible || $0 == .space }
    guard isASCII, octets.count <= longestBareName, !octets.containsPair(.equals, .question)
    else { return encoded(name) }
    let words = octets.split(separator: .space, omittingEmptySubsequences: false)
    let isWords = words.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isAtomText) }
    return isWords ? name : quoted(octets)
  }

  /// The longest name that fits on a line with the field's.
  private static let longestBareName = 60

  // qtext = %d33 / %d35-91 / %d93-126    quoted-pair = "\" (VCHAR / WSP)        RFC 5322 §3.2.4
  private static func quoted(_ name: [UInt8]) -> String {
    let escaped = name.flatMap { octet in
      octet == .quote || octet == .backslash ? [.backslash, octet] : [octet]
    }
    return String(repairing: [.quote] + escaped + [.quote])
  }

  /// Encoded-words short enough that the first fits on a line with any field's name.
  private static func encoded(_ name: String) -> String {
    let words = EncodedWord.encode(name, firstLength: longestBareName, otherLength: 74)
    return String(repairing: Array(words.joined(separator: [.space])))
  }

  /// The name that stands before an address, as a person reads it.
  static func read(_ text: [UInt8]) -> String {
    if let inner = unquoted(text) { return EncodedWord.decode(inner) }
    return EncodedWord.decode(text)
  }

  /// What a quoted-string holds, nil when the text is not exactly one.
  static func unquoted(_ text: [UInt8]) -> [UInt8]? {
    guard text.count >= 2, text.first == .quote, text.last == .quote else { return nil }
    var output: [UInt8] = []
    var isEscaped = false
    for octet in text.dropFirst().dropLast() {
      if octet == .quote, !isEscaped { return nil }
      isEscaped = octet == .backslash && !isEscaped
      if !isEscaped { output.append(octet) }
    }
    return isEscaped ? nil : output
  }
}
