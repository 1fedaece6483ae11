import Foundation
import Sealing

/// Runs `/usr/bin/openssl`, the other program that must read what we write.
final class OpenSSL {
  /// Where the files lie that it is given; removed at the end.
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func write(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: folder.appending(path: name))
  }

  func read(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: folder.appending(path: name)))
  }

  /// Runs it in the folder; gives its exit status.
  @discardableResult
  func run(_ arguments: String...) throws -> Int32 { try run(arguments: arguments) }

  @discardableResult
  func run(arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Writes key.pem and certificate.pem.
  func write(_ identity: Identity) throws {
    try write(identity.key, "key.pem")
    try write(identity.certificate, "certificate.pem")
  }
}
