public import MessageFormat

// Design: the state of a note is its folder and these counters, nothing else; mail clients may
// move the file between new and cur, change its flags and append fields of their own.

/// The name of a note's file: `<UUIDv7>.<host>[,D=d][,A=a][,…][:2,<flags>]`.
///
/// The flags and the fields between commas are those of Maildir and its dialects.
public struct NoteFileName: Sendable, Equatable, CustomStringConvertible {
  /// The note's identity: the first 36 characters.
  public let id: NoteID

  /// The machine that captured the note, without the dot; empty where the name tells none.
  public private(set) var host: String

  /// D: attempts that certainly did not deliver, and count.
  public var failures: Int

  /// A: times all data was given to a server with no verdict on record.
  public var unanswered: Int

  /// Fields of others, as `U=7`, in their order.
  public var otherFields: [String]

  /// The flags behind `:2,`, nil where the name has no such ending (as in new/).
  public var flags: String?

  /// The name of a note just captured on a machine.
  public init(id: NoteID, host: String) {
    self.id = id
    self.host = host
    failures = 0
    unanswered = 0
    otherFields = []
    flags = nil
  }

  // name = uuid [ "." host ] *( "," letter "=" value ) [ ":2," *letter ]
  /// A file's name read back; nil when it does not begin with a UUID or holds other endings.
  public init?(_ name: String) {
    // By octets: as a Character, a comma with a combining mark behind it is no comma.
    guard let id = NoteID(utf8: name.utf8) else { return nil }
    var rest = name.utf8.dropFirst(36)
    self.init(id: id, host: "")
    let first = Self.takeField(from: &rest)
    guard first.isEmpty || first.first == UInt8(ascii: ".") else { return nil }
    host = String(Substring(first.dropFirst()))
    while rest.first == UInt8(ascii: ",") {
      rest = rest.dropFirst()
      guard take(field: Self.takeField(from: &rest)) else { return nil }
    }
    guard rest.first == UInt8(ascii: ":") else { return }
    guard rest.dropFirst().starts(with: "2,".utf8) else { return nil }
    flags = String(Substring(rest.dropFirst(3)))
  }

  /// Takes the octets up to the next comma or colon.
  private static func takeField(from rest: inout Substring.UTF8View) -> Substring.UTF8View {
    let end = rest.firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ":") }
    let field = rest[..<(end ?? rest.endIndex)]
    rest = rest[field.endIndex...]
    return field
  }

  private mutating func take(field: Substring.UTF8View) -> Bool {
    guard field.count >= 2, field.dropFirst().first == UInt8(ascii: "=") else { return false }
    switch (field.first, Self.count(field.dropFirst(2))) {
    case (UInt8(ascii: "D"), let count?): failures = count
    case (UInt8(ascii: "A"), let count?): unanswered = count
    default: otherFields.append(String(Substring(field)))
    }
    return true
  }

  /// The most that a counter is read as: no note gets near it, and it can be counted up.
  static let mostCounted = 999_999

  private static func count(_ digits: Substring.UTF8View) -> Int? {
    let zero = UInt8(ascii: "0")
    guard !digits.isEmpty, digits.allSatisfy({ (zero...zero + 9).contains($0) }) else {
      return nil
    }
    return digits.reduce(0) { min($0 * 10 + Int($1 - zero), mostCounted) }
  }

  /// The name as it stands on disk.
  public var description: String {
    var name = id.description
    if !host.isEmpty { name += "." + host }
    if failures > 0 { name += ",D=\(failures)" }
    if unanswered > 0 { name += ",A=\(unanswered)" }
    for field in otherFields { name += "," + field }
    if let flags { name += ":2," + flags }
    return name
  }
}

extension NoteFileName {
  /// Whether its owner marked it for deletion: flag T.
  public var isTrashed: Bool { flags?.utf8.contains(UInt8(ascii: "T")) ?? false }

  /// Whether a mail client shows it as marked, with a star for instance: flag F.
  public var isFlagged: Bool { flags?.utf8.contains(UInt8(ascii: "F")) ?? false }

  /// The name in another folder, where a mail client's numbering (`U=`) no longer holds.
  public func moved(flags: String?) -> NoteFileName {
    var name = self
    name.otherFields.removeAll { $0.utf8.starts(with: "U=".utf8) }
    name.flags = flags
    return name
  }

  /// Any file's name after its octets changed, where recorded sizes (`S=`, `W=`) no longer hold.
  ///
  /// All else stays as it is, whoever wrote it and in whatever order.
  static func rewritten(_ name: String) -> String {
    let base = name.utf8.prefix { $0 != UInt8(ascii: ":") }
    let fields = base.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let kept = fields.enumerated().filter { index, field in
      index == 0 || !["S=", "W="].contains { field.starts(with: $0.utf8) }
    }
    let text = kept.map { String(Substring($0.element)) }.joined(separator: ",")
    return text + String(Substring(name.utf8.dropFirst(base.count)))
  }

  /// A machine's name as it may stand in a file name: its first label, odd characters as `_`.
  public static func hostLabel(_ hostName: String) -> String {
    let label = hostName.utf8.prefix { $0 != UInt8(ascii: ".") }.prefix(64).map { octet in
      switch octet {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        octet
      default: UInt8(ascii: "_")
      }
    }
    return label.isEmpty ? "localhost" : String(decoding: label, as: UTF8.self)
  }
}
