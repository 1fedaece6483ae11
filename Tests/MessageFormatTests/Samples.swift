import MessageFormat

/// SplitMix64, so that every run sees the same "random" notes.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  mutating func pick<T>(_ items: [T]) -> T { items[below(items.count)] }

  mutating func octets(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }
}

/// Text of every kind that mail has trouble with.
enum SampleText {
  static let words = [
    "buy", "milk", "https://example.org/?q=1&r=2", "a=b", "=C3=A4", "=?utf-8?q?no?=", "_", "?=",
    "x@y",
    "--", "From", "From ", ">From ", ".", "..", "\"", "\\", "(c)", "<tag>", "100%", "%41", "~", "!",
    "#",
    "Brücke", "naïve", "ß", "漢字", "かな", "한국어", "שלום", "مرحبا", "हिन्दी", "ไทย", "e\u{301}",
    "😀", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "👍🏽", "\u{202E}rtl", "\u{FEFF}", "\u{10FFFF}", "\u{E000}", "\u{2028}",
    "\u{85}", "\u{1B}[2J", "\t", "\u{7}", "\u{C}", "\r", "  ", "   ", "=_", "=20", "=\t",
  ]
  static let ends = ["\n", "\n", "\n", "\n", "\r\n", " \n", "\t\n", "\n\n", "\r\r\n", ""]

  static func make(_ random: inout SeededRandom) -> String {
    var text = ""
    for _ in 0..<random.below(12) {
      text += line(&random) + random.pick(ends)
    }
    return text
  }

  static func line(_ random: inout SeededRandom) -> String {
    switch random.below(12) {
    case 0: return ""
    case 1: return "."
    case 2: return "From me to you"
    case 3: return String(repeating: random.pick(words), count: random.below(400))
    case 4: return scalars(&random, 60)
    case 5...7: return plain(&random)
    default:
      return (0..<random.below(14)).map { _ in random.pick(words) }
        .joined(separator: random.oneIn(3) ? "" : " ")
    }
  }

  static func plain(_ random: inout SeededRandom) -> String {
    (0..<random.below(20)).map { _ in random.pick(["note", "to", "self", "at", "10:30,", "done."]) }
      .joined(separator: " ")
  }

  /// Code points of all planes, NUL left out.
  static func scalars(_ random: inout SeededRandom, _ count: Int) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<random.below(count) {
      let bound = random.pick([0x80, 0x100, 0x800, 0x1_0000, 0x11_0000])
      if let scalar = Unicode.Scalar(UInt32(1 + random.below(bound - 1))) { text.append(scalar) }
    }
    return String(text)
  }
}

extension Note {
  /// The date that the notes of tests have, unless it matters: case C23.
  static let someDate = MessageDate(secondsSinceEpoch: 1_704_066_648, zoneOffset: 3600)

  /// A note for a test.
  init(_ text: String, subject: String? = nil, attachments: [Attachment] = []) {
    self.init(octets: Array(text.utf8), subject: subject, attachments: attachments)
  }

  init(octets: [UInt8], subject: String? = nil, attachments: [Attachment] = []) {
    self.init(
      id: NoteID(milliseconds: 1_704_066_648_000, random: [UInt8](repeating: 7, count: 10)),
      date: Self.someDate, subject: subject, text: octets, attachments: attachments)
  }
}

extension Message {
  /// The message of a note from `example.org`.
  init(of note: Note) { self.init(composing: note, domain: "example.org") }

  /// The message as on the wire, as text.
  var wire: String { String(decoding: bytes(lineEnds: .crlf), as: UTF8.self) }
}

/// The lines of a message on the wire, without their line ends.
func wireLines(_ octets: [UInt8]) -> [[UInt8]] {
  var lines: [[UInt8]] = [[]]
  for octet in octets {
    if octet == 0x0A {
      if lines[lines.count - 1].last == 0x0D { lines[lines.count - 1].removeLast() }
      lines.append([])
    } else {
      lines[lines.count - 1].append(octet)
    }
  }
  return lines
}

/// How many CR and LF of a message do not belong together.
func bareLineEnds(_ octets: [UInt8]) -> Int {
  var count = 0
  for (index, octet) in octets.enumerated() {
    if octet == 0x0A, index == 0 || octets[index - 1] != 0x0D { count += 1 }
    if octet == 0x0D, index + 1 == octets.count || octets[index + 1] != 0x0A { count += 1 }
  }
  return count
}
