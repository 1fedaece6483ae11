internal import Glibc

/// Programs, found as a shell finds them.
public enum Executable {
  /// Where a program without a path is found when nothing says where to look: those of POSIX.
  private static let standardPath = "/usr/local/bin:/usr/bin:/bin"

  /// The path of a program in the folders of `PATH`, nil where none has it.
  ///
  /// Only absolute folders are looked into: what lies in the current one is nobody's program.
  public static func find(_ name: String, environment: ProcessEnvironment) -> String? {
    let path = environment["PATH"] ?? standardPath
    for folder in path.utf8.split(separator: UInt8(ascii: ":")) {
      guard folder.first == UInt8(ascii: "/") else { continue }
      let candidate = String(decoding: folder, as: UTF8.self) + "/" + name
      if unsafe access(candidate, X_OK) == 0 { return candidate }
    }
    return nil
  }
}
