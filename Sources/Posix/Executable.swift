internal import Glibc

/// Programs, found as a shell finds them.
public enum Executable {
  /// Where a program is looked for when `PATH` is not set.
  private static let standardPath = "/usr/local/bin:/usr/bin:/bin"

  /// The program that a name means, nil where there is none.
  ///
  /// Only absolute folders of `PATH` are looked into: whoever can write in the current one could
  /// put a program of that name there.
  ///
  /// - Parameters:
  ///   - name: A name, or a path when it holds a slash.
  ///   - environment: Where `PATH` is.
  /// - Returns: The path of a regular file that this user may run.
  public static func find(_ name: String, environment: ProcessEnvironment) -> String? {
    guard !name.utf8.contains(UInt8(ascii: "/")) else { return isProgram(name) ? name : nil }
    guard !name.isEmpty else { return nil }
    return (environment["PATH"] ?? standardPath).utf8.split(separator: UInt8(ascii: ":")).lazy
      .filter { $0.first == UInt8(ascii: "/") }
      .map { String(Substring($0)) + "/" + name }
      .first(where: isProgram)
  }

  private static func isProgram(_ path: String) -> Bool {
    var record = stat()
    return unsafe stat(path, &record) == 0 && record.st_mode & S_IFMT == S_IFREG
      && Machine.isExecutable(path)
  }
}
