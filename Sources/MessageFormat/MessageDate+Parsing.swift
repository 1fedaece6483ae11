extension MessageDate {
  /// The date of a Date field, in today's or in the obsolete syntax.
  ///
  /// Comments, a missing day of the week, missing seconds, years of two or three digits, and the
  /// zones by name or letter are read. A wrong day of the week is not an error. RFC 5322 §3.3, §4.3.
  public init?(parsing text: String) {
    var reader = DateReader(octets: Array(text: text))
    guard let date = reader.readDate() else { return nil }
    self = date
  }
}

/// Reads the parts of a date from left to right.
private struct DateReader {
  let octets: [UInt8]
  var position = 0

  mutating func readDate() -> MessageDate? {
    guard skipDayName(), let day = readNumber(1...2), let month = readMonth(),
      let year = readYear(), let date = CivilDate(year: year, month: month, day: day),
      let time = readTime(), let zone = readZone()
    else { return nil }
    skipComments()
    guard position == octets.count else { return nil }
    let seconds = Int64(date.daysSinceEpoch) * 86_400 + Int64(time) - Int64(zone)
    return MessageDate(secondsSinceEpoch: seconds, zoneOffset: zone)
  }

  // day-of-week = ([FWS] day-name) / obs-day-of-week
  private mutating func skipDayName() -> Bool {
    guard let name = readWord() else { return true }
    _ = accept(0x2C)
    return MessageDate.dayNames.contains { name.matches($0) }
  }

  private mutating func readMonth() -> Int? {
    guard let name = readWord() else { return nil }
    return MessageDate.monthNames.firstIndex { name.matches($0) }.map { $0 + 1 }
  }

  // year = (FWS 4*DIGIT FWS) / obs-year    obs-year = [CFWS] 2*DIGIT [CFWS]        RFC 5322 §4.3
  private mutating func readYear() -> Int? {
    skipComments()
    let start = position
    guard let year = readNumber(2...4) else { return nil }
    switch position - start {
    case 2: return year < 50 ? 2000 + year : 1900 + year
    case 3: return 1900 + year
    default: return year
    }
  }

  // time-of-day = hour ":" minute [ ":" second ]
  private mutating func readTime() -> Int? {
    guard let hour = readNumber(1...2), hour < 24, accept(0x3A),
      let minute = readNumber(1...2), minute < 60
    else { return nil }
    guard accept(0x3A) else { return hour * 3600 + minute * 60 }
    // 60 is a leap second.
    guard let second = readNumber(1...2), second <= 60 else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  // zone = (FWS ( "+" / "-" ) 4DIGIT) / obs-zone
  private mutating func readZone() -> Int? {
    let isAhead = accept(0x2B)
    if isAhead || accept(0x2D) {
      guard let zone = readNumber(4...4), zone % 100 < 60 else { return nil }
      let seconds = (zone / 100 * 60 + zone % 100) * 60
      return isAhead ? seconds : -seconds
    }
    guard let name = readWord() else { return 0 }
    return Self.obsoleteZones.first { name.matches($0.name) }.map { $0.hours * 3600 } ?? 0
  }

  /// Zones by name; all others, the military letters too, mean UTC.
  ///
  /// RFC 5322 §4.3.
  private static let obsoleteZones: [(name: String, hours: Int)] = [
    ("EDT", -4), ("EST", -5), ("CDT", -5), ("CST", -6), ("MDT", -6), ("MST", -7), ("PDT", -7),
    ("PST", -8),
  ]
}

// MARK: - Tokens

extension DateReader {
  private var current: UInt8? { position < octets.count ? octets[position] : nil }

  private mutating func accept(_ octet: UInt8) -> Bool {
    skipComments()
    guard current == octet else { return false }
    position += 1
    return true
  }

  private mutating func readNumber(_ digits: ClosedRange<Int>) -> Int? {
    skipComments()
    let start = position
    var value = 0
    while let digit = current, digit.isDigit {
      guard position - start < digits.upperBound else { return nil }
      value = value * 10 + Int(digit - 0x30)
      position += 1
    }
    return position - start >= digits.lowerBound ? value : nil
  }

  private mutating func readWord() -> ArraySlice<UInt8>? {
    skipComments()
    let start = position
    while let letter = current, letter.isLetter { position += 1 }
    return position > start ? octets[start..<position] : nil
  }

  private mutating func skipComments() {
    position = CommentSkipper.end(ofCommentsIn: octets, from: position)
  }
}
