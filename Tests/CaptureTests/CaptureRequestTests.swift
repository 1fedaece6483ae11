import TestSupport
import Testing

@testable import Capture

/// The octets of a text.
func octets(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite struct CaptureRequestTests {
  private func parse(_ arguments: [String]) throws(UsageError) -> CaptureRequest {
    try CaptureRequest(parsing: arguments.map { Array($0.utf8) })
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let arguments: [String]
    let request: CaptureRequest
    var testDescription: String { arguments.joined(separator: " ") }

    init(
      _ arguments: [String], _ words: String? = nil,
      _ set: (inout CaptureRequest) -> Void = { _ in }
    ) {
      self.arguments = arguments
      var request = CaptureRequest()
      request.words = words.map(octets)
      set(&request)
      self.request = request
    }
  }

  // DESIGN §8.
  static let cases = [
    Case([]),
    Case(["buy", "milk"], "buy milk"),
    Case(["buy milk"], "buy milk"),
    Case([""], ""),
    Case(["a", "", "b"], "a  b"),
    Case(["tar", "-xf", "x"], "tar -xf x"),
    Case(["x", "--version"], "x --version"),
    Case(["x", "--", "y"], "x -- y"),
    Case(["--"]),
    Case(["--", "-v"], "-v"),
    Case(["--", "--"], "--"),
    Case(["--", "flush", "the", "tank"], "flush the tank"),
    Case(["--", "-"], "-"),
    Case(["-"]) { $0.readsInput = true },
    Case(["a", "-"], "a") { $0.readsInput = true },
    Case(["a", "-", "b"], "a - b"),
    Case(["-", "a"], "- a"),
    Case(["-", "-"], "-") { $0.readsInput = true },
    Case(["-v", "-"]) {
      $0.isVerbose = true
      $0.readsInput = true
    },
    Case(["-v", "x"], "x") { $0.isVerbose = true },
    Case(["--verbose", "x"], "x") { $0.isVerbose = true },
    Case(["-n", "x"], "x") { $0.isDryRun = true },
    Case(["-vn", "x"], "x") {
      $0.isVerbose = true
      $0.isDryRun = true
    },
    Case(["-e"]) { $0.edits = true },
    Case(["--editor", "--dry-run", "--stay"]) {
      $0.edits = true
      $0.isDryRun = true
      $0.stays = true
    },
    Case(["-s", "TEXT", "x"], "x") { $0.subject = "TEXT" },
    Case(["-sTEXT", "x"], "x") { $0.subject = "TEXT" },
    Case(["-s=TEXT", "x"], "x") { $0.subject = "=TEXT" },
    Case(["--subject", "TEXT", "x"], "x") { $0.subject = "TEXT" },
    Case(["--subject=TEXT", "x"], "x") { $0.subject = "TEXT" },
    Case(["--subject=a=b"]) { $0.subject = "a=b" },
    Case(["--subject="]) { $0.subject = "" },
    Case(["-s", ""]) { $0.subject = "" },
    Case(["-s", "-v"]) { $0.subject = "-v" },
    Case(["-s", "--", "x"], "x") { $0.subject = "--" },
    Case(["-s", "one", "-s", "two"]) { $0.subject = "two" },
    Case(["-vsTEXT"]) {
      $0.isVerbose = true
      $0.subject = "TEXT"
    },
    Case(["-vs", "TEXT"]) {
      $0.isVerbose = true
      $0.subject = "TEXT"
    },
    Case(["-sv", "x"], "x") { $0.subject = "v" },
    Case(["-s€"]) { $0.subject = "€" },
    Case(["-a", "f", "-ag", "--attach=h", "--attach", "i"]) {
      $0.attachments = ["f", "g", "h", "i"]
    },
    Case(["-A", "work", "x"], "x") { $0.account = "work" },
    Case(["--account=work"]) { $0.account = "work" },
  ]

  @Test(arguments: cases) func argumentsAreRead(_ fixture: Case) throws {
    #expect(try parse(fixture.arguments) == fixture.request)
  }

  @Test(
    arguments: [
      (["-x"], .unknownOption("-x")), (["--nothing"], .unknownOption("--nothing")),
      (["--verb"], .unknownOption("--verb")), (["--nothing=x"], .unknownOption("--nothing")),
      (["-é"], .unknownOption("-é")), (["-vx", "word"], .unknownOption("-x")),
      (["-v-"], .unknownOption("--")), (["-v=1"], .unknownOption("-=")),
      (["--=x"], .unknownOption("--")), (["-1"], .unknownOption("-1")),
      (["-S", "x"], .unknownOption("-S")),
      (["-s"], .missingValue("-s")), (["--subject"], .missingValue("--subject")),
      (["-va"], .missingValue("-a")), (["x", "-a"], nil),
      (["--verbose=yes"], .unexpectedValue("--verbose")),
      (["--stay="], .unexpectedValue("--stay")),
      (["-s", "a\0b"], .badValue("-s")),
    ] as [([String], UsageError?)])
  func whatIsNotUnderstoodIsNamed(arguments: [String], error: UsageError?) {
    var thrown: UsageError?
    do throws(UsageError) { _ = try parse(arguments) } catch { thrown = error }
    #expect(thrown == error)
  }

  @Test func wordsNeedNotBeUTF8ButValuesDo() throws {
    let bad: [UInt8] = [0x66, 0xFF, 0x00]
    #expect(try CaptureRequest(parsing: [bad]).words == bad)
    #expect(throws: UsageError.badValue("-A")) {
      _ = try CaptureRequest(parsing: [octets("-A"), bad])
    }
    #expect(throws: UsageError.unknownOption("-\u{FFFD}")) {
      _ = try CaptureRequest(parsing: [[0x2D, 0xFF]])
    }
  }

  @Test func aVeryLongGroupOfLettersIsRead() throws {
    let group = "-" + String(repeating: "v", count: 100_000)
    #expect(try parse([group, "x"]).isVerbose)
  }

  // RELIABILITY row 12.
  @Test func anyArgumentsAreReadOrRefused() throws {
    var random = SeededGenerator(seed: 8)
    let pieces = ["-", "--", "=", "v", "s", "a", "subject", "é", " ", "\n", "x"].map(octets)
    var read = 0
    for _ in 0..<20_000 {
      let arguments = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        random.mutation(of: octets("-v"), with: pieces)
      }
      guard let request = try? CaptureRequest(parsing: arguments) else { continue }
      read += 1
      // What comes after `--` is a note as it stands.
      let plain = try CaptureRequest(parsing: [octets("--")] + arguments)
      #expect(plain.words?.count ?? 0 >= request.words?.count ?? 0)
      #expect(!plain.readsInput && !plain.isVerbose)
    }
    #expect(read > 2_000)
  }
}

@Suite struct NoteSourceTests {
  @Test(
    arguments: [
      ("", true), (" \t\r\n", true), ("\u{A0}\u{2003}\u{3000}\u{2028}\u{85}", true),
      ("a", false), ("\n\n.\n", false), ("é", false), ("\0", false), ("\u{200B}", false),
      ("\u{1B}", false),
    ])
  func aTextOfNothingButWhiteSpaceIsBlank(text: String, isBlank: Bool) {
    #expect(NoteSource.isBlank(octets(text)) == isBlank)
  }

  @Test func bytesThatAreNoTextAreNotBlank() {
    #expect(!NoteSource.isBlank([0xFF]))
    #expect(!NoteSource.isBlank([0x20, 0xC3]))
  }

  @Test(
    arguments: [
      (nil, nil, ""), ("a", nil, "a"), (nil, "b\n", "b\n"), ("a", "b\n", "a\nb\n"), ("a", "", "a"),
      ("", "b", "\nb"), (nil, "", ""),
    ] as [(String?, String?, String)])
  func theInputFollowsTheWordsOnALineOfItsOwn(words: String?, input: String?, text: String) {
    #expect(
      NoteSource.joined(words: words.map(octets), input: input.map(octets)) == octets(text))
  }
}
