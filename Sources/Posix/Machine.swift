internal import Glibc

/// This machine and its user.
public enum Machine {
  /// The user's home directory from the passwd file, nil where the user has no line there.
  ///
  /// The file is read directly: a static program must not call `getpwuid(3)`, which loads
  /// shared libraries. Its columns are those of `passwd(5)`.
  public static func homeFromPasswordFile(_ path: String = "/etc/passwd") -> String? {
    guard let file = try? FileDescriptor(path, .read),
      let content = try? file.readAll(limit: 1 << 22)
    else { return nil }
    let user = "\(getuid())"
    for line in content.split(separator: UInt8(ascii: "\n")) {
      let columns = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard columns.count >= 7, String(decoding: columns[2], as: UTF8.self) == user,
        columns[5].first == UInt8(ascii: "/")
      else { continue }
      return String(decoding: columns[5], as: UTF8.self)
    }
    return nil
  }

  /// The user this process acts as.
  ///
  /// The corresponding C function is `geteuid(2)`.
  public static var user: UInt32 { geteuid() }

  /// How many processors there are to work on.
  ///
  /// The corresponding C function is `sysconf(3)`.
  public static var processorCount: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }

  /// Whether this user may run the file.
  ///
  /// The corresponding C function is `access(2)` with `X_OK`.
  public static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

  /// The machine's name as the kernel knows it, empty where it has none.
  ///
  /// The corresponding C function is `gethostname(2)`.
  public static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
