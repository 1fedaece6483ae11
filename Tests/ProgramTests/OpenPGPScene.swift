import Foundation
import TestSupport
import Testing

/// A home, a server and a keyring for notes that are encrypted to their owner.
struct OpenPGPScene {
  let sandbox: Sandbox
  let server: FaultyServer
  let keyring: Keyring

  init() throws {
    sandbox = try Sandbox()
    server = try FaultyServer(in: sandbox)
    keyring = try Keyring(in: sandbox)
  }

  func configure(_ key: String, _ more: String = "") throws {
    try sandbox.configure(
      server.configuration() + "[gpg]\nkey = \(key)\n"
        + more)
  }

  func flush(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramResult {
    try run(
      Programs.memoSend, ["flush"] + arguments,
      environment: keyring.environment.merging(environment) { _, given in given })
  }

  /// The only file of sent/.
  func sent() throws -> StoredFile {
    let files = try sandbox.files(in: .sent)
    return try #require(files.count == 1 ? files.first : nil, "\(files)")
  }

  /// Files that hold a text, below the whole sandbox.
  func holders(of text: String) throws -> [String] {
    try sandbox.files(below: "").filter { path in
      guard let content = try? sandbox.content(path) else { return false }
      return Data(content).range(of: Data(text.utf8)) != nil
    }
  }

  /// A key that nobody unlocks.
  func makeLockedKey() throws -> String {
    let key = try keyring.makeKey(passphrase: "open sesame")
    // The agent remembers what the key was made with.
    try keyring.restartAgent()
    return key
  }
}
