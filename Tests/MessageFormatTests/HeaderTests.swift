@testable import MessageFormat
import Testing

@Suite struct HeaderFieldTests {
  private func field(_ body: String) -> HeaderField {
    HeaderField(name: "X", raw: Array((" " + body).utf8))
  }

  // RFC 2047 §8.
  @Test(arguments: [
    ("(=?ISO-8859-1?Q?a?=)", "(a)"), ("(=?ISO-8859-1?Q?a?= b)", "(a b)"),
    ("(=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?=)", "(ab)"),
    ("(=?ISO-8859-1?Q?a?=  =?ISO-8859-1?Q?b?=)", "(ab)"),
    ("(=?ISO-8859-1?Q?a?=\n    =?ISO-8859-1?Q?b?=)", "(ab)"),
    ("(=?ISO-8859-1?Q?a_b?=)", "(a b)"), ("(=?ISO-8859-1?Q?a?= =?ISO-8859-2?Q?_b?=)", "(a b)"),
    ("=?US-ASCII?Q?Keith_Moore?= <moore@example.org>", "Keith Moore <moore@example.org>"),
    ("=?ISO-8859-1?Q?Keld_J=F8rn_Simonsen?=", "Keld Jørn Simonsen"),
    (
      "=?ISO-8859-1?B?SWYgeW91IGNhbiByZWFkIHRoaXMgeW8=?=\n =?ISO-8859-2?B?dSB1bmRlcnN0YW5kIHRoZSBleGFtcGxlLg==?=",
      "If you can read this you understand the example."
    ),
    // Others: a language, other sets, a character torn in two, what is no encoded-word, C03.
    ("=?utf-8*EN?q?caf=C3=A9?=", "café"), ("=?windows-1252?q?=80=93?=", "€“"),
    ("=?iso-8859-15?q?=A4=BD?=", "€œ"), ("=?utf-8?q?=C3?= =?utf-8?q?=A9?=", "é"),
    (
      "=?utf-8?x?a?= =?utf-8?q?a b?= =??q?a?= =?utf-8?q?a",
      "=?utf-8?x?a?= =?utf-8?q?a b?= =??q?a?= =?utf-8?q?a"
    ),
    ("=?utf-8?q?a=0D=0ABcc:_x=00?=", "a  Bcc: x "), ("=?utf-8?q?=FF?=", "\u{FFFD}"),
    ("raw é", "raw é"),
  ])
  func decodesEncodedWords(body: String, text: String) {
    #expect(field(body).decodedText == text)
  }

  @Test(arguments: [
    ("plain words", "plain words"), ("50% = half", "50% = half"), (" lead", "=?utf-8?q?_lead?="),
    ("Brücke", "=?utf-8?q?Br=C3=BCcke?="), ("漢字", "=?utf-8?b?5ryi5a2X?="),
    ("a =? b", "=?utf-8?q?a_=3D=3F_b?="), ("", ""),
  ])
  func encodesOnlyWhatMustBe(text: String, body: String) {
    let field = HeaderField("Subject", unstructured: text)
    #expect(String(decoding: field.body, as: UTF8.self) == body)
    #expect(field.decodedText == text)
  }

  // Case C05.
  @Test(arguments: [
    String(repeating: "😀", count: 40), String(repeating: "👨‍👩‍👧‍👦", count: 6),
    String(repeating: "äöü ", count: 60) + ".", "e" + String(repeating: "\u{301}", count: 400),
    String(repeating: "https://example.org/", count: 30),
    "a" + String(repeating: " ", count: 300) + "b",
  ])
  func caseC05WordsHoldWholeCharacters(text: String) {
    let field = HeaderField("Subject", unstructured: text)
    var output: [UInt8] = []
    field.write(to: &output)
    #expect(wireLines(output).allSatisfy { $0.count <= 76 })
    for word in field.body.split(separator: 0x20) {
      #expect(word.count <= 75)
      #expect(!EncodedWord.decode(word).contains("\u{FFFD}"))
    }
    #expect(field.decodedText == text)
  }

  @Test func caseC05GraphemesStayTogetherWhereTheyFit() {
    let family = "👨‍👩‍👧‍👦"
    let field = HeaderField("Subject", unstructured: String(repeating: family, count: 6))
    for word in field.body.split(separator: 0x20) {
      let text = EncodedWord.decode(word)
      #expect(text.replacing(family, with: "").isEmpty)
    }
  }

  @Test func noFieldHoldsALineEndOrNUL() {
    for text in [
      "Hi\r\nBcc: evil@example.net", "Hi\nBcc: x", "Hi\rBcc: x", "Hi\0", "\u{85}\u{2028}x",
    ] {
      for field in [
        HeaderField("X", unstructured: text), HeaderField("X", structured: text),
        HeaderField("X\r\nBcc", unstructured: "y"),
      ] {
        var output: [UInt8] = []
        field.write(to: &output)
        #expect(wireLines(output).count == 2)
        #expect(!output.contains(0x0D) && !output.contains(0))
      }
    }
  }

