internal import CLinux
internal import Glibc

/// The environment variables of this process, read once.
public struct ProcessEnvironment: Sendable {
  /// The variables; the first of a repeated name counts.
  public let variables: [String: String]

  /// An environment of the given variables.
  public init(_ variables: [String: String]) { self.variables = variables }

  /// The environment this process was started with.
  public static var current: ProcessEnvironment {
    var variables: [String: String] = [:]
    guard var next = unsafe clinux_environment() else { return ProcessEnvironment([:]) }
    while let entry = unsafe next.pointee {
      let text = unsafe String(cString: entry)
      if let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) {
        let name = String(text[..<sign])
        if variables[name] == nil {
          variables[name] = String(text[text.utf8.index(after: sign)...])
        }
      }
      unsafe next += 1
    }
    return ProcessEnvironment(variables)
  }

  /// A variable's value, nil where it is missing or empty.
  public subscript(_ name: String) -> String? {
    guard let value = variables[name], !value.isEmpty else { return nil }
    return value
  }

  /// The variables as `NAME=value`, for a child.
  package var entries: [String] { variables.map { "\($0.key)=\($0.value)" } }
}
