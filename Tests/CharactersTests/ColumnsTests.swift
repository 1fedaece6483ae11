import TestSupport
import Testing

@testable import Characters

@Suite struct ColumnsTests {
  @Test(arguments: [
    ("", 0), ("buy milk", 8), ("Müller", 6), ("Mu\u{308}ller", 6), ("漢字", 4), ("ｱ", 1),
    ("한글", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("\u{1112}\u{1161}", 2), ("…", 1), ("\u{FFFD}", 1),
    ("😀", 2), ("☺", 1), ("☺\u{FE0F}", 2), ("❤️", 2), ("👍🏽", 2), ("☝🏽", 2), ("1️⃣", 2), ("#\u{FE0F}", 2),
    ("a\u{FE0F}", 1), ("👨‍👩‍👧‍👦", 2), ("👩🏻‍❤️‍💋‍👨🏿", 2), ("🏳️‍🌈", 2), ("⛹‍♂", 2), ("🇩🇪", 2), ("🇩🇪🇨🇭", 4), ("🇩", 1),
    ("हिन्दी", 3), ("می\u{200C}خواهم", 7), ("\u{6DD}٣", 2), ("\u{301}", 0), ("e\u{301}\u{302}", 1),
    ("␛", 1),
  ])
  func aTextTakesItsColumns(text: String, columns: Int) {
    #expect(width(text) == columns)
  }

  @Test func aHeapIsNotUnderCounted() {
    #expect(width(String(repeating: "\u{1100}", count: 50)) == 100)
    #expect(width("👍" + String(repeating: "🏽", count: 9)) == 18)
    #expect(width("가" + String(repeating: "\u{11A8}", count: 9)) >= 2)
  }

  @Test(arguments: [
    ("buy milk", 8, "buy milk"), ("buy milk", 9, "buy milk"), ("buy milk", 7, "buy mi…"),
    ("buy milk", 1, "…"), ("buy milk", 0, ""), ("buy milk", -3, ""), ("", 1, ""), ("a", 1, "a"),
    ("漢字漢", 6, "漢字漢"), ("漢字漢", 5, "漢字…"), ("漢字漢", 4, "漢…"), ("漢字漢", 2, "…"), ("漢", 1, "…"),
    ("a👨‍👩‍👧‍👦b", 4, "a👨‍👩‍👧‍👦b"), ("a👨‍👩‍👧‍👦b", 3, "a…"), ("a👨‍👩‍👧‍👦bc", 4, "a👨‍👩‍👧‍👦…"),
    ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("🇩🇪🇨🇭", 3, "🇩🇪…"), ("🇩🇪🇨🇭", 2, "…"),
    ("👍🏽👍🏽", 3, "👍🏽…"),
  ])
  func aTextIsCutAtTheEndOfACluster(text: String, columns: Int, cut: String) {
    #expect(scalars(truncated(text, toWidth: columns)) == scalars(cut))
  }

  @Test(arguments: [
    ("ab", 4, "ab  "), ("ab", 2, "ab"), ("abc", 2, "abc"), ("漢", 3, "漢 "), ("", 2, "  "),
    ("a", -1, "a"),
  ])
  func aTextIsFilledWithSpaces(text: String, columns: Int, filled: String) {
    #expect(padded(text, toWidth: columns) == filled)
  }

  @Test func anySanitisedTextFitsWhereItIsCut() {
    var random = SeededGenerator(seed: 10)
    for round in 0..<20_000 {
      let text = sanitised(random.bytes(below: 30))
      let columns = Int.random(in: 0...20, using: &random)
      let cut = truncated(text, toWidth: columns)
      let fits = width(text) <= columns
      guard width(cut) <= columns, !fits || columns == 0 || cut == text,
        fits || columns == 0 || text.unicodeScalars.starts(with: cut.unicodeScalars.dropLast()),
        width(padded(cut, toWidth: columns)) == columns
      else {
        Issue.record("round \(round): \(text.unicodeScalars.map(\.value)) to \(columns)")
        return
      }
    }
  }
}
