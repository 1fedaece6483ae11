/// A server's reply: its code and every line of its text.
///
/// The texts are what the server sent, without code and separator, bytes that are not UTF-8
/// repaired. They are not safe to print on a terminal. RFC 5321 §4.2.
public struct Reply: Sendable, Equatable {
  /// The three-digit reply code, 200 to 599.
  public let code: Int

  /// The text of each line, in the order received; at least one, which may be empty.
  public let lines: [String]

  /// A reply of a server.
  public init(code: Int, lines: [String]) {
    self.code = code
    self.lines = lines.isEmpty ? [""] : lines
  }

  /// The enhanced status code that begins the first line, if one does.
  ///
  /// RFC 2034 §4.
  public var enhancedStatusCode: EnhancedStatusCode? {
    EnhancedStatusCode(prefixing: lines[0])
  }
}

/// An enhanced mail system status code, as `5.7.1`.
///
/// RFC 3463 §2.
public struct EnhancedStatusCode: Sendable, Hashable, CustomStringConvertible {
  /// 2 success, 4 persistent transient failure, 5 permanent failure.
  public let statusClass: Int

  /// What the status is about: 1 addressing, 2 mailbox, 3 mail system, 5 protocol, 7 security.
  public let subject: Int

  /// The precise condition, 0 where there is nothing to add.
  public let detail: Int

  /// A status code from its three parts.
  public init(_ statusClass: Int, _ subject: Int, _ detail: Int) {
    self.statusClass = statusClass
    self.subject = subject
    self.detail = detail
  }

  // status-code = class "." subject "." detail                                RFC 3463 §2
  // class = "2" / "4" / "5"    subject = 1*3digit    detail = 1*3digit
  /// The status code at the start of a reply line, ended by a space or the end of the line.
  public init?(prefixing line: String) {
    let word = line.utf8.prefix { $0 != UInt8(ascii: " ") }
    let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ (1...3).contains($0.count) }) else { return nil }
    let numbers = parts.compactMap { part in
      part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        ? part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } : nil
    }
    guard numbers.count == 3, [2, 4, 5].contains(numbers[0]) else { return nil }
    self.init(numbers[0], numbers[1], numbers[2])
  }

  /// The dotted form.
  public var description: String { "\(statusClass).\(subject).\(detail)" }
}
