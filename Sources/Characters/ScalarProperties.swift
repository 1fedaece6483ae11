internal import CUTF8Proc

// Design: this file and Folding.swift alone call utf8proc, and have `unsafe`. The library's
// tables are read, its widths and boundary rules used; the process's locale is never asked,
// as a static wcwidth(3) answers -1 outside UTF-8 locales and for younger emoji.

/// What the Unicode Character Database says of one scalar, as far as a terminal cares.
struct ScalarProperties {
  /// The general category, coarsened to what is told apart here.
  let category: Category

  /// The Grapheme_Cluster_Break class, with Extended_Pictographic, coarsened likewise.
  let breakClass: BreakClass

  /// Columns of the scalar on its own, 0 to 2.
  let columns: Int

  /// Default_Ignorable_Code_Point: nothing is drawn for it.
  let isIgnorable: Bool

  /// General categories that are treated differently.
  enum Category { case unassigned, mark, format, other }

  /// Break classes that are treated differently.
  enum BreakClass { case prepend, leadingJamo, vowelJamo, trailingJamo, pictographic, other }

  /// Looks a scalar up.
  ///
  /// The corresponding C function is `utf8proc_get_property`.
  init(_ scalar: Unicode.Scalar) {
    let property = unsafe utf8proc_get_property(Int32(bitPattern: scalar.value)).pointee
    category = Self.category(UInt32(property.category))
    breakClass = Self.breakClass(UInt32(property.boundclass))
    isIgnorable = property.ignorable != 0
    // Prepended signs such as U+06DD are format characters, yet are drawn.
    let columns = Int(property.charwidth)
    self.columns = category == .format && breakClass == .prepend ? 1 : columns
  }

  private static func category(_ value: UInt32) -> Category {
    switch utf8proc_category_t(value) {
    case UTF8PROC_CATEGORY_CN: .unassigned
    case UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC, UTF8PROC_CATEGORY_ME: .mark
    case UTF8PROC_CATEGORY_CF: .format
    default: .other
    }
  }

  private static func breakClass(_ value: UInt32) -> BreakClass {
    switch utf8proc_boundclass_t(value) {
    case UTF8PROC_BOUNDCLASS_PREPEND: .prepend
    case UTF8PROC_BOUNDCLASS_L: .leadingJamo
    case UTF8PROC_BOUNDCLASS_V, UTF8PROC_BOUNDCLASS_LV: .vowelJamo
    case UTF8PROC_BOUNDCLASS_T, UTF8PROC_BOUNDCLASS_LVT: .trailingJamo
    case UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC: .pictographic
    default: .other
    }
  }
}

/// Says between which scalars a text may be cut.
///
/// UAX #29, extended grapheme clusters.
struct GraphemeBreaker {
  /// The library's memory of the cluster so far, such as the parity of regional indicators.
  private var state: Int32 = 0

  /// Whether a cluster ends between two scalars that follow one another.
  ///
  /// The corresponding C function is `utf8proc_grapheme_break_stateful`.
  mutating func isBreak(between left: Unicode.Scalar, and right: Unicode.Scalar) -> Bool {
    if left.isPrintableASCII && right.isPrintableASCII {
      state = 0
      return true
    }
    return unsafe utf8proc_grapheme_break_stateful(
      Int32(bitPattern: left.value), Int32(bitPattern: right.value), &state)
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is one of U+0020 to U+007E, each a cluster of one column.
  var isPrintableASCII: Bool { (0x20...0x7E).contains(value) }
}
