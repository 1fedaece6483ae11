internal import Foundation

// What tests look at and change beside the programs' backs, as a mail client or a crash would.
extension Sandbox {
  /// Every file below a folder of the sandbox, by its path from there; folders are left out.
  public func files(below folder: String) throws -> [String] {
    let top = root + "/" + folder
    return try FileManager.default.subpathsOfDirectory(atPath: top).filter { path in
      try attributes(top + "/" + path)[.type] as? FileAttributeType != .typeDirectory
    }.sorted()
  }

  /// What a file of the sandbox holds.
  public func content(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: root + "/" + path)))
  }

  /// The permission bits of a file of the sandbox.
  public func mode(_ path: String) throws -> Int {
    (try attributes(root + "/" + path)[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  /// Changes the permission bits of a file of the sandbox.
  public func setMode(_ path: String, _ mode: Int) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: NSNumber(value: mode)], ofItemAtPath: root + "/" + path)
  }

  /// When a file of the sandbox was changed last, in seconds since 1970.
  public func modified(_ path: String) throws -> Int64 {
    let date = try attributes(root + "/" + path)[.modificationDate] as? Date
    return date.map { Int64($0.timeIntervalSince1970) } ?? -1
  }

  /// Changes that time.
  public func setModified(_ path: String, _ seconds: Int64) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: Double(seconds))],
      ofItemAtPath: root + "/" + path)
  }

  /// Renames a file of the sandbox.
  public func rename(_ path: String, _ newPath: String) throws {
    try FileManager.default.moveItem(atPath: root + "/" + path, toPath: root + "/" + newPath)
  }

  /// Removes a file or folder of the sandbox.
  public func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: root + "/" + path)
  }

  /// Makes a symbolic link in the sandbox.
  public func link(_ path: String, to aim: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: root + "/" + path, withDestinationPath: aim)
  }

  private func attributes(_ path: String) throws -> [FileAttributeKey: Any] {
    try FileManager.default.attributesOfItem(atPath: path)
  }
}
