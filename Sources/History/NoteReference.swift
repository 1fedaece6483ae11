public import MessageFormat

/// How a person names a note on the command line.
public enum NoteReference: Sendable, Equatable {
  /// `@1` the newest, `@2` the one before, …
  case nth(Int)
  /// The end of its UUID in hexadecimal digits, at least 4, up to all 32.
  case ending(String)

  /// A reference from its text; nil when it cannot be one.
  public init?(_ text: String) {
    if text.hasPrefix("@") {
      guard let number = Int(text.dropFirst()), number > 0 else { return nil }
      self = .nth(number)
      return
    }
    let digits = text.lowercased().utf8.filter { $0 != UInt8(ascii: "-") }
    guard (4...32).contains(digits.count), digits.allSatisfy(Self.isHexadecimal) else {
      return nil
    }
    self = .ending(String(decoding: digits, as: UTF8.self))
  }

  private static func isHexadecimal(_ octet: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(octet)
  }
}

extension NoteID {
  /// The 32 hexadecimal digits without dashes.
  var digits: String { description.filter { $0 != "-" } }

  /// Its shortest ending of at least 4 digits that none of the others has.
  public func shortestEnding(among others: [NoteID]) -> String {
    var shared = 0
    for other in others where other != self { shared = max(shared, sharedDigits(with: other)) }
    return String(digits.suffix(max(4, shared + 1)))
  }

  /// How many hexadecimal digits two UUIDs have in common at their end.
  private func sharedDigits(with other: NoteID) -> Int {
    let (mine, its) = (halves, other.halves)
    if mine.low != its.low { return (mine.low ^ its.low).trailingZeroBitCount / 4 }
    return 16 + (mine.high ^ its.high).trailingZeroBitCount / 4
  }
}
