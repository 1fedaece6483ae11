import Foundation
import Testing

/// JSON as Foundation reads it.
enum JSONValue {
  /// The objects of a text with one on each line.
  static func lines(_ bytes: [UInt8]) throws -> [[String: Any]] {
    try bytes.split(separator: UInt8(ascii: "\n")).map { try object(Array($0)) }
  }

  /// The object that a text is.
  static func object(_ bytes: [UInt8]) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(bytes))
    return try #require(value as? [String: Any])
  }
}
