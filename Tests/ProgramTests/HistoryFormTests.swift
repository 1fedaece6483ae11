import Foundation
import TestSupport
import Testing

/// What lies in the history is readable by anybody's tools and the owner's key, and by nothing else.
@Suite struct HistoryFormTests {
  /// A note and the files that go with it.
  private struct Given {
    let text: String
    let files: [(name: String, content: [UInt8])]
  }

  /// How many notes there are; `MEMO_HISTORY_NOTES` asks for others, such as 500.
  private static var count: Int {
    ProcessInfo.processInfo.environment["MEMO_HISTORY_NOTES"].flatMap { Int($0) } ?? 25
  }

  /// With gpg(1) and Python's own reader of mail as the only tools; those that are sealed are read with
  /// openssl(1) elsewhere.
  @Test(arguments: ["", "[history]\nprotection = none\n"])
  func stockToolsAloneRecoverEveryNote(settings: String) throws {
    let scene = try OpenPGPScene()
    try scene.configure(try scene.keyring.makeKey(), settings)
    var random = SeededGenerator(seed: 500)
    var given: [String: Given] = [:]
    for _ in 0..<Self.count {
      let note = try makeNote(&random, in: scene.sandbox)
      let attached = note.files.flatMap { ["-a", scene.sandbox.root + "/given/" + $0.name] }
      let result = try run(
        Programs.memo, ["-v"] + attached + ["-"], stdin: Array(note.text.utf8),
        environment: scene.sandbox.environment)
      given[lines(result.output).first ?? ""] = note
    }
    #expect(try scene.flush().status == 0)
    let files = try scene.sandbox.files(in: .sent)
    try #require(files.count == Self.count && given.count == Self.count)
    let inside = try files.map { file in
      try settings.isEmpty ? scene.keyring.decrypt(try file.bytes()) : try file.bytes()
    }
    for (file, mail) in zip(files, try ParsedMail.parse(inside)) {
      let note = try #require(given[file.identifier])
      // A message always has a last line end.
      #expect(mail.text == note.text + (note.text.hasSuffix("\n") ? "" : "\n"))
      #expect(mail.names == note.files.map(\.name))
      #expect(mail.attachments.indices.map(mail.content) == note.files.map(\.content))
      #expect(mail.messageID.contains(file.identifier) && mail.defects == [])
    }
  }

  private func makeNote(_ random: inout SeededGenerator, in sandbox: Sandbox) throws -> Given {
    let letters = Array("abc ÄÖß漢字😀\n\t.=-\"")
    let length = Int.random(in: 0..<400, using: &random)
    let text =
      "x" + (0..<length).map { _ in String(letters.randomElement(using: &random) ?? " ") }.joined()
    var files: [(name: String, content: [UInt8])] = []
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let name = "ä \(random.next()).bin"
      let content = random.bytes(Int.random(in: 0..<3000, using: &random))
      try sandbox.write(content, to: sandbox.root + "/given/" + name)
      files.append((name, content))
    }
    return Given(text: text, files: files)
  }

  // MARK: - Damage

  /// Which octets are changed: every thirteenth, or all where `MEMO_EVERY_OCTET` is set.
  private static var step: Int {
    ProcessInfo.processInfo.environment["MEMO_EVERY_OCTET"] == nil ? 13 : 1
  }

  /// Where the file is only the envelope, and where what it protects begins and ends.
  private func protected(_ whole: [UInt8], _ isSealed: Bool) throws -> Range<Int> {
    let text = String(decoding: whole, as: UTF8.self)
    func offset(_ index: String.Index) -> Int {
      text.utf8.distance(from: text.startIndex, to: index)
    }
    guard !isSealed else {
      return offset(try #require(text.range(of: "\n\n")).upperBound)..<whole.count - 1
    }
    let start = try #require(text.range(of: "-----BEGIN PGP MESSAGE-----\n\n")).upperBound
    // The checksum of the armor protects from nothing, RFC 9580 §6.1: it is left out.
    return offset(
      start)..<offset(try #require(text.range(of: "\n=", options: .backwards)).lowerBound)
  }

  /// What the base64 in a part of a file stands for.
  private func octets(_ file: [UInt8], _ range: Range<Int>) -> Data? {
    Data(base64Encoded: Data(file[range]), options: .ignoreUnknownCharacters)
  }

  /// One flipped bit shows no text; where only what stands around the text is changed it may, as it was.
  @Test(arguments: ["pgp", "sealed"]) func aFlippedBitShowsNoText(form: String) throws {
    let scene = try OpenPGPScene()
    try scene.configure(
      try scene.keyring.makeKey(), "[history]\nprotection = \(form)\ncache = no\n")
    try scene.sandbox.memo("CANARY buy milk")
    #expect(try scene.flush().status == 0)
    let file = try scene.sent()
    let whole = try file.bytes()
    let inside = try protected(whole, form == "sealed")
    let environment = scene.keyring.environment
    var shown: [Int] = []
    for position in stride(from: 0, to: whole.count, by: Self.step) {
      var changed = whole
      changed[position] ^= 1 << (position / Self.step % 8)
      try scene.sandbox.write(changed, to: file.path)
      let result = try scene.sandbox.memo("show", environment: environment)
      guard octets(changed, inside) != octets(whole, inside) else {
        #expect(!result.output.contains("CANARY") || result.output == "CANARY buy milk\n")
        continue
      }
      if result.status != 66 || !result.stdout.isEmpty { shown.append(position) }
    }
    #expect(
      shown == [], "\(shown.map { String(decoding: whole[max(0, $0 - 8)...$0], as: UTF8.self) })")
  }
}
