/// The clone that the tests were built from.
public enum Repository {
  /// The absolute path of its top folder, found from the place of this file.
  public static let root: String = {
    // …/Tests/TestSupport/Repository.swift
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(3)
    return parts.joined(separator: "/")
  }()

  /// The absolute path of a file of the clone, as `Tests/servers/faulty`.
  public static func path(_ relative: String) -> String {
    root + "/" + relative
  }
}
