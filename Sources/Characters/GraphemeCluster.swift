/// What a person takes for one character: where it ends, and the columns it takes.
///
/// UAX #29, extended grapheme clusters.
struct GraphemeCluster {
  let end: String.Index
  let columns: Int
}

/// The grapheme clusters of a text, one after the other.
struct GraphemeClusters: Sequence, IteratorProtocol {
  private let scalars: String.UnicodeScalarView
  private var index: String.Index
  private var breaker = GraphemeBreaker()

  init(_ text: String) {
    scalars = text.unicodeScalars
    index = scalars.startIndex
  }

  mutating func next() -> GraphemeCluster? {
    guard index < scalars.endIndex else { return nil }
    var columns = ClusterColumns()
    var last: Unicode.Scalar
    repeat {
      last = scalars[index]
      columns.add(last)
      scalars.formIndex(after: &index)
    } while index < scalars.endIndex && !breaker.isBreak(between: last, and: scalars[index])
    return GraphemeCluster(end: index, columns: columns.total)
  }
}

// Design: the columns of a cluster are the sum over its scalars, as terminals count that know
// no clusters, save where a sequence has one glyph: an emoji sequence takes 2, a Hangul syllable
// block what its leading consonant takes. A heap of anything else is thus never under-counted.

/// Adds up the columns of one grapheme cluster.
struct ClusterColumns {
  private(set) var total = 0
  private var previous: Kind = .none

  /// What a scalar does to the one after it.
  private enum Kind {
    case none, other, keycapBase, pictograph, emojiVariation, joiner, leadingJamo, vowelJamo
  }

  /// Adds the next scalar of the cluster.
  mutating func add(_ scalar: Unicode.Scalar) {
    if scalar.isPrintableASCII {
      total += 1
      previous = scalar.isKeycapBase ? .keycapBase : .other
    } else {
      add(scalar, ScalarProperties(scalar))
    }
  }

  private mutating func add(_ scalar: Unicode.Scalar, _ properties: ScalarProperties) {
    let kind = Self.kind(scalar, properties)
    switch (previous, kind) {
    case (.pictograph, .emojiVariation), (.keycapBase, .emojiVariation), (.joiner, .pictograph):
      total = max(total, 2)
    case (.pictograph, _) where scalar.isEmojiModifier,
      (.emojiVariation, _) where scalar.isEmojiModifier:
      total = max(total, 2)
    case (.leadingJamo, .vowelJamo) where properties.columns < 2:
      break
    case (.vowelJamo, _) where properties.breakClass == .trailingJamo && properties.columns < 2:
      break
    default:
      total += properties.columns
    }
    previous = kind
  }

  private static func kind(_ scalar: Unicode.Scalar, _ properties: ScalarProperties) -> Kind {
    switch scalar.value {
    case 0xFE0F: return .emojiVariation
    case 0x200D: return .joiner
    default: break
    }
    switch properties.breakClass {
    case .pictographic: return .pictograph
    case .leadingJamo: return .leadingJamo
    case .vowelJamo: return .vowelJamo
    case .prepend, .trailingJamo, .other: return .other
    }
  }
}

extension Unicode.Scalar {
  /// The digits, the asterisk and the number sign, which U+FE0F makes an emoji.
  ///
  /// UTS #51 ED-14c.
  fileprivate var isKeycapBase: Bool {
    self == "#" || self == "*" || ("0"..."9").contains(self)
  }

  /// Whether the scalar is a skin tone.
  ///
  /// UTS #51 ED-11.
  fileprivate var isEmojiModifier: Bool { (0x1F3FB...0x1F3FF).contains(value) }
}
