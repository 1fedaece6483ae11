internal import Foundation
public import Testing

/// A private keyring of gpg(1) in a sandbox, whose agent ends with it.
public final class Keyring: Sendable {
  /// The value of GNUPGHOME; short, since the agent's socket lies in it.
  public let home: String
  private let sandbox: Sandbox

  /// Makes an empty keyring.
  ///
  /// - Parameters:
  ///   - sandbox: The home in whose folder it lies.
  ///   - name: Its own name there.
  /// - Throws: An error of the file system.
  public init(in sandbox: Sandbox, _ name: String = "g") throws {
    self.sandbox = sandbox
    home = sandbox.root + "/" + name
    try FileManager.default.createDirectory(
      atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    _ = try? run("/usr/bin/gpgconf", ["--kill", "all"], environment: environment)
  }

  /// The environment of a program that uses it.
  public var environment: [String: String] {
    sandbox.environment.merging(["GNUPGHOME": home]) { _, given in given }
  }

  /// Runs gpg(1) without a terminal.
  @discardableResult
  public func gpg(
    _ arguments: [String], stdin: [UInt8] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ProgramResult {
    try run(
      "/usr/bin/gpg", ["--batch", "--quiet", "--no-tty"] + arguments, stdin: stdin,
      environment: environment, sourceLocation: sourceLocation)
  }

  /// Makes a key and gives its fingerprint.
  ///
  /// - Parameters:
  ///   - algorithm: As for `--quick-gen-key`; `future-default` is Ed25519 with Curve25519.
  ///   - usage: As for `--quick-gen-key`.
  ///   - expire: As for `--quick-gen-key`.
  ///   - passphrase: What it is locked with; empty for not at all.
  ///   - time: The time it is made at, as 20240101T000000; nil for now.
  ///   - sourceLocation: The place a failure is shown at.
  /// - Returns: 40 digits.
  /// - Throws: `SystemCallFailed`, or a requirement that failed.
  public func makeKey(
    _ algorithm: String = "future-default", usage: String = "default", expire: String = "never",
    passphrase: String = "", at time: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let faked = time.map { ["--faked-system-time", $0] } ?? []
    let made = try gpg(
      faked + [
        "--yes", "--pinentry-mode", "loopback", "--passphrase", passphrase, "--status-fd", "1",
        "--quick-gen-key", "Jane Doe <me@test.example>", algorithm, usage, expire,
      ], sourceLocation: sourceLocation)
    let words = made.output.split(whereSeparator: \.isWhitespace).map(String.init)
    return try #require(
      words.last { $0.count == 40 && $0.allSatisfy(\.isHexDigit) }, "\(made.errors)",
      sourceLocation: sourceLocation)
  }

  /// The process number of its agent, which is started if it does not run.
  public func agentProcess(sourceLocation: SourceLocation = #_sourceLocation) throws -> Int32 {
    let result = try run(
      "/usr/bin/gpg-connect-agent", ["getinfo pid", "/bye"], environment: environment)
    let digits = result.output.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
    return try #require(
      digits.first ?? Int32(result.output.dropFirst(2).prefix { $0.isNumber }), "\(result)",
      sourceLocation: sourceLocation)
  }

  /// Lets the agent forget the passphrases it knows, and ask for them by this pinentry.
  public func restartAgent(askingBy pinentry: String? = nil) throws {
    if let pinentry {
      try sandbox.write(
        Array("pinentry-program \(pinentry)\n".utf8), to: home + "/gpg-agent.conf")
    }
    let agent = try agentProcess()
    _ = try run("/usr/bin/gpgconf", ["--kill", "gpg-agent"], environment: environment)
    // Whoever asks one that is leaving is told that there is no key.
    try wait(for: "the end of the agent") { kill(agent, 0) != 0 }
    _ = try agentProcess()
  }

  /// The plaintext of a message or armor.
  public func decrypt(
    _ octets: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [UInt8] {
    let result = try gpg(["--decrypt"], stdin: octets, sourceLocation: sourceLocation)
    try #require(result.status == 0, "\(result.errors)", sourceLocation: sourceLocation)
    return result.stdout
  }
}
