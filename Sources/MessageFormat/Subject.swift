/// The subject of a note.
enum Subject {
  /// The most graphemes of a line that becomes a subject.
  static let maximumGraphemes = 120

  /// The most octets of a line that becomes a subject; so much is looked at, however long it is.
  static let maximumOctets = 960

  /// The subject of a note, nil when there is nothing to make one of.
  ///
  /// It is the one given, else the first line that is not blank, else the name of the first
  /// attachment. One that is given stands nowhere else in the message and is kept whole.
  static func of(_ note: Note) -> String? {
    if let given = note.subject {
      let subject = trimmed(HeaderText.cleaned(given))
      if !subject.isEmpty { return subject }
    }
    if let line = firstLine(of: note.text) { return line }
    return note.attachments.first.map { cut(FileName.cleaned($0.name)[...]) }
  }

  /// The first line with anything to see in it, on one line, cut between graphemes.
  static func firstLine(of text: [UInt8]) -> String? {
    var position = 0
    while position < text.count {
      guard let start = text[position...].firstIndex(where: { !$0.isControl && $0 != .space })
      else { return nil }
      let bound = min(start + maximumOctets + 64, text.count)
      let end = text[start..<bound].firstIndex(of: .lf) ?? bound
      let isWhole = end < bound || bound == text.count
      let line = cut(trimmed(repaired(text[start..<end], isWhole: isWhole)))
      if !line.isEmpty { return line }
      position = text[end...].firstIndex(of: .lf) ?? text.count
    }
    return nil
  }

  /// The line as text; of one that is not whole the last character, which may be torn, is left out.
  private static func repaired(_ line: ArraySlice<UInt8>, isWhole: Bool) -> String {
    var line = line
    if !isWhole {
      while let last = line.last, last & 0xC0 == 0x80 { line = line.dropLast() }
      line = line.dropLast()
    }
    return HeaderText.cleaned(String(repairing: line))
  }

  /// The text without white space at both ends.
  private static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(scalars[first...last])
  }

  /// As many whole graphemes as a subject may have; of a single endless one, whole code points.
  private static func cut(_ text: some StringProtocol) -> String {
    guard text.utf8.count > maximumGraphemes else { return String(text) }
    var octets = 0
    var end = text.startIndex
    for index in text.indices.prefix(maximumGraphemes) {
      octets += text[index].utf8.count
      if octets > maximumOctets { break }
      end = text.index(after: index)
    }
    if end == text.startIndex { return cutBetweenScalars(text) }
    return trimmed(String(text[..<end]))
  }

  private static func cutBetweenScalars(_ text: some StringProtocol) -> String {
    var octets = 0
    let scalars = text.unicodeScalars.prefix { scalar in
      octets += UTF8.width(scalar)
      return octets <= maximumOctets
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
