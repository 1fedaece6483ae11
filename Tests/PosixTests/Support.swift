import Foundation
import TestSupport

@testable import Posix

/// The octets of a text.
func octets(_ text: String) -> [UInt8] { Array(text.utf8) }

extension Sandbox {
  /// An empty directory of this test's own.
  func directory(_ name: String = "d") throws -> Directory {
    try Directory.making(name, in: Directory(root))
  }

  /// The names in that directory, in order.
  func names(_ name: String = "d") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root + "/" + name).sorted()
  }
}

/// The environment of children: where programs are, and nothing else.
let plainEnvironment = ProcessEnvironment(["PATH": "/usr/bin:/bin"])
