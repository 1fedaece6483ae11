/// What becomes of one scalar of a text nobody vouches for, on its way to a terminal.
enum Treatment: Equatable {
  /// Printed as it is.
  case keep
  /// Printed as it is; can be joined to others by U+200D.
  case keepPictograph
  /// A combining mark: printed, as long as its base does not bear too many.
  case mark
  /// U+200D: printed, as long as it joins no more than the longest emoji do.
  case joiner
  /// Anything that ends a line somewhere: LF, VT, FF, CR, NEL, U+2028, U+2029. UAX #14 §5.
  case lineEnd
  /// U+0009.
  case tab
  /// Another scalar is printed in its place, so that one sees that something was there.
  case replace(Unicode.Scalar)
  /// Nothing is printed: the scalar is invisible by itself.
  case drop
}

extension Treatment {
  // Design: a control character is shown by its picture and the rest of its escape sequence
  // stays readable text; swallowing whole sequences would let an OSC without an end hide all
  // that follows. What is invisible by itself, as bidi controls and tag characters, is dropped.

  /// The treatment of a scalar.
  init(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x20...0x7E: self = .keep
    case 0x09: self = .tab
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: self = .lineEnd
    case 0x00...0x1F: self = .replace(Self.picture(of: scalar))
    case 0x7F: self = .replace("\u{2421}")
    case 0x80...0x9F: self = .replace("\u{FFFD}")
    case 0x200C: self = .mark
    case 0x200D: self = .joiner
    default: self.init(ScalarProperties(scalar))
    }
  }

  private init(_ properties: ScalarProperties) {
    switch properties.category {
    // Unassigned in the library's Unicode version, or a noncharacter: its width is unknown.
    case .unassigned: self = .replace("\u{FFFD}")
    case .mark: self = .mark
    // U+061C, U+200E-F, U+202A-E, U+2060-4, U+2066-F, U+FEFF, U+E0001-7F and their like.
    case .format: self = properties.breakClass == .prepend ? .keep : .drop
    case .other where properties.isIgnorable: self = .drop
    case .other: self = properties.breakClass == .pictographic ? .keepPictograph : .keep
    }
  }

  /// The control picture of a C0 control, such as U+241B for ESC.
  private static func picture(of control: Unicode.Scalar) -> Unicode.Scalar {
    Unicode.Scalar(0x2400 + control.value) ?? "\u{FFFD}"
  }
}
