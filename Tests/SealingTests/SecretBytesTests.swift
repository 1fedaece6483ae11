import Glibc
import Sealing
import Testing

/// Secrets hold what they are given, and no more.
@Suite struct SecretBytesTests {
  private enum Refusal: Error { case short }

  @Test func whatIsReadIsHeld() throws {
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    defer { close(ends[0]) }
    #expect(unsafe write(ends[1], "secret", 6) == 6)
    close(ends[1])
    let secret = SecretBytes(capacity: 100) { output in
      unsafe output.withUnsafeMutableBytes { buffer, initialized in
        unsafe initialized = read(ends[0], buffer.baseAddress, buffer.count)
      }
    }
    #expect(secret.count == 6)
    #expect(secret.capacity == 100)
    #expect(secret.copy() == Array("secret".utf8))
  }

  @Test func aFailedReadIsThrown() {
    #expect(throws: Refusal.short) {
      _ = try SecretBytes(capacity: 8) { (output) throws(Refusal) in
        output.append(UInt8(1))
        throw .short
      }
    }
  }

  @Test func nothingIsHeldBeyondTheCapacity() {
    var secret = SecretBytes(capacity: 2)
    for octet in [UInt8](1...5) { secret.append(octet) }
    #expect(secret.copy() == [1, 2])
    #expect(SecretBytes(capacity: 0).copy().isEmpty)
  }
}
