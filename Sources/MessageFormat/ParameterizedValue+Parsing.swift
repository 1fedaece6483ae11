extension ParameterizedValue {
  /// The most parameters, or sections of parameters, that are read.
  private static let maximumSectionCount = 1_000

  // content := "Content-Type" ":" type "/" subtype *(";" parameter)              RFC 2045 §5.1
  /// Reads a field's body; what cannot be read is passed over.
  init(parsing body: [UInt8]) {
    var reader = ParameterReader(octets: body)
    value = String(repairing: reader.readValue().map(\.lowercased))
    var sections: [ParameterSection] = []
    while sections.count < Self.maximumSectionCount, reader.skipSemicolon() {
      if let section = reader.readSection() { sections.append(section) }
    }
    parameters = Self.join(sections)
  }

  /// The parameters that the sections make up, in the order of their first ones.
  private static func join(_ sections: [ParameterSection]) -> [Parameter] {
    var names: [String] = []
    var groups: [String: [ParameterSection]] = [:]
    for section in sections {
      if groups[section.name] == nil { names.append(section.name) }
      groups[section.name, default: []].append(section)
    }
    return names.map { Parameter($0, value(of: groups[$0] ?? [])) }
  }

  /// The value of one parameter: what RFC 2231 made of it before what is for old readers.
  private static func value(of sections: [ParameterSection]) -> String {
    let numbered = sections.filter { $0.number != nil }
      .sorted { ($0.number ?? 0) < ($1.number ?? 0) }
    guard let first = numbered.first, first.number == 0 else {
      return sections.first.map { EncodedWord.decode($0.value) } ?? ""
    }
    var (charset, octets) = first.decodedInitial()
    for (number, section) in numbered.enumerated().dropFirst() {
      guard section.number == number else { break }
      octets += section.decoded()
    }
    return String(repairing: charset.transcode(octets))
  }
}

/// One section of a parameter; whole parameters are a single one.
private struct ParameterSection {
  let name: String
  /// The place in a parameter after RFC 2231, nil for one after RFC 2045.
  let number: Int?
  /// Whether the value is percent-encoded.
  let isExtended: Bool
  let value: [UInt8]

  // section := initial-section / other-sections    initial-section := "*0"           RFC 2231 §7
  init?(name octets: ArraySlice<UInt8>, value: [UInt8]) {
    var parts = octets.split(separator: 0x2A, omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty else { return nil }
    self.name = String(repairing: name.map(\.lowercased))
    self.value = value
    isExtended = parts.count > 1 && parts.last?.isEmpty == true
    if isExtended { parts.removeLast() }
    let digits = parts.count == 2 ? String(repairing: parts[1]) : ""
    number = parts.count == 1 ? (isExtended ? 0 : nil) : Int(digits).map { abs($0) }
  }

  func decoded() -> [UInt8] {
    guard isExtended else { return value }
    var output: [UInt8] = []
    var position = 0
    while position < value.count {
      if value[position] == .percent, position + 2 < value.count,
        let high = value[position + 1].hexValue, let low = value[position + 2].hexValue
      {
        output.append(high << 4 | low)
        position += 3
      } else {
        output.append(value[position])
        position += 1
      }
    }
    return output
  }

  // extended-initial-value := [charset] "'" [language] "'" extended-other-values     RFC 2231 §7
  func decodedInitial() -> (Charset, [UInt8]) {
    let marks = value.indices.filter { value[$0] == 0x27 }.prefix(2)
    guard isExtended, marks.count == 2, let first = marks.first, let second = marks.last else {
      return (.utf8, decoded())
    }
    let rest = Self(copying: self, value: Array(value[(second + 1)...]))
    return (Charset(label: value[..<first]), rest.decoded())
  }

  private init(copying other: Self, value: [UInt8]) {
    (name, number, isExtended) = (other.name, other.number, other.isExtended)
    self.value = value
  }
}

/// Reads a value and its parameters from left to right.
private struct ParameterReader {
  let octets: [UInt8]
  var position = 0

  init(octets: [UInt8]) { self.octets = octets }

  private var current: UInt8? { position < octets.count ? octets[position] : nil }

  private mutating func skipComments() {
    position = CommentSkipper.end(ofCommentsIn: octets, from: position)
  }

  mutating func readValue() -> ArraySlice<UInt8> {
    skipComments()
    return readBare()
  }

  /// Passes over what is left of a parameter and the semicolon; false at the end.
  mutating func skipSemicolon() -> Bool {
    while let octet = current, octet != 0x3B {
      if octet == .quote { _ = readQuoted() } else { position += 1 }
    }
    guard current != nil else { return false }
    position += 1
    return true
  }

  mutating func readSection() -> ParameterSection? {
    skipComments()
    let start = position
    while let octet = current, octet.isTokenText { position += 1 }
    let name = octets[start..<position]
    skipComments()
    guard current == .equals else { return nil }
    position += 1
    skipComments()
    let value = current == .quote ? readQuoted() : Array(readBare())
    return ParameterSection(name: name, value: value)
  }

  /// All up to a semicolon or to a last comment: blanks too, since some programs quote none.
  private mutating func readBare() -> ArraySlice<UInt8> {
    let start = position
    while let octet = current, octet != 0x3B {
      let mark = position
      if octet == 0x28, mark > start, octets[mark - 1].isBlank {
        skipComments()
        if current == nil || current == 0x3B { return octets[start..<mark].trimmingBlanks }
      } else {
        position += 1
      }
    }
    return octets[start..<position].trimmingBlanks
  }

  // quoted-string = DQUOTE *(qtext / quoted-pair) DQUOTE                        RFC 5322 §3.2.4
  private mutating func readQuoted() -> [UInt8] {
    var output: [UInt8] = []
    position += 1
    while let octet = current, octet != .quote {
      if octet == .backslash, position + 1 < octets.count { position += 1 }
      output.append(octets[position])
      position += 1
    }
    position = min(position + 1, octets.count)
    return output
  }
}
