// Design: our own reader, as the one tried (inih) cuts long values, eats what follows a `;` in a
// command, and joins indented lines. A line means what it says: values are taken verbatim, there
// is no quoting, no escape and no continuation, and nothing unknown is passed over, since a
// misspelt key would silently change where notes go.
//
//   file    = [BOM] *line
//   line    = *blank [comment / section / entry] *blank [CR] LF
//   comment = ("#" / ";") *octet
//   section = "[" *blank kind [1*blank account-name] *blank "]"
//   entry   = key *blank "=" *blank value

/// The sections and entries of a configuration file, before their values are understood.
public struct ConfigurationFile: Sendable, Equatable {
  /// A `key = value` line.
  public struct Entry: Sendable, Equatable {
    /// The key, known in the section it was found in.
    public let key: Key
    /// The value, verbatim but for the blanks around it; never empty.
    public let value: String
    /// The line, counted from 1.
    public let line: Int
  }

  /// A section and its entries.
  public struct Section: Sendable, Equatable {
    /// The kind of section.
    public let kind: SectionKind
    /// The name of an `[account NAME]`.
    public let account: String?
    /// The line of its `[`, counted from 1.
    public let line: Int
    /// The entries in their order, each key once.
    public internal(set) var entries: [Entry] = []
  }

  /// The name of the file, for errors.
  public let name: String

  /// The sections in their order, each once.
  public let sections: [Section]

  /// Reads the bytes of a file.
  ///
  /// - Throws: `ConfigurationError.invalid` for the first line that is not as it should be.
  ///   Values are not looked at, save that they are there.
  public init(parsing bytes: [UInt8], name: String) throws(ConfigurationError) {
    var parser = ConfigurationParser()
    do throws(ConfigurationFault) {
      try parser.parse(bytes)
    } catch {
      throw .invalid(file: name, line: parser.line, error)
    }
    self.name = name
    sections = parser.sections
  }
}

/// Takes a file line by line.
private struct ConfigurationParser {
  private(set) var sections: [ConfigurationFile.Section] = []
  private(set) var line = 0

  mutating func parse(_ bytes: [UInt8]) throws(ConfigurationFault) {
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    while !rest.isEmpty {
      line += 1
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      try takeLine(rest[..<end])
      rest = rest[end...].dropFirst()
    }
  }

  private mutating func takeLine(_ octets: ArraySlice<UInt8>) throws(ConfigurationFault) {
    let unended = octets.last == UInt8(ascii: "\r") ? octets.dropLast() : octets
    let content = trimmed(unended)
    guard let first = content.first, !"#;".utf8.contains(first) else { return }
    try check(content)
    if first == UInt8(ascii: "[") {
      try takeSection(content.dropFirst())
    } else {
      try takeEntry(content)
    }
  }
}

// MARK: - Sections

extension ConfigurationParser {
  private mutating func takeSection(_ octets: ArraySlice<UInt8>) throws(ConfigurationFault) {
    guard let end = octets.firstIndex(of: UInt8(ascii: "]")) else { throw .unclosedSection }
    guard end + 1 == octets.endIndex else { throw .textAfterSection }
    let title = trimmed(octets[..<end])
    let word = title.prefix { !isBlank($0) }
    let kind = try sectionKind(text(word))
    let account = try accountName(text(trimmed(title[word.endIndex...])), in: kind)
    try begin(kind, account)
  }

  private func sectionKind(_ word: String) throws(ConfigurationFault) -> SectionKind {
    guard let kind = SectionKind(rawValue: word) else {
      throw .unknownSection(
        word, nearest: nearest(to: word, among: SectionKind.allCases, named: \.rawValue))
    }
    return kind
  }

  private func accountName(
    _ name: String, in kind: SectionKind
  ) throws(ConfigurationFault) -> String? {
    if name.isEmpty { return nil }
    guard kind == .account else { throw .sectionTakesNoName(kind) }
    guard Account.isName(name) else { throw .invalidAccountName(name) }
    return name
  }

  private mutating func begin(
    _ kind: SectionKind, _ account: String?
  ) throws(ConfigurationFault) {
    for section in sections where section.kind == kind && section.account == account {
      throw .repeatedSection(kind, account: account, firstLine: section.line)
    }
    sections.append(ConfigurationFile.Section(kind: kind, account: account, line: line))
  }
}

// MARK: - Entries

extension ConfigurationParser {
  private mutating func takeEntry(_ octets: ArraySlice<UInt8>) throws(ConfigurationFault) {
    guard let equals = octets.firstIndex(of: UInt8(ascii: "=")) else { throw .missingEquals }
    let name = text(trimmed(octets[..<equals]))
    guard !name.isEmpty else { throw .missingKey }
    guard let last = sections.indices.last else { throw .keyBeforeSection(name) }
    let key = try key(name, in: sections[last])
    let value = text(trimmed(octets[(equals + 1)...]))
    guard !value.isEmpty else { throw .emptyValue(key) }
    sections[last].entries.append(ConfigurationFile.Entry(key: key, value: value, line: line))
  }

  private func key(
    _ name: String, in section: ConfigurationFile.Section
  ) throws(ConfigurationFault) -> Key {
    guard let key = Key(name, in: section.kind) else {
      throw .unknownKey(name, in: section.kind, nearest: nearestKey(to: name, in: section.kind))
    }
    if let first = section.entries.first(where: { $0.key == key }) {
      throw .repeatedKey(key, firstLine: first.line)
    }
    return key
  }

  /// The same key of another section, else the most alike of this one.
  private func nearestKey(to name: String, in section: SectionKind) -> Key? {
    for other in SectionKind.allCases {
      if let key = Key(name, in: other) { return key }
    }
    return nearest(to: name, among: Key.all(in: section), named: \.name)
  }
}

// MARK: - Octets

extension ConfigurationParser {
  private func check(_ octets: ArraySlice<UInt8>) throws(ConfigurationFault) {
    guard String(validating: octets, as: UTF8.self) != nil else { throw .notUTF8 }
    // A CR or NUL would reach a header field or a command.
    let isControl = { (octet: UInt8) in octet < 0x20 && octet != 0x09 || octet == 0x7F }
    if octets.contains(where: isControl) { throw .controlCharacter }
  }

  private func text(_ octets: ArraySlice<UInt8>) -> String {
    String(decoding: octets, as: UTF8.self)
  }

  private func trimmed(_ octets: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let start = octets.drop(while: isBlank)
    guard let last = start.lastIndex(where: { !isBlank($0) }) else { return start.prefix(0) }
    return start[...last]
  }

  private func isBlank(_ octet: UInt8) -> Bool {
    octet == UInt8(ascii: " ") || octet == UInt8(ascii: "\t")
  }
}
