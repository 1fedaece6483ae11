import Posix
import Wording

/// A new file for secrets, which its owner alone may read; never one that is there.
struct PrivateOutput {
  let path: String

  /// Writes it, durable; an error leaves nothing behind.
  func write(_ bytes: Span<UInt8>, _ home: Home) throws(ExitStatus) {
    let (parent, name) = Self.split(path)
    do throws(Errno) {
      let folder = try Directory(parent)
      let file = try folder.open(name, .createExclusively)
      do throws(Errno) {
        try file.write(bytes)
        try file.sync()
        try file.close()
        try folder.sync()
      } catch {
        try? folder.remove(name)
        throw error
      }
    } catch {
      throw home.stop(.notWritten(path: path, error), .cannotCreate)
    }
  }

  /// A path's folder, `.` where it names none, and its last name.
  static func split(_ path: String) -> (parent: String, name: String) {
    let octets = Array(path.utf8)
    let end = octets.lastIndex { $0 != UInt8(ascii: "/") }.map { $0 + 1 } ?? 0
    guard let slash = octets[..<end].lastIndex(of: UInt8(ascii: "/")) else {
      return (".", String(decoding: octets[..<end], as: UTF8.self))
    }
    let parent = slash == 0 ? "/" : String(decoding: octets[..<slash], as: UTF8.self)
    return (parent, String(decoding: octets[(slash + 1)..<end], as: UTF8.self))
  }
}
