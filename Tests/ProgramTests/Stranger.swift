import Foundation
import TestSupport
import Testing

/// A user without rights, with a home of its own and its own copies of the programs.
///
/// Only root can become another user. The home is removed when it is let go.
final class Stranger {
  /// Everything of this user; it alone may enter.
  let root: String
  /// The value of HOME.
  var home: String { root + "/home" }
  static let user = 64999

  init() throws {
    var random = SystemRandomNumberGenerator()
    root = NSTemporaryDirectory() + "memo-" + String(random.next(), radix: 36)
    let files = FileManager.default
    for folder in [root, root + "/home", root + "/bin"] {
      try files.createDirectory(
        atPath: folder, withIntermediateDirectories: true,
        attributes: [
          .posixPermissions: 0o700, .ownerAccountID: Self.user, .groupOwnerAccountID: Self.user,
        ])
    }
    let copied = try TestSupport.run(
      "/usr/bin/install", ["-m", "755", Programs.memo, Programs.memoSend, root + "/bin"])
    try #require(copied.status == 0, "\(copied.errors)")
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// Runs a program as this user.
  func run(
    _ program: String, _ arguments: [String], stdin: [UInt8] = [],
    environment: [String: String]? = nil
  ) throws -> ProgramResult {
    try TestSupport.run(
      "/usr/bin/setpriv", asStranger + [program] + arguments, stdin: stdin,
      environment: environment ?? self.environment)
  }

  /// Runs its copy of `memo`.
  @discardableResult
  func memo(_ arguments: String..., stdin: [UInt8] = []) throws -> ProgramResult {
    try run(root + "/bin/memo", arguments, stdin: stdin)
  }

  /// What setpriv(1) is told.
  var asStranger: [String] {
    ["--reuid", "\(Self.user)", "--regid", "\(Self.user)", "--clear-groups", "--"]
  }

  /// Its environment: HOME and PATH.
  var environment: [String: String] {
    ["HOME": home, "PATH": root + "/bin:/usr/bin:/bin"]
  }

  /// The files of its notes that wait.
  func waiting() throws -> [String] {
    let folder = home + "/.local/share/memo/mail/outbox/new"
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder)
  }
}
