import Foundation
import MessageFormat
import Testing

@Suite struct Base64Tests {
  // RFC 4648 §10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func theExamplesOfTheStandard(text: String, encoded: String) {
    #expect(Base64.encode(Array(text.utf8), lineLength: 0) == Array(encoded.utf8))
    #expect(Base64.decode(Array(encoded.utf8), garbage: .refused) == Array(text.utf8))
  }

  @Test func agreesWithFoundationAtEveryLength() {
    var random = SeededRandom(seed: 4)
    for count in 0..<300 {
      let octets = random.octets(count)
      let encoded = Base64.encode(octets)
      let other = Data(octets).base64EncodedString(options: [
        .lineLength76Characters, .endLineWithLineFeed,
      ])
      #expect(encoded == Array((other.isEmpty ? "" : other + "\n").utf8))
      #expect(Base64.decode(encoded, garbage: .refused) == octets)
    }
  }

  @Test(arguments: [
    "Zg=", "Zg", "Z", "Zm9v=", "Zg==Zg==", "Zh==", "Zm9v!", "Zm 9v-", "Zg=\n=x", "====",
  ])
  func garbageIsRefusedWhereAskedFor(text: String) {
    #expect(Base64.decode(Array(text.utf8), garbage: .refused) == nil)
    #expect(Base64.decode(Array(text.utf8), garbage: .ignored) != nil)
  }

  @Test func aReaderPassesOverWhatIsForeign() {
    #expect(Base64.decode(Array("Z\r\nm-9 v\u{80}Zg=\n= tail".utf8)) == Array("foof".utf8))
    #expect(Base64.decode(Array("Zg=\r\n=\r\n \t".utf8), garbage: .refused) == Array("f".utf8))
  }
}

@Suite struct QuotedPrintableTests {
  // RFC 2045 §6.7, the example of soft line breaks.
  @Test func theExampleOfTheStandard() {
    let text = "Now's the time =\nfor all folk to come=\n to the aid of their country."
    let decoded = QuotedPrintable.decode(Array(text.utf8))
    #expect(
      String(decoding: decoded, as: UTF8.self)
        == "Now's the time for all folk to come to the aid of their country.")
  }

  @Test(arguments: [
    ("", ""), ("a=b\n", "a=3Db\n"), ("-- \n", "--=20\n"), ("end\t\n", "end=09\n"),
    ("last ", "last=20"),
    ("é", "=C3=A9"), ("a\rb\n", "a=0Db\n"), ("From me\n", "=46rom me\n"),
    ("Fromage\n", "Fromage\n"),
    (".\n..\n", ".\n..\n"), (" \n", "=20\n"), ("\0", "=00"), ("a b\n", "a b\n"),
  ])
  func escapesWhatTransportCouldHarm(text: String, encoded: String) {
    let octets = QuotedPrintable.encode(Array(text.utf8))
    #expect(String(decoding: octets, as: UTF8.self) == encoded)
    #expect(QuotedPrintable.decode(octets) == Array(text.utf8))
  }

  @Test func whatARelayStripsIsNeverData() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<500 {
      let text = Array(SampleText.make(&random).utf8)
      let encoded = QuotedPrintable.encode(text)
      #expect(
        wireLines(encoded).allSatisfy { $0.count <= 76 && $0.last != 0x20 && $0.last != 0x09 })
      #expect(!wireLines(encoded).contains { $0.starts(with: Array("From ".utf8)) })
      #expect(QuotedPrintable.decode(encoded) == text)
    }
  }

  @Test func noCharacterIsTorn() {
    for line in wireLines(QuotedPrintable.encode(Array(String(repeating: "x漢😀é", count: 90).utf8)))
    {
      let decoded = QuotedPrintable.decode(line)
      #expect(!String(decoding: decoded, as: UTF8.self).contains("\u{FFFD}"))
    }
  }

  @Test(arguments: [
    ("=c3=a9", "é"), ("a=  \nb", "ab"), ("a=\r\nb", "ab"), ("a  \r\nb\t", "a\nb"),
    ("100=zz", "100=zz"),
    ("=", ""), ("=4", "=4"), ("a\rb", "a\rb"), ("==41", "=A"),
  ])
  func aReaderRefusesNothing(text: String, decoded: String) {
    let octets = QuotedPrintable.decode(Array(text.utf8))
    #expect(String(decoding: octets, as: UTF8.self) == decoded)
  }

  @Test func aCarriageReturnThatIsDataIsToldFromALineEnd() {
    let decoded = QuotedPrintable.decode(Array("a=0D\nb=0D=0A".utf8), lineEnds: .crlf)
    #expect(decoded == Array("a\r\r\nb\r\n".utf8))
  }
}
