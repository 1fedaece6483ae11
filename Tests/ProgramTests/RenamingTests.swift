import Foundation
import TestSupport
import Testing

/// RELIABILITY row 17: a mail client at work on the same folders.
@Suite struct RenamingTests {
  /// Moves each file between new and cur and changes its flags, again and again.
  private static let client = """
    import os, random, sys
    random.seed(17)
    top = sys.argv[1]
    while True:
        for part in ("new", "cur"):
            for name in os.listdir(f"{top}/{part}"):
                base = name.split(":")[0]
                flags = "".join(sorted(random.sample("FRS", random.randrange(4))))
                target = f"cur/{base}:2,{flags}" if random.random() < 0.8 else f"new/{base}"
                try:
                    os.rename(f"{top}/{part}/{name}", f"{top}/{target}")
                except FileNotFoundError:
                    pass
    """

  /// `MEMO_ROUNDS` sets how many there are.
  private static let rounds =
    ProcessInfo.processInfo.environment["MEMO_ROUNDS"].flatMap { Int($0) } ?? 40

  @Test(.timeLimit(.minutes(30))) func noNoteIsTakenForAnotherAndNoneIsMissed() throws {
    let sandbox = try Sandbox.quiet()
    var notes: [(id: String, text: String)] = []
    for number in 0..<12 {
      notes.append(
        (
          lines(try sandbox.memo("-v", "note \(number) of them").output)[0],
          "note \(number) of them\n"
        ))
    }
    let sent = sandbox.path(of: .sent)
    for note in notes {
      let file = try #require(try sandbox.files(in: .outbox).first { $0.identifier == note.id })
      try sandbox.write(try file.bytes(), to: "\(sent)/cur/\(file.name):2,S")
      try FileManager.default.removeItem(atPath: file.path)
    }
    for file in try sandbox.files(in: .sent) { try sandbox.age(file, by: 100) }
    // It makes the folders that a capture alone does not need: the client wants them all.
    #expect(try sandbox.memo("log").status == 0)
    let client = try RunningProgram("/usr/bin/python3", ["-c", Self.client, sent], in: sandbox)
    for round in 0..<Self.rounds {
      let note = notes[round % notes.count]
      let shown = try sandbox.memo("show", note.id)
      #expect(shown.status == 0 && shown.output == note.text && shown.errors == "")
      let found = try sandbox.memo("search", "note \(round % notes.count) of")
      #expect(found.errors == "")
      #expect(lines(found.output).allSatisfy { $0.contains("note \(round % notes.count) of them") })
      let log = try sandbox.memo("log")
      #expect(log.status == 0 && log.errors == "")
      #expect(lines(log.output).allSatisfy { $0.contains(" of them") })
      let resent = try sandbox.memo("resend", note.id)
      #expect(resent.status == 0 && resent.errors == "", "\(resent.errors)")
      let waiting = try sandbox.theOneWaiting()
      #expect(waiting.note == note.text.replacing("\n", with: ""))
      try sandbox.files(in: .outbox).forEach { try FileManager.default.removeItem(atPath: $0.path) }
    }
    #expect(client.isRunning, "\(client.errors)")
  }
}
