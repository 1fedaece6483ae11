import TestSupport
import Testing

@testable import History

@Suite struct SavedNameTests {
  @Test(
    arguments: [
      ("a.txt", "a.txt", "a (2).txt"), ("photo", "photo", "photo (2)"),
      ("x.tar.gz", "x.tar.gz", "x (2).tar.gz"), (".tar.gz", "_tar.gz", "_tar (2).gz"),
      ("../../etc/passwd", "_._.._etc_passwd", "_._.._etc_passwd (2)"),
      ("/etc/passwd", "_etc_passwd", "_etc_passwd (2)"), ("a\\b.txt", "a_b.txt", "a_b (2).txt"),
      ("..", "attachment", "attachment (2)"), (".", "attachment", "attachment (2)"),
      ("", "attachment", "attachment (2)"), (" ", "attachment", "attachment (2)"),
      (".bashrc", "_bashrc", "_bashrc (2)"), ("-rf", "_rf", "_rf (2)"), ("~", "_", "_ (2)"),
      ("a\0b\u{1B}[2J.txt", "a␀b␛[2J.txt", "a␀b␛[2J (2).txt"), ("a\nb", "a b", "a b (2)"),
      ("exe.\u{202E}gpj", "exe.gpj", "exe (2).gpj"), ("a.txt. . ", "a.txt", "a (2).txt"),
      ("Grüße 漢.pdf", "Grüße 漢.pdf", "Grüße 漢 (2).pdf"), ("a.", "a", "a (2)"),
      ("v1.2 of all that was said about it", "v1.2 of all that was said about it", nil),
    ] as [(String, String, String?)])
  func aNameIsMadeSafe(name: String, first: String, second: String?) {
    let saved = SavedName(name)
    #expect(saved.candidate(1) == first)
    if let second { #expect(saved.candidate(2) == second) }
  }

  @Test func aLongNameIsCutBetweenCharactersAndKeepsItsEnding() {
    for stem in [String(repeating: "a", count: 300), String(repeating: "漢", count: 100)] {
      for (number, end) in [(1, ".jpeg"), (12, " (12).jpeg")] {
        let name = SavedName(stem + ".jpeg").candidate(number)
        #expect(name.utf8.count <= 255 && name.utf8.count > 250)
        #expect(name.hasSuffix(end) && stem.hasPrefix(String(name.dropLast(end.count))))
      }
    }
  }

  @Test func noNameLeadsElsewhere() {
    var random = SeededGenerator(seed: 5)
    let pieces = ["/", "..", ".", "\\", "\0", "\u{202E}", " ", "-", "é", "\r\n", "%2F", "a"]
    for _ in 0..<5000 {
      let parts = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        pieces.randomElement(using: &random) ?? ""
      }
      let name = SavedName(parts.joined()).candidate(Int.random(in: 1...3, using: &random))
      let octets = Array(name.utf8)
      #expect(!octets.isEmpty && octets.count <= 255, "\(parts)")
      #expect(!octets.contains { $0 < 0x20 || $0 == 0x2F || $0 == 0x7F }, "\(parts)")
      #expect(octets.first != UInt8(ascii: ".") && octets.first != UInt8(ascii: "-"), "\(parts)")
    }
  }
}
