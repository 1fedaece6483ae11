internal import Foundation
public import Testing

/// A private home for one test: folders, settings and environment, removed when it is let go.
///
/// ```swift
/// let sandbox = try Sandbox()
/// try sandbox.configure("[delivery]\nafter-capture = no\n")
/// let result = try sandbox.memo("-v", "buy milk")
/// #expect(try sandbox.files(in: .outbox).count == 1)
/// ```
public final class Sandbox: Sendable {
  /// The folder that holds everything; short, since names of sockets are limited to 107 octets.
  public let root: String

  /// One of the three folders of notes.
  public enum Folder: String, CaseIterable, Sendable {
    /// Promised, not yet delivered.
    case outbox
    /// Accepted by the server.
    case sent
    /// Refused for good.
    case failed
  }

  /// Makes an empty home.
  ///
  /// - Throws: An error of the file system.
  public init() throws {
    var random = SystemRandomNumberGenerator()
    let name = String(random.next(), radix: 36)
    root = NSTemporaryDirectory() + "memo-" + name
    for folder in [root, home, root + "/tmp"] { try makeFolder(folder) }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: root)
  }

  /// Makes a folder that only the owner may enter, and those above it.
  private func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  // MARK: - Places

  /// The value of HOME.
  public var home: String { root + "/home" }
  /// The settings file, whether it exists or not.
  public var configuration: String { home + "/.config/memo/config" }
  /// The folder of mail and identity.
  public var data: String { home + "/.local/share/memo" }
  /// The folder of account states and replies.
  public var state: String { home + "/.local/state/memo" }
  /// The key that opens the notes, as PEM.
  public var key: String { data + "/identity/key.pem" }

  /// The path of a folder of notes.
  public func path(of folder: Folder) -> String {
    data + "/mail/" + folder.rawValue
  }

  /// The environment for the programs: HOME, PATH, TMPDIR and nothing else.
  ///
  /// No XDG variable, no locale, no login name.
  public var environment: [String: String] {
    [
      "HOME": home, "TMPDIR": root + "/tmp",
      "PATH": Programs.folder + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    ]
  }

  // MARK: - Running

  /// Runs `memo` in this home; parameters as those of ``run(_:_:stdin:environment:timeout:sourceLocation:)``.
  @discardableResult
  public func memo(
    _ arguments: String..., stdin: [UInt8] = [], environment extra: [String: String] = [:],
    timeout: Double = 60, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ProgramResult {
    try run(
      Programs.memo, arguments, stdin: stdin,
      environment: environment.merging(extra) { _, given in given }, timeout: timeout,
      sourceLocation: sourceLocation)
  }

  /// Runs `memo-send` in this home; parameters as those of ``run(_:_:stdin:environment:timeout:sourceLocation:)``.
  @discardableResult
  public func memoSend(
    _ arguments: String..., stdin: [UInt8] = [], environment extra: [String: String] = [:],
    timeout: Double = 60, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ProgramResult {
    try run(
      Programs.memoSend, arguments, stdin: stdin,
      environment: environment.merging(extra) { _, given in given }, timeout: timeout,
      sourceLocation: sourceLocation)
  }

  // MARK: - Files

  /// Writes the settings, readable by the owner alone.
  public func configure(_ text: String) throws {
    try write(Array(text.utf8), to: configuration)
  }

  /// Writes a file with mode 0600, making its folders.
  public func write(_ bytes: [UInt8], to path: String) throws {
    try makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  /// The notes of a folder, in new/ and cur/, by name: oldest first.
  public func files(in folder: Folder) throws -> [StoredFile] {
    try ["new", "cur"].flatMap { try list(path(of: folder) + "/" + $0) }
      .sorted { $0.name < $1.name }
  }

  /// What is left in a folder's tmp/.
  public func temporaryFiles(in folder: Folder) throws -> [StoredFile] {
    try list(path(of: folder) + "/tmp")
  }

  private func list(_ directory: String) throws -> [StoredFile] {
    guard FileManager.default.fileExists(atPath: directory) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
      .map { StoredFile(path: directory + "/" + $0) }
  }

  /// What is inside a sealed note, opened by openssl(1): it must not take our own program to read it.
  ///
  /// - Throws: `NotOpened` when openssl refuses.
  public func opened(_ file: StoredFile) throws -> [UInt8] {
    let result = try run(
      "/usr/bin/openssl", ["cms", "-decrypt", "-in", file.path, "-inkey", key],
      environment: environment)
    guard result.status == 0 else { throw NotOpened(reason: result.errors) }
    return result.stdout
  }

  /// openssl could not open a note.
  public struct NotOpened: Error {
    /// What it said.
    public let reason: String
  }
}

/// A file in one of the folders of notes.
public struct StoredFile: Sendable, Equatable {
  /// Its absolute path when it was listed.
  public let path: String

  /// The file at a path.
  public init(path: String) { self.path = path }

  /// Its name without the folders.
  public var name: String { String(path.split(separator: "/").last ?? "") }

  /// Its UUID: the first 36 characters of the name.
  public var identifier: String { String(name.prefix(36)) }

  /// All of it.
  public func bytes() throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
