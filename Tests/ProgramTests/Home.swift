import Foundation
import TestSupport
import Testing

/// Settings under which a note can be sent, but is not until somebody flushes.
let quietSettings = """
  [account]
  from = Jane Doe <me@test.example>
  to = me@test.example
  server = smtp://localhost:9
  user = me@test.example
  password-command = echo secret
  [delivery]
  after-capture = no

  """

extension Sandbox {
  /// A home whose captures say nothing and start nothing.
  static func quiet(_ more: String = "") throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.configure(quietSettings + more)
    return sandbox
  }

  /// The notes waiting, opened by openssl(1) and read by Python, oldest first.
  func waiting(sourceLocation: SourceLocation = #_sourceLocation) throws -> [ParsedMail] {
    try ParsedMail.parse(try files(in: .outbox).map { try opened($0) })
  }

  /// The only note waiting.
  func theOneWaiting(sourceLocation: SourceLocation = #_sourceLocation) throws -> ParsedMail {
    let notes = try waiting(sourceLocation: sourceLocation)
    try #require(notes.count == 1, "\(notes.count) notes wait", sourceLocation: sourceLocation)
    return notes[0]
  }

  /// How many files there are in outbox, sent and failed.
  func counts() throws -> [Int] {
    try Folder.allCases.map { try files(in: $0).count }
  }

  /// Expects that nobody else may read what lies in this home, and that nothing lies in a tmp/.
  func expectPrivate(sourceLocation: SourceLocation = #_sourceLocation) throws {
    for path in try everything(below: home) {
      let mode = try permissions(of: path)
      #expect(mode & 0o077 == 0, "\(path) has mode \(octal(mode))", sourceLocation: sourceLocation)
    }
    for folder in Folder.allCases {
      #expect(try temporaryFiles(in: folder).isEmpty, sourceLocation: sourceLocation)
    }
  }

  /// Every file and folder below a folder.
  func everything(below path: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: path).map { path + "/" + $0 }
  }

  /// The mode of a file, without its type.
  func permissions(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return attributes[.posixPermissions] as? Int ?? 0
  }

  /// Lets a note's file have been touched last so long ago, as if that much time had gone by.
  func age(_ file: StoredFile, by seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: file.path)
  }

  /// An executable script in this home.
  ///
  /// Written by a process of its own: while this one had it open, a child that another test starts
  /// could hold it open for writing, and it could not be run (ETXTBSY).
  func script(_ name: String, _ text: String) throws -> String {
    let path = root + "/" + name
    let written = try run(
      "/usr/bin/install", ["-m", "700", "/dev/stdin", path],
      stdin: Array("#!/bin/sh\n\(text)\n".utf8))
    try #require(written.status == 0, "\(written.errors)")
    return path
  }
}

/// The senders that captures started: they stay for what falls due, and a test must not leave them.
extension Sandbox {
  /// Their process numbers; only ours have this HOME.
  func senders() throws -> [Int32] {
    let files = FileManager.default
    return try files.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { pid in
      let program = try? files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
      guard program?.hasSuffix("/memo-send") == true,
        let environment = files.contents(atPath: "/proc/\(pid)/environ")
      else { return false }
      return environment.split(separator: 0).contains { $0.elementsEqual("HOME=\(home)".utf8) }
    }
  }

  /// Ends them.
  func endSenders() {
    for pid in (try? senders()) ?? [] { kill(pid, SIGKILL) }
  }
}

/// A mode as chmod(1) has it.
func octal(_ mode: Int) -> String { String(mode, radix: 8) }

/// Whether the tests may do what only root may.
let isRoot = geteuid() == 0

/// The lines of a text.
func lines(_ text: String) -> [String] {
  text.split(separator: "\n").map(String.init)
}

/// Expects exactly one line with these words.
func expectOneLine(
  _ text: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  let lines = lines(text)
  #expect(lines.count == 1, "\(text)", sourceLocation: sourceLocation)
  #expect(lines.first?.hasPrefix("memo: ") == true, "\(text)", sourceLocation: sourceLocation)
  #expect(text.contains(words), "\(text)", sourceLocation: sourceLocation)
}
