import TestSupport
import Testing

@testable import Configuration

/// The file as the parser reads it, or the line and fault it stops at.
func parsed(_ text: String) -> Result<ConfigurationFile, LineFault> {
  parsed(Array(text.utf8))
}

func parsed(_ bytes: [UInt8]) -> Result<ConfigurationFile, LineFault> {
  do throws(ConfigurationError) {
    return .success(try ConfigurationFile(parsing: bytes, name: "config"))
  } catch {
    return .failure(LineFault(error))
  }
}

/// A fault and its line, without the file's name.
struct LineFault: Error, Equatable {
  let line: Int
  let fault: ConfigurationFault?

  init(_ line: Int, _ fault: ConfigurationFault?) {
    self.line = line
    self.fault = fault
  }

  init(_ error: ConfigurationError) {
    if case .invalid(file: "config", let line, let fault) = error {
      self.init(line, fault)
    } else {
      self.init(0, nil)
    }
  }
}

@Suite struct ConfigurationFileTests {
  // DESIGN §8.
  static let sample = """
    [account]
    from = Jane Doe <me@example.org>
    to = me@example.org
    server = smtps://mail.example.org
    user = me@example.org
    password-command = secret-tool lookup service memo

    """

  @Test func theSampleIsRead() throws {
    let file = try parsed(Self.sample).get()
    #expect(file.sections.map(\.kind) == [.account])
    #expect(file.sections[0].account == nil)
    #expect(
      file.sections[0].entries.map(\.key) == [
        .account(.from), .account(.to), .account(.server), .account(.user),
        .account(.passwordCommand),
      ])
    #expect(file.sections[0].entries.map(\.line) == [2, 3, 4, 5, 6])
    #expect(file.sections[0].entries.last?.value == "secret-tool lookup service memo")
  }

  @Test(arguments: ["", "\n", "\r\n", "\u{FEFF}", "# x", " \t; x\n", "#[account", "\n\n\n"])
  func aFileMaySayNothing(text: String) throws {
    #expect(try parsed(text).get().sections == [])
  }

  @Test func accountsHaveNames() throws {
    let file = try parsed("[account]\n[account work]\n[ account \t a.b@c+d-e_f ]\n").get()
    #expect(file.sections.map(\.account) == [nil, "work", "a.b@c+d-e_f"])
  }

  // C21: nothing of a value is syntax.
  @Test(arguments: [
    #"pass show mail/x # no; comment"#, #"printf '%s' "a;b" | sed 's/\\/x/'"#, #"'quoted'"#,
    #""quoted""#,
    #"a = b == c"#, #"[x]"#, #"trailing\"#, "inner  blanks\tand tabs", "pä#\"s\\s $x", "§6Xc%", "=",
    "# value", "${HOME} %h", "\u{2028}漢😀",
  ])
  func valuesAreTakenVerbatim(value: String) throws {
    for line in [
      "user = \(value)", "user=\(value)", "\t user \t=\t \(value) \t ", "user = \(value)\r",
    ] {
      let file = try parsed("[account]\n\(line)\n").get()
      #expect(file.sections[0].entries.map(\.value) == [value])
    }
  }

  @Test func aLongValueIsWhole() throws {
    let value = String(repeating: "a", count: 1_000_000)
    #expect(try parsed("[account]\nfrom = \(value)").get().sections[0].entries[0].value == value)
  }

  @Test func anIndentedLineIsNoContinuation() {
    #expect(parsed("[account]\nuser = a\n  b\n") == .failure(LineFault(3, .missingEquals)))
  }

  @Test func lineEndsOfOtherSystemsAndBOMAreTolerated() throws {
    let crlf = "\u{FEFF}" + Self.sample.split(separator: "\n").joined(separator: "\r\n")
    #expect(try parsed(crlf).get() == parsed(Self.sample).get())
  }

  static let faulty: [(String, Int, ConfigurationFault)] = [
    ("from = x", 1, .keyBeforeSection("from")),
    ("\n# c\n  to=x", 3, .keyBeforeSection("to")),
    ("[account", 1, .unclosedSection),
    ("[account] # c", 1, .textAfterSection),
    ("[account]]", 1, .textAfterSection),
    ("[acount]", 1, .unknownSection("acount", nearest: .account)),
    ("[Account]", 1, .unknownSection("Account", nearest: .account)),
    ("[smtp]", 1, .unknownSection("smtp", nearest: nil)),
    ("[]", 1, .unknownSection("", nearest: nil)),
    ("[account a/b]", 1, .invalidAccountName("a/b")),
    ("[account ..]", 1, .invalidAccountName("..")),
    ("[account a b]", 1, .invalidAccountName("a b")),
    ("[account mü]", 1, .invalidAccountName("mü")),
    ("[delivery x]", 1, .sectionTakesNoName(.delivery)),
    (
      "[account]\n[gpg]\n[account]", 3, .repeatedSection(.account, account: nil, firstLine: 1)
    ),
    (
      "[account a]\n[account  a]", 2, .repeatedSection(.account, account: "a", firstLine: 1)
    ),
    ("[account]\nfrom", 2, .missingEquals),
    ("[account]\n = x", 2, .missingKey),
    ("[account]\nfrom =", 2, .emptyValue(.account(.from))),
    ("[account]\nfrom = \t \r\n", 2, .emptyValue(.account(.from))),
    ("[account]\nto = a\nto = a", 3, .repeatedKey(.account(.to), firstLine: 2)),
    (
      "[account]\npasword-comand = x", 2,
      .unknownKey("pasword-comand", in: .account, nearest: .account(.passwordCommand))
    ),
    (
      "[account]\npassword = x", 2,
      .unknownKey("password", in: .account, nearest: .account(.passwordFile))
    ),
    ("[account]\nFrom = x", 2, .unknownKey("From", in: .account, nearest: .account(.from))),
    ("[account]\nform = x", 2, .unknownKey("form", in: .account, nearest: .account(.from))),
    ("[account]\npace = off", 2, .unknownKey("pace", in: .account, nearest: .delivery(.pace))),
    ("[gpg]\nto = x", 2, .unknownKey("to", in: .gpg, nearest: .account(.to))),
    ("[account]\nsmtp-host = x", 2, .unknownKey("smtp-host", in: .account, nearest: nil)),
    ("[account]\nuser = a\rb", 2, .controlCharacter),
    ("[account]\nuser = a\0", 2, .controlCharacter),
    ("[account]\nuser = \u{1B}[2J", 2, .controlCharacter),
    ("[account]\nuser = \u{7F}x", 2, .controlCharacter),
    ("[account]\nus\u{8}er = x", 2, .controlCharacter),
  ]

  @Test(arguments: faulty)
  func aFaultyLineIsNamed(text: String, line: Int, fault: ConfigurationFault) {
    #expect(parsed(text) == .failure(LineFault(line, fault)))
  }

  @Test(
    arguments: [
      ([0x5B, 0xFF, 0x5D], 1),
      (Array("[account]\nuser = ".utf8) + [0xFC, 0x0A], 2),  // Latin-1
      ([0xFF, 0xFE, 0x5B, 0x00], 1),  // UTF-16
      (Array("[account]\nus".utf8) + [0xC0, 0xBD], 2),  // an overlong =
    ] as [([UInt8], Int)])
  func whatIsNotUTF8IsRefused(bytes: [UInt8], line: Int) {
    #expect(parsed(bytes) == .failure(LineFault(line, .notUTF8)))
  }

  @Test func aCommentMayBeAnything() throws {
    let bytes = Array("[account]\n# M".utf8) + [0xFC, 0x00, 0x1B, 0x0A] + Array("to = a".utf8)
    #expect(try parsed(bytes).get().sections[0].entries.map(\.line) == [3])
  }

  @Test func anyNumberOfAccountsIsRead() throws {
    let text = (0..<500).map { "[account a\($0)]\n" }.joined()
    #expect(try parsed(text).get().sections.count == 500)
  }
}

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("", "", 0), ("abc", "abc", 0), ("", "abc", 3), ("abc", "", 3), ("form", "from", 1),
    ("kitten", "sitting", 3), ("ca", "abc", 3), ("a", "b", 1), ("pasword", "password", 1),
  ])
  func editsAreCounted(left: String, right: String, edits: Int) {
    #expect(editDistance(Array(left.utf8), Array(right.utf8)) == edits)
    #expect(editDistance(Array(right.utf8), Array(left.utf8)) == edits)
  }

  @Test func everyKeyIsFoundByItsNameAndWithOneLetterMissing() {
    for section in SectionKind.allCases {
      for key in Key.all(in: section) {
        #expect(Key(key.name, in: section) == key)
        #expect(key.section == section)
        guard key.name.count > 4 else { continue }
        let misspelt = String(key.name.dropFirst())
        #expect(nearest(to: misspelt, among: Key.all(in: section), named: \.name) == key)
      }
    }
  }

  // DESIGN §8, word for word.
  @Test(arguments: [
    (
      SectionKind.account,
      "from to to-verified server user password-command password-file token-command auth ca-file "
        + "fingerprint ehlo limit imap"
    ),
    (.delivery, "after-capture pace reply-timeout give-up hosts max-size"),
    (.identity, "passphrase-command key"), (.gpg, "key wire sign"),
    (.history, "protection cache keep"),
    (.composer, "stay animation sound announce cover share"),
  ])
  func theKeysAreThoseOfTheDesign(section: SectionKind, names: String) {
    #expect(
      Set(Key.all(in: section).map(\.name)) == Set(names.split(separator: " ").map(String.init)))
  }
}