  @Test func longStructuredTextIsFoldedAtBlanks() {
    let text = (0..<30).map { "<\($0)@example.org>" }.joined(separator: " ")
    let field = HeaderField("References", structured: text)
    #expect(wireLines(field.raw).allSatisfy { $0.count <= 76 })
    #expect(String(decoding: field.body, as: UTF8.self) == text)
  }
}

@Suite struct HeaderTests {
  @Test func fieldsAreFoundWhateverTheirCase() {
    var header = Header([
      HeaderField("To", structured: "a"), HeaderField("X", structured: "1"),
      HeaderField("x", structured: "2"),
    ])
    #expect(header.first(named: "TO")?.decodedText == "a")
    #expect(header.all(named: "X").map(\.decodedText) == ["1", "2"])
    header.replace(HeaderField("X", structured: "3"))
    #expect(header.fields.map(\.decodedText) == ["a", "3"])
    header.replace(HeaderField("Y", structured: "4"))
    header.insert(HeaderField("Z", structured: "5"), after: "to")
    header.insert(HeaderField("W", structured: "6"), after: "nobody")
    #expect(header.fields.map(\.name) == ["To", "Z", "X", "Y", "W"])
    header.remove(named: "z")
    #expect(header.first(named: "Z") == nil)
  }
}

@Suite struct ContentTypeTests {
  // RFC 2045 §5.1 and §5.2, RFC 2231 §3, §4 and §4.1, and what programs write besides.
  @Test(arguments: [
    ("text/plain; charset=us-ascii (Plain text)", "charset", "us-ascii"),
    ("text/plain; charset=\"us-ascii\"", "charset", "us-ascii"),
    (
      "Message/External-Body; access-type=URL;\n URL*0=\"ftp://\";\n URL*1=\"example.org/pub/bulk-mailer.tar\"",
      "url", "ftp://example.org/pub/bulk-mailer.tar"
    ),
    (
      "application/x-stuff;\n title*=us-ascii'en-us'This%20is%20%2A%2A%2Afun%2A%2A%2A", "title",
      "This is ***fun***"
    ),
    (
      "application/x-stuff;\n title*0*=us-ascii'en'This%20is%20even%20more%20;\n title*1*=%2A%2A%2Afun%2A%2A%2A%20;\n title*2=\"isn't it!\"",
      "title", "This is even more ***fun*** isn't it!"
    ),
    ("a/b; t*1*=b; t*0*=iso-8859-1''%E4; t=old", "t", "äb"),
    ("a/b; name=my file (1).pdf; x=y", "name", "my file (1).pdf"),
    ("a/b; name=\"=?utf-8?q?caf=C3=A9?=.txt\"", "name", "café.txt"),
    ("a/b; junk; ; =x; name=\"a;\\\"b\"", "name", "a;\"b"), ("a/b; name=\"open", "name", "open"),
    ("a/b; t*1=x; t=whole", "t", "x"),
  ])
  func readsParameters(body: String, name: String, value: String) {
    #expect(ContentType(parsing: body.replacing("\n", with: ""))?[name] == value)
  }

  @Test(arguments: ["", "text", "text/", "/plain", "te xt/plain", "a/b/c", ";"])
  func whatIsNoMediaTypeIsRefused(body: String) {
    #expect(ContentType(parsing: body) == nil)
  }

  @Test(arguments: [
    "short.txt", "with blank.txt", "", "\"q\".txt", "ünï.txt", "=?utf-8?q?x?=.txt", "a;b=c, d",
    String(repeating: "long-", count: 60), String(repeating: "長い", count: 40), "100% 'it' * ~",
  ])
  func everyValueComesBackInShortLines(value: String) {
    var type = ContentType("application/octet-stream")
    type["NAME"] = value
    type["last"] = "1"
    #expect(wireLines(type.field.raw).allSatisfy { $0.count <= 76 })
    #expect(ContentType(parsing: type.field.body) == type)
    type["name"] = nil
    #expect(type.parameters == [Parameter("last", "1")])
  }

  @Test func typesGoByTheEndingOfNames() {
    #expect(ContentType.forFileName("photo.JPG").mediaType == "image/jpeg")
    #expect(ContentType.forFileName("a.b.pdf").mediaType == "application/pdf")
    for name in ["README", "mail.eml", "x.", "", "x.unheard-of"] {
      #expect(ContentType.forFileName(name).mediaType == "application/octet-stream")
    }
    let type = ContentType("Text/HTML")
    #expect(type.type == "text" && type.subtype == "html")
  }
}
