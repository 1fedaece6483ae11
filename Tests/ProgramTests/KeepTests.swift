import Foundation
import TestSupport
import Testing

/// `[history] keep`: what `memo flush` lets go, and when it looks.
@Suite struct KeepTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox.quiet("[history]\nkeep = 90d\n") }

  /// Puts a note into sent/ that was captured and delivered so many days ago.
  @discardableResult
  private func sent(daysAgo days: Int, flags: String = "S") throws -> String {
    let time = Date(timeIntervalSinceNow: Double(-days * 86400))
    let digits = String(Int(time.timeIntervalSince1970 * 1000), radix: 16)
    let padded = String(repeating: "0", count: 12 - digits.count) + digits
    let id = "\(padded.prefix(8))-\(padded.suffix(4))-7000-8000-00000000000\(days % 10)"
    let host = ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init)
    let path =
      sandbox.path(of: .sent) + "/cur/\(id).\(machine ?? host ?? "localhost"):2,\(flags)"
    try sandbox.write(Array("Message-ID: <\(id)@memo.invalid>\n\nnote \(days)\n".utf8), to: path)
    try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
    return path
  }

  /// The machine's name as a capture writes it.
  private var machine: String? {
    _ = try? sandbox.memo("x")
    guard let file = try? sandbox.files(in: .outbox).first else { return nil }
    try? FileManager.default.removeItem(atPath: file.path)
    return file.path.split(separator: ".").last.map(String.init)
  }

  private func days() throws -> [String] {
    try sandbox.files(in: .sent).map { try String(decoding: $0.bytes(), as: UTF8.self) }
      .compactMap { $0.split(separator: " ").last?.dropLast() }.map(String.init).sorted()
  }

  @Test func anEmptyOutboxIsEnough() throws {
    for days in [0, 1, 2, 80, 95] { try sent(daysAgo: days) }
    try sent(daysAgo: 96, flags: "FS")
    let plan = try sandbox.memoSend("flush", "-n")
    #expect(plan.status == 0)
    #expect(try days().count == 6)
    let result = try sandbox.memoSend("flush")
    #expect([result.output, result.errors] == ["", ""])
    #expect(result.status == 0)
    #expect(try days() == ["0", "1", "2", "80", "96"])
    // Not before tomorrow.
    try sent(daysAgo: 97)
    try sandbox.memoSend("flush")
    #expect(try days().contains("97"))
  }

  @Test func anotherLimitCountsAtOnceAndNeedsNoKey() throws {
    for days in [0, 1, 2, 80] { try sent(daysAgo: days) }
    try sandbox.memoSend("flush")
    #expect(try days().count == 4)
    try FileManager.default.removeItem(atPath: sandbox.home + "/.local/share/memo/identity")
    try sandbox.configure(quietSettings + "[history]\nkeep = 30d\n")
    #expect(try sandbox.memoSend("flush").errors == "")
    #expect(try days() == ["0", "1", "2"])
  }

  @Test func whileANoteWaitsTheOthersGoAllTheSame() throws {
    for days in [0, 1, 2, 200] { try sent(daysAgo: days) }
    try sandbox.memo("it waits for a server")
    try sandbox.memoSend("flush")
    #expect(try days() == ["0", "1", "2"])
    #expect(try sandbox.counts()[0] == 1)
  }
}
