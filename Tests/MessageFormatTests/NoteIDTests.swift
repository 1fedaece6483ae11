import MessageFormat
import Testing

@Suite struct NoteIDTests {
  @Test func theExampleOfTheStandard() {
    // RFC 9562 appendix A.6.
    let random: [UInt8] = [0x0C, 0xC3, 0x18, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F]
    let id = NoteID(milliseconds: 1_645_557_742_000, random: random)
    #expect(id.description == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
    #expect(id.milliseconds == 1_645_557_742_000)
    #expect(NoteID("017F22E2-79B0-7CC3-98C4-DC0C0C07398F") == id)
    #expect(id.bytes.prefix(7) == [0x01, 0x7F, 0x22, 0xE2, 0x79, 0xB0, 0x7C])
    #expect(id.bytes.count == 16)
  }

  @Test func versionAndVariantAreAlwaysSet() {
    for filling: UInt8 in [0, 0xFF] {
      let id = NoteID(milliseconds: 0, random: [UInt8](repeating: filling, count: 10))
      #expect(id.bytes[6] & 0xF0 == 0x70)
      #expect(id.bytes[8] & 0xC0 == 0x80)
    }
  }

  @Test func aClockBefore1970OrFarAheadIsClamped() {
    let random = [UInt8](repeating: 1, count: 10)
    #expect(NoteID(milliseconds: -5, random: random).milliseconds == 0)
    #expect(NoteID(milliseconds: .max, random: random).milliseconds == 0xFFFF_FFFF_FFFF)
  }

  @Test func orderIsThatOfCapture() {
    var random = SeededRandom(seed: 1)
    let ids = (0..<500).map { NoteID(milliseconds: Int64($0 * 977), random: random.octets(10)) }
    #expect(ids.shuffled(using: &random).sorted() == ids)
    #expect(ids.map(\.description).sorted() == ids.map(\.description))
  }

  @Test func textComesBack() {
    var random = SeededRandom(seed: 2)
    for _ in 0..<500 {
      let id = NoteID(milliseconds: Int64(random.next() >> 17), random: random.octets(10))
      #expect(NoteID(id.description) == id)
      #expect(NoteID(utf8: Array("\(id).host,A=1:2,S".utf8)) == id)
    }
  }

  @Test(arguments: [
    "", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
    "017f22e279b0-7cc3-98c4-dc0c0c07398f00", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
    "{17f22e2-79b0-7cc3-98c4-dc0c0c07398f", "٠17f22e2-79b0-7cc3-98c4-dc0c0c07398",
  ])
  func whatIsNoUUIDIsRefused(text: String) {
    #expect(NoteID(text) == nil)
  }
}
