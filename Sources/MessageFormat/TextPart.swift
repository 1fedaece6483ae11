/// A note's text on its way into a message.
struct TextPart {
  /// The text to show: valid UTF-8 without NUL, each line ended with LF.
  let text: [UInt8]

  /// Whether the text to show is not all that was captured, so that the original must go along.
  let isRepaired: Bool

  private let profile: TextProfile

  /// Prepares text as captured: CR LF and LF end lines, any other CR is data.
  init(_ captured: [UInt8]) {
    let lines = Self.withFinalLineEnd(Message.withLFs(captured))
    let found = TextProfile(lines.span)
    isRepaired = Self.needsRepair(lines, found)
    let shown = isRepaired ? Self.repaired(lines) : lines
    profile = isRepaired ? TextProfile(shown.span) : found
    text = shown
  }

  private static func needsRepair(_ text: [UInt8], _ profile: TextProfile) -> Bool {
    profile.holdsNUL || profile.holdsNonASCII && !isUTF8(text)
  }

  private static func withFinalLineEnd(_ text: [UInt8]) -> [UInt8] {
    guard let last = text.last, last != .lf else { return text }
    return text + [.lf]
  }

  private static func isUTF8(_ text: [UInt8]) -> Bool {
    do {
      _ = try UTF8Span(validating: text.span)
      return true
    } catch {
      return false
    }
  }

  /// The text with U+FFFD for what is not UTF-8 and U+2400, the picture of NUL, for NUL.
  private static func repaired(_ text: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(text.count + text.count / 8)
    for octet in Array(String(repairing: text).utf8) {
      if octet == 0 { output += [0xE2, 0x90, 0x80] } else { output.append(octet) }
    }
    return output
  }
}

// MARK: - Encoding

extension TextPart {
  /// The part that holds the text; among others when boundaries stand around it.
  func entity(isAmongOthers: Bool) -> Message {
    let encoding = transferEncoding(isAmongOthers: isAmongOthers)
    let type = ContentType("text/plain", [Parameter("charset", "utf-8")])
    return Message(type: type, encoding: encoding, body: encode(encoding))
  }

  /// As it is where that is safe; else Base64 when more than a third must be escaped, since it
  /// is shorter then.
  private func transferEncoding(isAmongOthers: Bool) -> TransferEncoding {
    let isBare =
      !profile.holdsNonASCII && !profile.isFragile
      && profile.longestLine <= QuotedPrintable.lineLength
      && !(isAmongOthers && profile.holdsBoundaryMark)
    if isBare { return .sevenBit }
    return profile.escapes > text.count / 3 ? .base64 : .quotedPrintable
  }

  private func encode(_ encoding: TransferEncoding) -> [UInt8] {
    switch encoding {
    case .base64: Base64.encode(Message.withCRLFs(text))
    case .quotedPrintable: QuotedPrintable.encode(text)
    default: text
    }
  }
}
