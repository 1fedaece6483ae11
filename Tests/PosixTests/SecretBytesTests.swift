import TestSupport
import Testing

@testable import Posix

@Suite struct SecretBytesTests {
  private func content(_ secret: borrowing SecretBytes) -> [UInt8] {
    secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  @Test(arguments: [[], [0], octets("pässword"), [UInt8](repeating: 7, count: 100_000)])
  func aCopyHoldsTheSame(bytes: [UInt8]) {
    let secret = SecretBytes(copying: bytes.span)
    #expect(content(secret) == bytes)
  }

  @Test func roomIsFilledFromAFileAndNoFurther() throws {
    let sandbox = try Sandbox()
    try sandbox.write(octets("0123456789"), to: sandbox.root + "/file")
    let file = try FileDescriptor(sandbox.root + "/file", .read)
    var secret = SecretBytes(capacity: 4)
    #expect(try secret.read(from: file) == 4)
    #expect(try secret.read(from: file) == 0)
    #expect(content(secret) == octets("0123"))
  }

  @Test func noRoomTakesNothing() throws {
    let file = try FileDescriptor("/dev/zero", .read)
    var secret = SecretBytes(capacity: 0)
    _ = try secret.read(from: file)
    #expect(secret.count <= 1)
  }

  @Test(
    arguments: [
      ("", ""), ("\n", ""), ("a", "a"), ("a\n", "a"), ("a\nb\n", "a"), ("a \n", "a "),
      ("a\r\n", "a"), ("a\r", "a\r"), ("\r\n", ""), ("a\r\r\n", "a\r"), ("\na", ""),
    ])
  func onlyTheFirstLineIsKept(text: String, line: String) {
    var secret = SecretBytes(copying: octets(text).span)
    secret.keepFirstLine()
    #expect(content(secret) == octets(line))
  }
}
