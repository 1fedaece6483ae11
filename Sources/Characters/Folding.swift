internal import CUTF8Proc

// Design: a search finds what a person takes for the same word: whatever the case, with accents or
// without, composed or not. Most text is ASCII, of which each octet is looked at once and no table
// is asked. Hangul stays in syllables, or a syllable would be found in another that it begins.

/// The text as it is compared in a search, as UTF-8; what is not UTF-8 becomes U+FFFD.
///
/// Case is folded and compatible forms are taken for the plain ones: NFKC_Casefold of The Unicode
/// Standard §3.13. Then accents, and the strokes of `ł`, `ø`, `đ` and the like, are taken away,
/// and `ß`, `æ`, `œ`, `þ` are spelt out. The dotless `ı` is an `i`. The marks of Indic vowels, and
/// of voice in Japanese, stay: they make another letter.
public func folded(_ text: Span<UInt8>) -> [UInt8] {
  var folder = Folder(capacity: text.count)
  var position = 0
  while position < text.count {
    let octet = text[position]
    if octet < 0x80 {
      folder.takeASCII(octet)
      position += 1
    } else {
      position += folder.takeScalar(text, at: position)
    }
  }
  folder.endRun()
  return folder.output
}

/// The text as it is compared in a search.
public func folded(_ text: String) -> [UInt8] { folded(Array(text.utf8).span) }

/// Takes the scalars of a text in their order.
@safe private struct Folder {
  private(set) var output: [UInt8] = []
  /// The scalars since the last ASCII, folded but not yet composed.
  private var run: [Int32] = []
  /// Whether a scalar of the run may join the one before it.
  private var mayCompose = false
  private var parts = [Int32](repeating: 0, count: Self.mostParts)

  /// More than any scalar is decomposed into: U+FDFA has 18.
  private static let mostParts = 32
  /// After so many scalars a run is ended where nothing joins.
  private static let longRun = 1024
  private static let options = utf8proc_option_t(
    UTF8PROC_CASEFOLD.rawValue | UTF8PROC_COMPAT.rawValue | UTF8PROC_DECOMPOSE.rawValue
      | UTF8PROC_IGNORE.rawValue | UTF8PROC_STABLE.rawValue)
  private static let composing = utf8proc_option_t(
    UTF8PROC_COMPOSE.rawValue | UTF8PROC_STABLE.rawValue)

  init(capacity: Int) { output.reserveCapacity(capacity) }

  mutating func takeASCII(_ octet: UInt8) {
    if !run.isEmpty { endRun() }
    output.append(octet >= 0x41 && octet <= 0x5A ? octet | 0x20 : octet)
  }

  /// Takes the scalar that begins at a position; returns its octets, 1 where it is none.
  ///
  /// The corresponding C function is `utf8proc_iterate`.
  mutating func takeScalar(_ text: Span<UInt8>, at position: Int) -> Int {
    var scalar: Int32 = -1
    let rest = text.extracting(position..<min(position + 4, text.count))
    let count = unsafe rest.withUnsafeBufferPointer {
      unsafe utf8proc_iterate($0.baseAddress, $0.count, &scalar)
    }
    fold(count > 0 ? scalar : 0xFFFD)
    return max(count, 1)
  }

  /// Adds what a scalar is folded to.
  ///
  /// The corresponding C function is `utf8proc_decompose_char`.
  private mutating func fold(_ scalar: Int32) {
    var boundary: Int32 = 0
    let count = unsafe utf8proc_decompose_char(
      scalar, &parts, Self.mostParts, Self.options, &boundary)
    guard (0...Self.mostParts).contains(count) else { return run.append(scalar) }
    for index in 0..<count { add(parts[index]) }
  }

  private mutating func add(_ scalar: Int32) {
    let property = unsafe utf8proc_get_property(scalar).pointee
    guard Self.isKept(Int(property.combining_class)) else { return }
    let joins = Self.joins(scalar, utf8proc_category_t(UInt32(property.category)))
    if !joins, run.count >= Self.longRun { endRun() }
    mayCompose = mayCompose || joins
    if let plain = Self.plainLetters(scalar) { run += plain } else { run.append(scalar) }
  }

  /// Whether marks of this combining class make another letter.
  ///
  /// Those of voice in Japanese (8) and the virama (9) do; all others are accents and points.
  private static func isKept(_ combiningClass: Int) -> Bool {
    combiningClass == 0 || combiningClass == 8 || combiningClass == 9
  }

  /// Whether a scalar may join the one before it: marks, and vowels and finals of Hangul.
  private static func joins(_ scalar: Int32, _ category: utf8proc_category_t) -> Bool {
    switch category {
    case UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_ME: true
    default: (0x1160...0x11FF).contains(scalar)
    }
  }

  /// Letters that have no decomposition, as people write them on a keyboard without them.
  private static func plainLetters(_ scalar: Int32) -> [Int32]? {
    switch scalar {
    case 0xE6: [0x61, 0x65]  // æ
    case 0xF0, 0x111: [0x64]  // ð, đ
    case 0xF8: [0x6F]  // ø
    case 0xFE: [0x74, 0x68]  // þ
    case 0x127: [0x68]  // ħ
    case 0x131: [0x69]  // ı
    case 0x142: [0x6C]  // ł
    case 0x153: [0x6F, 0x65]  // œ
    case 0x167: [0x74]  // ŧ
    case 0x237: [0x6A]  // ȷ
    default: nil
    }
  }

  /// Puts the run out, its syllables and letters composed.
  ///
  /// The corresponding C function is `utf8proc_normalize_utf32`.
  mutating func endRun() {
    var count = run.count
    if mayCompose {
      let composed = unsafe utf8proc_normalize_utf32(&run, count, Self.composing)
      if (0...count).contains(composed) { count = composed }
    }
    for index in 0..<count { put(run[index]) }
    run.removeAll(keepingCapacity: true)
    mayCompose = false
  }

  private mutating func put(_ scalar: Int32) {
    let scalar = Unicode.Scalar(UInt32(bitPattern: scalar)) ?? "\u{FFFD}"
    output.append(contentsOf: scalar.utf8)
  }
}
