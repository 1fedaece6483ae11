import TestSupport
import Testing

@testable import Characters

@Suite struct SanitisingTests {
  struct Case: CustomTestStringConvertible {
    let name: String
    let input: String
    let line: String
    var text: String?
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "C24",
      input: "ok \u{1B}[2J \u{1B}]0;pwn \u{7} \r SENT \u{202E} abc \u{9B}31m",
      line: "ok ␛[2J ␛]0;pwn ␇   SENT  abc \u{FFFD}31m",
      text: "ok ␛[2J ␛]0;pwn ␇ \n SENT  abc \u{FFFD}31m"),
    Case(name: "C24, a server's reply", input: "5.1.1 \u{1B}[31mno", line: "5.1.1 ␛[31mno"),
    Case(name: "plain", input: "buy milk", line: "buy milk"),
    Case(name: "empty", input: "", line: ""),
    Case(name: "NUL and DEL", input: "a\0b\u{7F}", line: "a␀b␡"),
    Case(name: "OSC 52 with ST", input: "\u{1B}]52;c;eA\u{1B}\\", line: "␛]52;c;eA␛\\"),
    Case(name: "C1 ST, DCS", input: "\u{90}q\u{9C}", line: "\u{FFFD}q\u{FFFD}"),
    Case(
      name: "every line end", input: "a\nb\r\nc\rd\u{B}e\u{C}f\u{85}g\u{2028}h\u{2029}i",
      line: "a b c d e f g h i", text: "a\nb\nc\nd\ne\nf\ng\nh\ni"),
    Case(name: "CR CR LF LF", input: "\r\r\n\n", line: "   ", text: "\n\n\n"),
    Case(
      name: "tabs", input: "\tx\ty\nabcdefgh\tz", line: " x y abcdefgh z",
      text: "        x       y\nabcdefgh        z"),
    Case(name: "tab after wide", input: "漢\tx", line: "漢 x", text: "漢      x"),
    Case(
      name: "bidi controls",
      input: "a\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}\u{2066}\u{2067}\u{2068}\u{2069}b"
        + "\u{200E}\u{200F}\u{61C}c", line: "abc"),
    Case(
      name: "invisible", input: "a\u{200B}\u{2060}\u{FEFF}\u{AD}\u{180E}\u{3164}\u{FFF9}b",
      line: "ab"),
    Case(name: "tags", input: "a\u{E0001}\u{E0041}\u{E007F}b", line: "ab"),
    Case(name: "unassigned", input: "a\u{378}\u{E0FFF}b", line: "a\u{FFFD}\u{FFFD}b"),
    Case(name: "private use stays", input: "\u{E0A0}", line: "\u{E0A0}"),
    Case(name: "accents", input: "Mu\u{308}ller, Jörg", line: "Mu\u{308}ller, Jörg"),
    Case(name: "right-to-left letters stay", input: "שלום مرحبا", line: "שלום مرحبا"),
    Case(name: "end of ayah", input: "\u{6DD}٣", line: "\u{6DD}٣"),
    Case(name: "Persian ZWNJ", input: "می\u{200C}خواهم", line: "می\u{200C}خواهم"),
    Case(name: "Sinhala ZWJ", input: "ශ්\u{200D}රී", line: "ශ්\u{200D}රී"),
    Case(name: "family", input: "👨‍👩‍👧‍👦!", line: "👨‍👩‍👧‍👦!"),
    Case(name: "kiss with skin tones", input: "👩🏻‍❤️‍💋‍👨🏿", line: "👩🏻‍❤️‍💋‍👨🏿"),
    Case(name: "flags", input: "🇩🇪🇨🇭", line: "🇩🇪🇨🇭"),
    Case(name: "keycap", input: "1️⃣", line: "1️⃣"),
  ]

  @Test(arguments: cases) func aTextBecomesSafe(_ fixture: Case) {
    // Scalars, as == on strings takes canonically equal ones for the same.
    #expect(scalars(sanitised(fixture.input)) == scalars(fixture.line))
    #expect(scalars(sanitised(fixture.input, as: .text)) == scalars(fixture.text ?? fixture.line))
  }

  @Test(
    arguments: [
      ([0x61, 0x9B, 0x33, 0x31, 0x6D], "a\u{FFFD}31m"),  // CSI as one 8-bit byte
      ([0xC2, 0x9B], "\u{FFFD}"),  // the same, as UTF-8
      ([0x61, 0xF0, 0x9F, 0x98, 0x62], "a\u{FFFD}b"),  // an emoji cut short
      ([0xC0, 0x9B], "\u{FFFD}\u{FFFD}"),  // overlong ESC
      ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),  // a surrogate
      ([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),  // above U+10FFFF
      ([0xEF, 0xBF, 0xBE, 0xEF, 0xB7, 0x90], "\u{FFFD}\u{FFFD}"),  // U+FFFE, U+FDD0
      ([0xFF, 0xFE], "\u{FFFD}\u{FFFD}"),
    ] as [([UInt8], String)])
  func bytesThatAreNotUTF8AreReplaced(bytes: [UInt8], line: String) {
    #expect(scalars(sanitised(bytes)) == scalars(line))
  }

  @Test func aBaseBearsSixMarks() {
    let heap = "z" + String(repeating: "\u{301}", count: 1000) + "y\u{302}"
    let kept = "z" + String(repeating: "\u{301}", count: 6) + "y\u{302}"
    #expect(scalars(sanitised(heap)) == scalars(kept))
  }

  @Test func anInvisibleBetweenMarksDoesNotResetTheirCount() {
    let heap = "z" + String(repeating: "\u{301}\u{200B}", count: 50)
    #expect(sanitised(heap).unicodeScalars.count == 7)
  }

  @Test func variationSelectorsHideNoText() {
    let hidden = "😀" + String(repeating: "\u{E0101}\u{E0142}", count: 100)
    #expect(sanitised(hidden).unicodeScalars.count == 7)
  }

  @Test func anEmojiJoinsNoMoreThanFour() {
    let chain = "👨" + String(repeating: "\u{200D}👨", count: 99)
    let safe = sanitised(chain)
    #expect(GraphemeClusters(safe).reduce(0) { count, _ in count + 1 } == 25)
    #expect(width(safe) == 50)
  }

  @Test func joinersInARowAreOne() {
    let row = "a" + String(repeating: "\u{200D}", count: 99)
    #expect(scalars(sanitised(row)) == scalars("a\u{200D}"))
  }

  // RELIABILITY row 15.
  @Test(arguments: [TerminalForm.line, .text])
  func noScalarIsLetThrough(form: TerminalForm) {
    for block in UInt32(0)..<0x1100 {
      var text = ""
      text.unicodeScalars.append(
        contentsOf: (block << 8..<(block + 1) << 8).compactMap { Unicode.Scalar($0) })
      if !isSafe(sanitised(text, as: form), form) {
        Issue.record("a scalar of U+\(String(block, radix: 16))xx is let through")
      }
    }
  }

  // RELIABILITY row 12.
  @Test func anyBytesBecomeSafeAndStaySo() {
    var random = SeededGenerator(seed: 24)
    for round in 0..<20_000 {
      let bytes = random.bytes(below: 60)
      let form = round.isMultiple(of: 2) ? TerminalForm.line : .text
      let safe = sanitised(bytes, as: form)
      guard isSafe(safe, form), scalars(sanitised(safe, as: form)) == scalars(safe) else {
        Issue.record("round \(round): \(bytes)")
        return
      }
    }
  }

  /// Whether none of what a terminal may not get is in a text.
  private func isSafe(_ text: String, _ form: TerminalForm) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0x0A: form == .text
      case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E,
        0x2060...0x206F, 0xFDD0...0xFDEF, 0xFEFF, 0xFFF0...0xFFFB, 0xE0000...0xE007F:
        false
      default: scalar.value & 0xFFFE != 0xFFFE
      }
    }
  }
}

/// The scalars of a text, to compare without canonical equivalence.
func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }

extension SeededGenerator {
  private static let pieces: [String] = [
    "a", " ", "\n", "\r", "\t", "\u{1B}", "\u{9B}", "\u{301}", "\u{200D}", "\u{FE0F}", "👨", "❤",
    "🏽", "🇩", "漢", "\u{200B}", "\u{202E}", "\u{1100}", "\u{1161}", "\u{11A8}", "\u{E0041}", "#",
    "\u{20E3}", "\u{93F}", "\u{6DD}", "\u{378}",
  ]

  /// Bytes that make many of the scalars that matter: up to so many pieces, each a byte or the
  /// UTF-8 of a scalar.
  mutating func bytes(below count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0..<count, using: &self) {
      if Int.random(in: 0..<4, using: &self) == 0 {
        bytes.append(UInt8.random(in: 0...255, using: &self))
      } else {
        bytes += Array((Self.pieces.randomElement(using: &self) ?? "").utf8)
      }
    }
    return bytes
  }
}
