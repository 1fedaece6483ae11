import Foundation
import Sealing
import Testing

/// Sealing and opening give back what they take.
@Suite struct MemoryTests {
  // In a process of its own, where no other test takes memory meanwhile.
  @Test func tenThousandSealsTakeNoMoreMemoryThanFiveHundred() async {
    await #expect(processExitsWith: .success) {
      let work = try Work()
      try work.run(500)
      let before = try Work.residentPages()
      try work.run(10_000)
      // A single cipher's context lost each time would be 1,000 pages.
      try #require(try Work.residentPages() - before < 200)
    }
  }
}

/// What is done again and again: sealing, opening, refusing.
private struct Work: ~Copyable {
  private let recipient: Recipient
  private let opener: Keyholder
  private let content = [UInt8](repeating: 7, count: 1024)

  init() throws {
    let identity = try Identity()
    let recipient = try Recipient(certificate: identity.certificate)
    opener = try Keyholder(key: identity.key)
    self.recipient = recipient
  }

  func run(_ count: Int) throws {
    for turn in 0..<count {
      var sealed = try recipient.seal(content)
      guard turn % 8 == 0 else { continue }
      guard try opener.open(sealed) == content else { throw SealingError.damaged }
      sealed[sealed.count - 1] ^= 1
      do throws(SealingError) {
        _ = try opener.open(sealed)
        throw SealingError.notSealed
      } catch {
        guard error == .damaged else { throw error }
      }
    }
  }

  static func residentPages() throws -> Int {
    let statistics = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return Int(statistics.split(separator: " ")[1]) ?? 0
  }
}
