import Outbox

/// Reads replies line by line.
///
/// What it takes for the end of a reply is what libcurl takes for one, so that both know of the
/// same replies. A reply is kept to its first lines and their first octets.
struct ReplyReader {
  private var texts: [String] = []

  /// The most lines kept of a reply.
  static let maximumLines = 64
  /// The most octets kept of a line.
  static let maximumOctets = 1000

  // Reply-line = *( Reply-code "-" [ textstring ] CRLF ) Reply-code [ SP textstring ] CRLF
  //                                                                          RFC 5321 §4.2
  /// Takes a line with its end; returns the reply if the line completes one.
  ///
  /// A line that does not begin with a code is no part of a reply.
  mutating func read(_ line: Span<UInt8>) -> Reply? {
    guard let code = Self.code(of: line) else { return nil }
    keep(Self.text(of: line) ?? [])
    guard line[3] == UInt8(ascii: " ") || line.count == 5 else { return nil }
    defer { texts = [] }
    return Reply(code: code, lines: texts)
  }

  /// Forgets a reply that was begun.
  mutating func reset() {
    texts = []
  }

  private mutating func keep(_ text: [UInt8]) {
    guard texts.count < Self.maximumLines else { return }
    texts.append(String(decoding: text.prefix(Self.maximumOctets), as: UTF8.self))
  }

  private static func code(of line: Span<UInt8>) -> Int? {
    guard line.count >= 4, line[0].isDigit, line[1].isDigit, line[2].isDigit else { return nil }
    return (0..<3).reduce(0) { $0 * 10 + Int(line[$1] - UInt8(ascii: "0")) }
  }

  /// The octets after code and separator, without the line's end; `nil` where there is no code.
  static func text(of line: Span<UInt8>) -> [UInt8]? {
    guard code(of: line) != nil else { return nil }
    var end = line.count
    while end > 3, line[end - 1] == UInt8(ascii: "\n") || line[end - 1] == UInt8(ascii: "\r") {
      end -= 1
    }
    return end > 4 ? (4..<end).map { line[$0] } : []
  }
}
