import Wording

// Design: output for programs may still end on a terminal, so whatever a terminal could take for
// a command is escaped: controls, DEL, C1, line and bidi marks.

/// A value of JSON.
///
/// RFC 8259.
enum JSON {
  case null
  case bool(Bool)
  case number(Int64)
  case string(String)
  case array([JSON])
  /// The members in their order.
  case object([(String, JSON)])

  /// The text, on one line.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let value): "\(value)"
    case .string(let value): Self.quoted(value)
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { Self.quoted($0.0) + ":" + $0.1.text }.joined(separator: ",") + "}"
    }
  }

  /// A string, null where there is none.
  static func optional(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where isUnsafe(scalar): quoted += escaped(scalar)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }
}

/// A time as JSON has it: RFC 3339, in UTC.
extension JSON {
  /// Seconds since 1970 as `2026-11-30T17:58:29Z`.
  static func time(_ seconds: Int64) -> JSON { .string(LocalTime.rfc3339(seconds)) }
}
