internal import CLinux
internal import Glibc

// Design: a list that is searched, not a dictionary. A program asks for a handful of variables;
// making a dictionary of them all took a capture more instructions than composing its message.

/// The environment variables of this process, read once.
public struct ProcessEnvironment: Sendable {
  /// The variables as `NAME=value`, for a child.
  package let entries: [String]

  private init(entries: [String]) { self.entries = entries }

  /// An environment of the given variables.
  public init(_ variables: [String: String]) {
    self.init(entries: variables.map { "\($0.key)=\($0.value)" })
  }

  /// The environment this process was started with.
  public static var current: ProcessEnvironment {
    var entries: [String] = []
    guard var next = unsafe clinux_environment() else { return ProcessEnvironment(entries: []) }
    while let entry = unsafe next.pointee {
      unsafe entries.append(String(cString: entry))
      unsafe next += 1
    }
    return ProcessEnvironment(entries: entries)
  }

  /// The variables by their names; the first of a repeated name counts.
  public var variables: [String: String] {
    let pairs = entries.map { entry in
      let name = entry.utf8.prefix { $0 != UInt8(ascii: "=") }
      return (String(Substring(name)), String(Substring(entry.utf8.dropFirst(name.count + 1))))
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// This environment with a variable of another value.
  public func setting(_ name: String, to value: String) -> ProcessEnvironment {
    let others = entries.filter { !$0.utf8.starts(with: (name + "=").utf8) }
    return ProcessEnvironment(entries: others + [name + "=" + value])
  }

  /// A variable's value, nil where it is missing or empty; the first of a repeated name counts.
  public subscript(_ name: String) -> String? {
    // A name cannot hold one, though a name and the start of its value can.
    guard !name.utf8.contains(UInt8(ascii: "=")) else { return nil }
    for entry in entries where entry.utf8.starts(with: name.utf8) {
      let rest = entry.utf8.dropFirst(name.utf8.count)
      guard rest.first == UInt8(ascii: "=") else { continue }
      let value = rest.dropFirst()
      return value.isEmpty ? nil : String(Substring(value))
    }
    return nil
  }
}
