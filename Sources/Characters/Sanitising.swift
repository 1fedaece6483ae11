/// The shape of what is printed.
public enum TerminalForm: Sendable {
  /// One line: a tab and each line end become one space, CRLF too.
  case line
  /// Many lines: each line end becomes LF, a tab the spaces to the next multiple of 8 columns.
  case text
}

/// The text made safe to print on a terminal that speaks UTF-8.
///
/// The result holds no C0 control (but LF in `.text`), no DEL, no C1 control, no bidi control
/// and no other invisible format character, no unassigned scalar. In detail:
/// - C0 controls and DEL become their control pictures: ESC is `␛`; what followed it stays;
/// - C1 controls, unassigned scalars and noncharacters become U+FFFD;
/// - bidi controls, tag characters, U+FEFF, soft hyphens, fillers and the like are dropped;
/// - at most six combining marks are kept on a base, and three joiners in an emoji;
/// - private use characters stay.
///
/// Doing it twice changes nothing more.
public func sanitised(_ text: String, as form: TerminalForm = .line) -> String {
  if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
  var sanitiser = Sanitiser(form, capacity: text.utf8.count)
  for scalar in text.unicodeScalars { sanitiser.take(scalar) }
  return String(decoding: sanitiser.output, as: UTF8.self)
}

/// The bytes made safe to print on a terminal; what is not UTF-8 becomes U+FFFD.
///
/// Each maximal part of an ill-formed sequence gives one U+FFFD. The Unicode Standard §3.9.
public func sanitised(_ bytes: [UInt8], as form: TerminalForm = .line) -> String {
  sanitised(String(decoding: bytes, as: UTF8.self), as: form)
}

/// Takes the scalars of a text in their order and gathers what may be printed.
private struct Sanitiser {
  // More marks than any orthography in use puts on a letter; heaps of them cover other rows.
  static let marksPerBase = 6
  // Four people of a family, or two kissing: the longest of the recommended sequences. UTS #51.
  static let joinersPerEmoji = 3
  static let tabWidth = 8

  private let form: TerminalForm
  private(set) var output: [UInt8] = []

  private var marks = 0
  private var joiners = 0
  private var isJoined = false
  private var isAfterCR = false

  // Where the part of the line begins that follows the last tab, and the column it begins at.
  private var partStart = 0
  private var partColumn = 0

  init(_ form: TerminalForm, capacity: Int) {
    self.form = form
    output.reserveCapacity(capacity)
  }

  mutating func take(_ scalar: Unicode.Scalar) {
    let isLineFeedOfCRLF = isAfterCR && scalar == "\n"
    isAfterCR = scalar == "\r"
    if isLineFeedOfCRLF { return }
    switch Treatment(scalar) {
    case .keep: takeBase(scalar, isPictograph: false)
    case .keepPictograph: takeBase(scalar, isPictograph: true)
    case .replace(let replacement): takeBase(replacement, isPictograph: false)
    case .mark: takeMark(scalar)
    case .joiner: takeJoiner(scalar)
    case .lineEnd: endLine()
    case .tab: takeTab()
    case .drop: break
    }
  }
}

// MARK: - One treatment each

extension Sanitiser {
  private mutating func takeBase(_ scalar: Unicode.Scalar, isPictograph: Bool) {
    if !(isJoined && isPictograph) { joiners = 0 }
    isJoined = false
    marks = 0
    append(scalar)
  }

  private mutating func takeMark(_ scalar: Unicode.Scalar) {
    guard marks < Self.marksPerBase else { return }
    marks += 1
    append(scalar)
  }

  private mutating func takeJoiner(_ scalar: Unicode.Scalar) {
    guard !isJoined, joiners < Self.joinersPerEmoji else { return }
    isJoined = true
    joiners += 1
    append(scalar)
  }

  private mutating func endLine() {
    guard form == .text else { return takeBase(" ", isPictograph: false) }
    takeBase("\n", isPictograph: false)
    partStart = output.count
    partColumn = 0
  }

  private mutating func takeTab() {
    guard form == .text else { return takeBase(" ", isPictograph: false) }
    let column = partColumn + width(String(decoding: output[partStart...], as: UTF8.self))
    let spaces = Self.tabWidth - column % Self.tabWidth
    for _ in 0..<spaces { takeBase(" ", isPictograph: false) }
    partStart = output.count
    partColumn = column + spaces
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    if scalar.isASCII {
      output.append(UInt8(truncatingIfNeeded: scalar.value))
    } else {
      output.append(contentsOf: scalar.utf8)
    }
  }
}
