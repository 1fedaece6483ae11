internal import Posix

/// Reading a file whose octets nobody else may see.
enum SecretFile {
  /// No key or certificate is larger.
  static let sizeLimit = 1 << 16

  /// A whole regular file.
  static func read(_ name: String, in folder: borrowing Directory) throws(Errno) -> SecretBytes {
    try read(try folder.open(name, .read))
  }

  private static func read(_ file: borrowing FileDescriptor) throws(Errno) -> SecretBytes {
    guard try file.status().isRegularFile else { throw .wrongKind }
    var bytes = SecretBytes(capacity: sizeLimit)
    while try bytes.read(from: file) > 0 {}
    return bytes
  }
}
