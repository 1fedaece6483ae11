// Design: a field keeps the octets after its colon as they are in the message, folds too, with LF
// as line end. So a message that was read is written back octet for octet, and no field can
// hold a CR, a NUL, or an LF that is not a fold: those never get in.

/// One field of a header.
///
/// RFC 5322 §2.2.
public struct HeaderField: Sendable, Equatable {
  /// The field's name, as written.
  public let name: String

  /// All that follows the colon, folds as LF and a blank.
  package let raw: [UInt8]

  /// A field of octets that are fit to be written.
  init(name: String, raw: [UInt8]) {
    self.name = Self.clean(name)
    self.raw = raw
  }

  /// The body without folds and without blanks at its ends; not decoded.
  public var body: [UInt8] { Array(raw.filter { $0 != .lf }.trimmingBlanks) }

  /// The body as text, encoded-words decoded, on one line.
  public var decodedText: String { EncodedWord.decode(body) }

  /// Whether the field has this name, whatever the case of letters.
  public func isNamed(_ other: String) -> Bool { Array(name.utf8).matches(other) }

  // ftext = %d33-57 / %d59-126                                                 RFC 5322 §3.6.8
  static func isNameText(_ octet: UInt8) -> Bool { octet.isVisible && octet != 0x3A }

  /// A name that can be written: what may not stand in one is left out.
  private static func clean(_ name: String) -> String {
    guard !name.utf8.allSatisfy(isNameText) else { return name }
    return String(repairing: name.utf8.filter(isNameText))
  }

  /// Appends the field to a message with LF line ends.
  func write(to output: inout [UInt8]) {
    output.append(text: name)
    output.append(0x3A)
    output.append(contentsOf: raw)
    output.append(.lf)
  }
}

// MARK: - Composing

extension HeaderField {
  /// A field of any text, such as Subject.
  ///
  /// Text that is not short visible ASCII words becomes encoded-words. Control characters and
  /// line separators become spaces, a run of them one. Lines are at most 76 characters.
  public init(_ name: String, unstructured text: String) {
    let name = Self.clean(name)
    let text = HeaderText.cleaned(text)
    if HeaderText.isPlain(text, afterName: name) {
      self.init(name: name, raw: HeaderText.fold(Array(text: text), afterName: name))
    } else {
      let room = max(HeaderText.lineLength - name.utf8.count - 2, 24)
      self.init(name: name, raw: Self.folded(EncodedWord.encode(text, firstLength: room)))
    }
  }

  /// Each word on a line of its own.
  ///
  /// A loop, since the types behind `joined` take a short-lived program long to make.
  private static func folded(_ words: [[UInt8]]) -> [UInt8] {
    var raw: [UInt8] = [.space]
    for (index, word) in words.enumerated() {
      if index > 0 { raw += [.lf, .space] }
      raw += word
    }
    return raw
  }

  /// A field whose text follows a syntax and is ASCII already, such as Date or From.
  ///
  /// It is folded at blanks only. What is not visible ASCII becomes a space.
  public init(_ name: String, structured text: String) {
    self.init(name, structured: Array(text: text))
  }

  /// A field whose octets follow a syntax already; folded at blanks only.
  init(_ name: String, structured octets: [UInt8]) {
    let name = Self.clean(name)
    let text = octets.map { $0.isVisible ? $0 : .space }.trimmingBlanks
    self.init(name: name, raw: HeaderText.fold(Array(text), afterName: name))
  }

  /// A field that holds an address, such as From.
  public init(_ name: String, _ mailbox: Mailbox) {
    self.init(name, structured: mailbox.headerText)
  }
}
