/// Where the program's files are.
///
/// XDG Base Directory Specification 0.8. Nothing is looked up or made.
public struct Paths: Sendable, Equatable {
  /// The home directory, without a final slash; empty for `/`.
  public let home: String
  /// The folders outbox, sent and failed, and the lock.
  public let mail: String
  /// The key pair notes are sealed with.
  public let identity: String
  /// The configuration file.
  public let configurationFile: String
  /// What the sender remembers of accounts, and the replies of servers.
  public let state: String
  /// What can be made anew.
  public let cache: String
  /// Private and memory-backed, where the session has such a folder.
  public let runtime: String?

  /// The sealed originals of notes that are kept in another form.
  public var sealedCache: String { cache + "/sealed" }
  /// Notes that wait.
  public var outbox: String { mail + "/outbox" }
  /// Notes a server took.
  public var sent: String { mail + "/sent" }
  /// Notes that will not be sent.
  public var failed: String { mail + "/failed" }

  /// The paths of a user.
  ///
  /// - Parameters:
  ///   - environment: Gives the value of a variable, nil if it is not set. An empty value or a
  ///     relative path counts as not set, as the specification asks.
  ///   - homeFromPasswd: The home directory of the passwd file, for when `HOME` is not set.
  /// - Throws: `ConfigurationError.noHome` if neither names a home directory.
  public init(
    environment: (String) -> String?, homeFromPasswd: String?
  ) throws(ConfigurationError) {
    guard let home = Self.absolute(environment("HOME")) ?? Self.absolute(homeFromPasswd) else {
      throw .noHome
    }
    func base(_ variable: String, _ fallback: String) -> String {
      (Self.absolute(environment(variable)) ?? home + fallback) + "/memo"
    }
    let data = base("XDG_DATA_HOME", "/.local/share")
    self.home = home
    mail = data + "/mail"
    identity = data + "/identity"
    configurationFile = base("XDG_CONFIG_HOME", "/.config") + "/config"
    state = base("XDG_STATE_HOME", "/.local/state")
    cache = base("XDG_CACHE_HOME", "/.cache")
    runtime = Self.absolute(environment("XDG_RUNTIME_DIR")).map { $0 + "/memo" }
  }

  /// The paths of a user whose environment is this.
  public init(
    environment: [String: String], homeFromPasswd: String?
  ) throws(ConfigurationError) {
    try self.init(environment: { environment[$0] }, homeFromPasswd: homeFromPasswd)
  }

  private static func absolute(_ path: String?) -> String? {
    guard let path, path.utf8.first == UInt8(ascii: "/") else { return nil }
    return withoutFinalSlashes(path)
  }
}

/// The path with nothing after its last name; empty for the root.
func withoutFinalSlashes(_ path: String) -> String {
  guard let last = path.utf8.lastIndex(where: { $0 != UInt8(ascii: "/") }) else { return "" }
  return String(path[...last])
}
