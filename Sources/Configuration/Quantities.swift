/// A number of bytes.
public struct ByteCount: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The bytes, never negative.
  public let bytes: Int

  /// A number of bytes; a negative one is taken as 0.
  public init(_ bytes: Int) { self.bytes = max(0, bytes) }

  // byte-count = 1*DIGIT ["k" / "M" / "G"]
  /// Reads `25M`, `100k`, `1G` or plain bytes, in powers of 1024; letters of either case.
  public init?(_ text: String) {
    var digits = Array(text.utf8)[...]
    let factor: Int
    switch digits.last {
    case UInt8(ascii: "k"), UInt8(ascii: "K"): factor = 1 << 10
    case UInt8(ascii: "m"), UInt8(ascii: "M"): factor = 1 << 20
    case UInt8(ascii: "g"), UInt8(ascii: "G"): factor = 1 << 30
    default: factor = 1
    }
    if factor > 1 { digits = digits.dropLast() }
    guard let number = Int(digits: digits) else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow else { return nil }
    self.init(bytes)
  }

  /// The shortest form that reads back as the same number.
  public var description: String {
    for (shift, unit) in [(30, "G"), (20, "M"), (10, "k")] where bytes > 0 {
      if bytes.isMultiple(of: 1 << shift) { return "\(bytes >> shift)\(unit)" }
    }
    return "\(bytes)"
  }

  /// Whether one is less than the other.
  public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }
}

/// A number of notes that may be sent in a time.
public struct Rate: Sendable, Hashable {
  /// The notes, 1 or more.
  public let count: Int
  /// The time, longer than none.
  public let interval: Duration

  // rate = 1*DIGIT "/" duration
  /// Reads `20/1h`.
  public init?(_ text: String) {
    let parts = Array(text.utf8).split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Int(digits: parts[0]), count > 0,
      let interval = Duration(parsing: parts[1]), interval > .zero
    else { return nil }
    self.count = count
    self.interval = interval
  }
}

extension Duration {
  // duration = 1*DIGIT ["." 1*3DIGIT] ("s" / "m" / "h" / "d")
  /// Reads `600s`, `10m`, `3h`, `5d` or `0.8s`.
  init?(parsing text: ArraySlice<UInt8>) {
    let seconds: Int
    switch text.last {
    case UInt8(ascii: "s"): seconds = 1
    case UInt8(ascii: "m"): seconds = 60
    case UInt8(ascii: "h"): seconds = 3600
    case UInt8(ascii: "d"): seconds = 86400
    default: return nil
    }
    guard let number = Int(thousandthsOf: text.dropLast()) else { return nil }
    let (milliseconds, overflow) = number.multipliedReportingOverflow(by: seconds)
    guard !overflow else { return nil }
    self = .milliseconds(milliseconds)
  }
}

// MARK: - Digits

extension Int {
  /// Reads decimal digits only; no sign, at least one digit, no overflow.
  init?(digits: ArraySlice<UInt8>) {
    guard !digits.isEmpty else { return nil }
    var value = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = product.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
      guard !tooLarge, !overflow else { return nil }
      value = sum
    }
    self = value
  }

  /// Reads a number with up to three decimals, as thousandths.
  fileprivate init?(thousandthsOf text: ArraySlice<UInt8>) {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let first = parts.first, parts.count <= 2, let whole = Int(digits: first) else {
      return nil
    }
    let (thousands, overflow) = whole.multipliedReportingOverflow(by: 1000)
    guard !overflow else { return nil }
    guard parts.count == 2 else {
      self = thousands
      return
    }
    guard parts[1].count <= 3, let decimals = Int(digits: parts[1]) else { return nil }
    let (sum, tooLarge) = thousands.addingReportingOverflow(
      decimals * [1000, 100, 10, 1][parts[1].count])
    guard !tooLarge else { return nil }
    self = sum
  }
}
