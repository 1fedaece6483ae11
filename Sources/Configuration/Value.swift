/// The value of an entry, to be read as what its key asks for.
struct Value {
  private let key: Key
  private let home: String

  /// The value verbatim.
  let text: String

  init(_ entry: ConfigurationFile.Entry, home: String) {
    key = entry.key
    text = entry.value
    self.home = home
  }

  private var octets: ArraySlice<UInt8> { Array(text.utf8)[...] }

  private func invalid(_ form: ValueForm) -> ConfigurationFault {
    .invalidValue(key, allowed: form)
  }
}

// MARK: - Words

extension Value {
  func yesOrNo() throws(ConfigurationFault) -> Bool {
    switch text {
    case "yes": return true
    case "no": return false
    default: throw invalid(.yesOrNo)
    }
  }

  func word<Word: RawRepresentable<String> & CaseIterable>() throws(ConfigurationFault) -> Word {
    guard let word = Word(rawValue: text) else {
      throw invalid(.oneOf(Word.allCases.map(\.rawValue)))
    }
    return word
  }
}

// MARK: - Quantities

extension Value {
  func duration(in range: ClosedRange<Duration>) throws(ConfigurationFault) -> Duration {
    guard let duration = Duration(parsing: octets), range.contains(duration) else {
      throw invalid(.duration(range))
    }
    return duration
  }

  func keep(
    _ ages: ClosedRange<Duration>, or counts: ClosedRange<Int>
  ) throws(ConfigurationFault) -> Settings.Keep {
    if text == "forever" { return .forever }
    if let age = Duration(parsing: octets), ages.contains(age) { return .age(age) }
    if let count = Int(digits: octets), counts.contains(count) { return .notes(count) }
    throw invalid(.keep(ages, counts))
  }

  func durationsOrOff(
    in range: ClosedRange<Duration>
  ) throws(ConfigurationFault) -> ClosedRange<Duration>? {
    if text == "off" { return nil }
    let parts = octets.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let ends = parts.compactMap { Duration(parsing: $0) }
    guard ends.count == parts.count, ends.count <= 2, let least = ends.first,
      let most = ends.last, least <= most, range.contains(least), range.contains(most)
    else { throw invalid(.durationsOrOff(range)) }
    return least...most
  }

  func byteCount(in range: ClosedRange<ByteCount>) throws(ConfigurationFault) -> ByteCount {
    guard let count = ByteCount(text), range.contains(count) else {
      throw invalid(.byteCount(range))
    }
    return count
  }

  func rate() throws(ConfigurationFault) -> Rate {
    guard let rate = Rate(text) else { throw invalid(.rate) }
    return rate
  }
}

// MARK: - Places

extension Value {
  func server(_ service: ServerAddress.Service) throws(ConfigurationFault) -> ServerAddress {
    guard let address = ServerAddress(text, for: service) else {
      throw invalid(service == .submission ? .submissionServer : .imapServer)
    }
    return address
  }

  func ehloName() throws(ConfigurationFault) -> String {
    guard HostSyntax.isEHLOName(octets) else { throw invalid(.ehloName) }
    return text
  }

  /// A path, `~/` at its start standing for the home directory.
  ///
  /// A relative one has no meaning, as the sender runs in `/`.
  func path() throws(ConfigurationFault) -> String {
    if text.utf8.first == UInt8(ascii: "/") { return text }
    guard text.utf8.starts(with: "~/".utf8) else { throw invalid(.path) }
    return withoutFinalSlashes(home) + text.dropFirst()
  }
}

// MARK: - Fingerprints

extension Value {
  func certificateFingerprint() throws(ConfigurationFault) -> String {
    guard let digits = digits(without: UInt8(ascii: ":")), digits.utf8.count == 64 else {
      throw invalid(.certificateFingerprint)
    }
    return digits.lowercased()
  }

  func keyFingerprint() throws(ConfigurationFault) -> String {
    guard let digits = digits(without: UInt8(ascii: " ")), [40, 64].contains(digits.utf8.count)
    else { throw invalid(.keyFingerprint) }
    return digits.uppercased()
  }

  private func digits(without separator: UInt8) -> String? {
    let digits = text.utf8.filter { $0 != separator }
    return digits.allSatisfy(HostSyntax.isHexDigit) ? String(decoding: digits, as: UTF8.self) : nil
  }
}
