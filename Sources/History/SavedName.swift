internal import Characters

// Design: the name of an attached file was written by whoever wrote the message. What is made of
// it is one name in one folder, that can be seen whole, is not hidden, and is no option of a
// command that is given `*`.

/// The name that an attached file is saved under.
public struct SavedName: Sendable, Equatable {
  private let stem: String
  /// With its dot, empty where there is none.
  private let ending: String

  /// The octets of the longest name that file systems take.
  private static let limit = 255
  private static let nothing = "attachment"

  /// A name from the one in a message.
  public init(_ name: String) {
    let cleaned = Self.cleaned(name)
    let dot = cleaned.unicodeScalars.lastIndex(of: ".")
    guard let dot, dot > cleaned.startIndex, Self.isEnding(cleaned[dot...]) else {
      (stem, ending) = (cleaned, "")
      return
    }
    // `x.tar.gz` is numbered as `x (2).tar.gz`.
    let (front, back) = (String(cleaned[..<dot]), String(cleaned[dot...]))
    let isArchive = front.utf8.count > 4 && front.hasSuffix(".tar")
    stem = isArchive ? String(front.dropLast(4)) : front
    ending = isArchive ? ".tar" + back : back
  }

  // "." 1*15(ALPHA / DIGIT)
  private static func isEnding(_ text: Substring) -> Bool {
    (2...16).contains(text.utf8.count)
      && text.utf8.dropFirst().allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20)
      }
  }

  private static func cleaned(_ name: String) -> String {
    var scalars = Array(sanitised(name).unicodeScalars.map { $0 == "/" || $0 == "\\" ? "_" : $0 })
    while let last = scalars.last, last == " " || last == "." { scalars.removeLast() }
    while let first = scalars.first, first == " " { scalars.removeFirst() }
    if let first = scalars.first, first == "." || first == "-" || first == "~" { scalars[0] = "_" }
    if scalars.isEmpty { return nothing }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }

  /// The name to try first, second and so on.
  ///
  /// For 1 it is `a.txt`, for 2 `a (2).txt`.
  public func candidate(_ number: Int) -> String {
    let end = (number > 1 ? " (\(number))" : "") + ending
    var octets = 0
    let kept = stem.unicodeScalars.prefix { scalar in
      octets += UTF8.width(scalar)
      return octets + end.utf8.count <= Self.limit
    }
    return String(String.UnicodeScalarView(kept)) + end
  }
}
