import TestSupport
import Testing

@testable import Characters

@Suite struct FoldingTests {
  @Test(
    arguments: [
      ("", ""), ("Buy MILK 2!", "buy milk 2!"), ("Grüße", "grusse"), ("GRÜSSE", "grusse"),
      ("STRASSE ẞ", "strasse ss"), ("naïve", "naive"), ("nai\u{308}ve", "naive"),
      ("Łódź", "lodz"), ("smørrebrød Ǿ", "smorrebrod o"), ("Đặng", "dang"), ("ðþÞ", "dthth"),
      ("Æsop œuvre ǽ", "aesop oeuvre ae"), ("ħŧ", "ht"),
      // Turkish: dotted and dotless, capital and small, are one letter here.
      ("İstanbul ISPARTA ısı", "istanbul isparta isi"), ("i\u{307}", "i"),
      ("Ἀθῆναι ΣΊΣΥΦΟΣ σίσυφος", "αθηναι σισυφοσ σισυφοσ"), ("Ёлка й", "елка и"),
      ("ﬁn ＡＢＣ x² \u{A0}…", "fin abc x2  ..."), ("soft\u{AD}hyphen z\u{200D}w", "softhyphen zw"),
      // Hangul stays in syllables, however it is typed.
      ("각", "각"), ("\u{1100}\u{1161}\u{11A8}", "각"), ("가\u{11A8}", "각"),
      // Voice in Japanese makes another letter, in either form.
      ("が", "が"), ("か\u{3099}", "が"), ("ｶﾞ", "ガ"),
      // Indic vowel signs and the virama stay, the nukta goes.
      ("कि क्ष क\u{93C}", "कि क्ष क"), ("שָׁלוֹם", "שלום"), ("مُحَمَّد", "محمد"),
      ("e\u{301}\u{323}\u{20DD}x", "e\u{20DD}x"), ("\u{301}", ""), ("漢字 😀👩‍👩‍👧", "漢字 😀👩👩👧"),
    ])
  func aTextIsFolded(text: String, folded expected: String) {
    let result = String(decoding: folded(text), as: UTF8.self)
    #expect(Array(result.unicodeScalars) == Array(expected.unicodeScalars), "\(result)")
    // Once is enough.
    #expect(folded(result) == Array(expected.utf8))
  }

  @Test(
    arguments: [
      ([0xFF], "\u{FFFD}"), ([0x41, 0xC3], "a\u{FFFD}"), ([0xC3, 0x28], "\u{FFFD}("),
      ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"), ([0xC0, 0x80], "\u{FFFD}\u{FFFD}"),
      ([0x00, 0x1B], "\u{0}\u{1B}"),
    ] as [([UInt8], String)])
  func whatIsNoTextIsReplaced(octets: [UInt8], expected: String) {
    let result = folded(octets.span)
    #expect(result == Array(expected.utf8))
  }

  @Test func everyScalarFoldsToText() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let result = folded(String(scalar))
      #expect(String(validating: result, as: UTF8.self) != nil, "U+\(String(value, radix: 16))")
      #expect(!result.contains { (0x41...0x5A).contains($0) }, "U+\(String(value, radix: 16))")
    }
  }

  @Test func noOctetsMakeItTrapOrLeaveUTF8() {
    var random = SeededGenerator(seed: 11)
    let pieces = ["é", "\u{301}", "가", "\u{11A8}", "か\u{3099}", "ﷺ", "ß", "A", "\u{1F469}\u{200D}"]
      .map { Array($0.utf8) }
    for _ in 0..<20_000 {
      let octets = random.mutation(
        of: random.bytes(Int.random(in: 0...40, using: &random)), with: pieces)
      let result = folded(octets.span)
      #expect(String(validating: result, as: UTF8.self) != nil, "\(octets)")
    }
  }

  @Test func aLongRunIsFoldedAsAShortOne() {
    for text in ["漢", "\u{1100}\u{1161}\u{11A8}", "か\u{3099}", "é", "ł"] {
      let expected = Array(repeating: folded(text), count: 5000).flatMap { $0 }
      #expect(folded(String(repeating: text, count: 5000)) == expected)
    }
    // A heap of marks on nothing.
    #expect(folded(String(repeating: "\u{301}", count: 100_000)) == [])
  }

  private func areAll(_ words: [String], in text: String) -> Bool {
    FoldedWords(words)?.areAll(in: Array(text.utf8).span) ?? false
  }

  @Test func allWordsHaveToBeThere() {
    func finds(_ words: String...) -> Bool {
      areAll(words, in: "Zürich, den 3. Mai\nKäse und Brot 각")
    }
    #expect(finds("zurich"))
    #expect(finds("ZÜRICH", "kase", "brot"))
    #expect(finds("se und b"))
    #expect(finds("각"))
    #expect(!finds("가"))
    #expect(!finds("zurich", "wein"))
    #expect(!finds("brott"))
    #expect(!finds("kase  und"))
    #expect(FoldedWords([]) == nil)
    #expect(FoldedWords([""]) == nil)
    #expect(FoldedWords(["milk", "\u{301}\u{200B}"]) == nil)
  }

  @Test func aWordIsFoundAtEitherEndAndAfterHalfOfIt() {
    for text in ["aab", "aaab", "xaab", "aabx", "aaaaaab"] {
      #expect(areAll(["aab"], in: text), "\(text)")
    }
    for text in ["", "a", "aa", "aaa", "aba"] {
      #expect(!areAll(["aab"], in: text), "\(text)")
    }
  }
}
