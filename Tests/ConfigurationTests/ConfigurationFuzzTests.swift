import TestSupport
import Testing

@testable import Configuration

// RELIABILITY row 12.
@Suite struct ConfigurationFuzzTests {
  /// Files to begin with.
  private static let seeds = [
    """
    # settings
    [account]
    from = Jane Doe <me@example.org>
    server = smtps://[2001:db8::1]:465
    ehlo = [IPv6:::1]
    """,
    """
    [account work]
    server = smtp://mail.example.org:587
    password-file = ~/.password
    limit = 20/1h
    [history]
    keep = 365d
    """,
    """
    [delivery]
    pace = 0.8s-1.5s
    reply-timeout = 600s
    max-size = 25M
    [gpg]
    key = 0123456789ABCDEF0123456789ABCDEF01234567
    """,
  ].map { Array($0.utf8) }

  /// Pieces that mean something to the parser.
  private static let pieces: [[UInt8]] =
    [
      "[", "]", "=", "\n", "\r", "\r\n", " ", "\t", "#", ";", "\0", "é", "\u{FEFF}", ":", "::", "-",
      ".", "99999999999999999999", "[account x]\n", "to = x\n", "~/", "s",
    ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0, 0x80]]

  @Test func noBytesTrapAndWhatIsTakenHoldsNoControl() {
    var random = SeededGenerator(seed: 8)
    var taken = 0
    for round in 0..<20_000 {
      let bytes = random.mutation(of: Self.seeds[round % 3], with: Self.pieces)
      guard let file = try? parsed(bytes).get() else { continue }
      let entries = file.sections.flatMap(\.entries)
      let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
      guard entries.allSatisfy({ isSound($0, lines: lines) }) else {
        Issue.record("round \(round): \(String(decoding: bytes, as: UTF8.self))")
        return
      }
      if let settings = try? Settings(file, home: "/home/me") {
        taken += 1
        #expect(settings.accounts.count == file.sections.count { $0.kind == .account })
      }
    }
    // Enough rounds reach the values.
    #expect(taken > 500)
  }

  @Test func anyFileIsReadBackFromItsEntries() throws {
    var random = SeededGenerator(seed: 9)
    for round in 0..<2_000 {
      let bytes = random.mutation(of: Self.seeds[round % 3], with: Self.pieces)
      guard let file = try? parsed(bytes).get() else { continue }
      let again = try parsed(rewritten(file)).get()
      #expect(again.sections.map(\.account) == file.sections.map(\.account))
      #expect(
        again.sections.flatMap(\.entries).map(\.value)
          == file.sections.flatMap(\.entries).map(\.value))
    }
  }

  private func isSound(_ entry: ConfigurationFile.Entry, lines: Int) -> Bool {
    let value = entry.value.utf8
    return !value.isEmpty && (1...lines).contains(entry.line)
      && value.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
      && ![0x20, 0x09].contains(value.first) && ![0x20, 0x09].contains(value.last)
  }

  private func rewritten(_ file: ConfigurationFile) -> String {
    file.sections.map { section in
      let name = section.account.map { " " + $0 } ?? ""
      return "[\(section.kind.rawValue)\(name)]\n"
        + section.entries.map { "\($0.key.name)=\($0.value)\n" }.joined()
    }.joined()
  }
}
