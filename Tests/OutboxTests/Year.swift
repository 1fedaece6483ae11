import Foundation
import MessageFormat
import MessageStore
import Outbox
import Posix
import Sealing
import TestSupport

// Design: nobody can kill a part of a process. A killed sender is one whose note is out of its
// reach from that point on, so that nothing it still does changes the note; then the note lies
// where it lay, and a new sender begins.

/// A year of captures and of a sender that is started every minute in which something is due.
final class Year {
  let time = YearTime()
  private(set) var ledger = YearLedger()
  private(set) var runs = 0
  private(set) var kills = 0

  private let root: String
  private let recipient: Recipient
  private let accounts: [Sender.Account]
  private var servers: [YearServer]
  private var random: SeededGenerator
  private var notesLeft: Int
  private var nextCapture: Int64 = 0
  private var nextRun: Int64 = .max
  private var nextJump: Int64 = YearPlan.jumpEvery
  private var nextArchive: Int64 = YearPlan.archiveEvery
  private let meanInterval: Int64
  /// Where a killed sender's note lies, out of its reach, and where it belongs.
  private var hidden: (String, String)?
  private var isKilled = false
  private var isSending = false

  /// A year with so many notes, in a folder that is removed afterwards.
  init(notes: Int, seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    servers = [YearServer(seed: seed + 1), YearServer(seed: seed + 2)]
    notesLeft = notes
    meanInterval = YearPlan.length / Int64(notes)
    let me = try Mailbox(displayName: "Jane Doe", address: "me@example.org")
    accounts = [nil, "work"].map { name in
      Sender.Account(name: name, isDefault: name == nil, from: me, to: me)
    }
    root = try YearPlan.makeFolder()
    recipient = try IdentityFolder(root + "/identity").recipient(
      keyIsElsewhere: false, now: time.clock.seconds, random: .system)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }
}

/// The sizes of a year, in seconds.
enum YearPlan {
  static let length: Int64 = 365 * 86400
  /// By then everything has its end: 5 days of waits, and what holds and clocks add.
  static let end: Int64 = length + 30 * 86400
  static let jumpEvery: Int64 = 19 * 86400
  static let archiveEvery: Int64 = 5 * 86400

  /// A folder in memory, where there is one: a year holds very many fsyncs.
  static func makeFolder() throws -> String {
    let memory = "/dev/shm"
    let base =
      FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    let folder = base + "/memo-year-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: folder + "/aside", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    return folder
  }
}

// MARK: - The course of the year

extension Year {
  /// Lets the year pass, and a month more in which the server is good.
  func pass() throws {
    while let event = nextEvent() {
      time.pass(until: event)
      if event >= nextCapture { try capture() }
      if event >= nextJump { setClock() }
      if event >= nextArchive { try archive() }
      if event >= nextRun { try run() }
    }
    try archive()
    if try hasWaitingNotes() { ledger.violate("notes wait after the year's end") }
    ledger.close()
  }

  private var isCalm: Bool { time.seconds > YearPlan.length }

  private func nextEvent() -> Int64? {
    // A sender that gets nowhere would be started for ever.
    guard ledger.violations.count < YearLedger.mostViolations else { return nil }
    let next = min(nextCapture, nextRun, nextJump, nextArchive)
    return next <= YearPlan.end ? next : nil
  }

  /// The sender is started at whole minutes, as cron does.
  private func plan(runAt seconds: Int64) {
    nextRun = min(nextRun, (seconds / 60 + 1) * 60)
  }

  private func capture() throws {
    guard notesLeft > 0 else {
      nextCapture = .max
      return
    }
    notesLeft -= 1
    let clock = time.clock
    let id = NoteID(milliseconds: clock.milliseconds(), random: random.bytes(10))
    let note = Note(
      id: id, date: MessageDate(secondsSinceEpoch: clock.seconds, zoneOffset: 3600),
      text: Array("note \(notesLeft)\nof a year\n".utf8),
      account: Int.random(in: 0..<4, using: &random) == 0 ? "work" : nil)
    try MailStore.outbox(at: root + "/mail").enqueue(
      note, to: recipient, from: Correspondents(from: accounts[0].from, to: nil), host: "vm")
    ledger.captured(id)
    nextCapture += Int64.random(in: 0...meanInterval * 2, using: &random)
    plan(runAt: time.seconds)
  }

  /// Right, 10 years ahead, right, 10 years behind; some of it while a note is being sent.
  private func setClock() {
    let years: [Int64] = [10, 0, -10, 0, 10, -10]
    time.set(yearsWrong: isCalm ? 0 : years[time.jumps % years.count])
    nextJump = isCalm ? .max : time.seconds + YearPlan.jumpEvery
    // A set clock ends the wait of `memo watch`.
    plan(runAt: time.seconds)
  }
}

// MARK: - A run

extension Year {
  /// Takes the lock of the sender.
  ///
  /// A child of another test that is on its way to exec(2) has a copy of the last run's descriptor,
  /// and with it the lock, for some milliseconds.
  private func lock(_ sender: borrowing Sender) throws -> FileLock? {
    for _ in 0..<400 {
      if let lock = try sender.lock() { return lock }
      usleep(5000)
    }
    return nil
  }

  /// What `memo flush` does.
  private func run() throws {
    nextRun = .max
    guard try hasWork() else { return }
    runs += 1
    if runs % 11 == 0 { try touchAsMailClient() }
    var sender = try makeSender()
    guard let lock = try lock(sender) else { return ledger.violate("locked by nobody") }
    try sender.tidy()
    isSending = true
    defer { isSending = false }
    for index in accounts.indices where try !isKilled && !isHeld(index, sender) {
      var agent = YearAgent(year: self, account: index)
      try sender.send(for: accounts[index], with: &agent)
    }
    lock.release()
    guard !isKilled else { return try rise() }
    try planNext(sender)
  }

  private func makeSender() throws -> Sender {
    var options = Sender.Options(host: "vm")
    options.pace = 800...1500
    var generator = SeededGenerator(seed: random.next())
    let octets = generator.bytes(2)
    return Sender(
      store: try MailStore(root + "/mail"), state: try StateFolder(root + "/state"),
      opener: try IdentityFolder(root + "/identity").opener(), clock: time.clock,
      random: Randomness { (_: Int) throws(Errno) in octets }, options: options,
      isStopping: { [unowned self] in isKilled }, report: { [unowned self] in heard($0) })
  }

  private func isHeld(_ index: Int, _ sender: borrowing Sender) throws -> Bool {
    hold(of: index, sender) != nil
  }

  private func hold(of index: Int, _ sender: borrowing Sender) -> AccountState.Hold? {
    sender.state(of: accounts[index].name).currentHold(
      now: time.clock.seconds, settingsModified: 0, isAsked: false)
  }

  /// The next start, as `memo watch` waits for it.
  private func planNext(_ sender: borrowing Sender) throws {
    var blocked: [String?: Int64] = [:]
    for index in accounts.indices {
      if let hold = hold(of: index, sender) { blocked[accounts[index].name] = hold.until }
    }
    guard let next = try sender.nextTry(blocked: blocked) else {
      if try hasWaitingNotes() { ledger.violate("nothing is planned for what is there") }
      return
    }
    let wait = next - time.clock.seconds
    if wait <= 0 { ledger.violate("a next try that is over") }
    if wait > 3 * 3600 * 3 / 2 + 1 { ledger.violate("a next try in \(wait) s") }
    plan(runAt: time.seconds + max(wait, 0))
  }

  /// Another sender finds what the killed one left.
  private func rise() throws {
    if let (place, home) = hidden { try FileManager.default.moveItem(atPath: place, toPath: home) }
    hidden = nil
    isKilled = false
    plan(runAt: time.seconds)
  }

  /// Some senders are killed between a note's move to failed/ and the reason in its file.
  private func heard(_ event: Sender.Event) {
    guard case .failed(let id, _) = event, isSending, !isKilled, !isCalm, chance(20) else { return }
    kill(id)
  }
}

// MARK: - What the agent does

extension Year {
  /// Gives one note to a server, with whatever comes of it.
  func deliver(_ message: [UInt8], by account: Int, commit: () -> Bool) -> Outcome {
    let parsed = try? Message(parsing: message)
    guard let id = parsed?.noteID, parsed?.date != nil, parsed?.messageID != nil else {
      ledger.violate("a message without identity or date")
      return .local(Trouble(.aborted))
    }
    let act = servers[account].act(at: time.seconds, calm: isCalm)
    ledger.attempted(id, message, by: account, at: time.seconds, jumps: time.jumps)
    if case .isCancelled = act { remove(id) }
    time.pass(milliseconds: Int64.random(in: 50...900, using: &random))
    if act.commits { commitOrNot(id, act, commit) }
    // An attempt without an answer counts from the commit point: of a killed one that is known.
    let committed = time.seconds
    if chance(1), time.seconds > nextJump - 5 * 86400 { setClock() }
    if case .fallsSilent = act { time.pass(milliseconds: 600_000) }
    ledger.ended(id, act, by: account, at: committed)
    switch act {
    case .isKilledBefore, .isKilledAfter: kill(id)
    default: break
    }
    return act.outcome
  }

  private func commitOrNot(_ id: NoteID, _ act: YearAct, _ commit: () -> Bool) {
    if chance(2) { try? touchAsMailClient(id) }
    let mayGo = commit()
    if case .isCancelled = act {
      if mayGo { ledger.violate("committed after it was cancelled", id) }
    } else if !mayGo {
      ledger.violate("not committed", id)
    }
    if chance(2) { try? touchAsMailClient(id) }
  }

  private func kill(_ id: NoteID) {
    kills += 1
    isKilled = true
    guard let path = path(of: id) else { return ledger.violate("nothing to kill at", id) }
    let place = root + "/aside/" + (path as NSString).lastPathComponent
    hidden = (place, path)
    try? FileManager.default.moveItem(atPath: path, toPath: place)
  }

  private func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }
}

// MARK: - Files, as their owner sees them

extension Year {
  private func files(in folder: String) throws -> [String] {
    try ["/new/", "/cur/"].flatMap { part in
      let directory = root + "/mail/" + folder + part
      guard FileManager.default.fileExists(atPath: directory) else { return [String]() }
      return try FileManager.default.contentsOfDirectory(atPath: directory).map { directory + $0 }
    }
  }

  private func identity(_ path: String) -> NoteID? {
    NoteID(utf8: (path as NSString).lastPathComponent.utf8)
  }

  private func path(of id: NoteID) -> String? {
    let paths = ["outbox", "failed"].flatMap { (try? files(in: $0)) ?? [] }
    return paths.first { identity($0) == id }
  }

  private func hasWaitingNotes() throws -> Bool { try !files(in: "outbox").isEmpty }

  /// Notes, or what a killed sender left to be told.
  private func hasWork() throws -> Bool {
    if try hasWaitingNotes() { return true }
    return try !StateFolder(root + "/state").notesWithReason().isEmpty
  }

  /// A mail client numbers a note, and moves it from new to cur.
  private func touchAsMailClient(_ id: NoteID? = nil) throws {
    let paths = try files(in: "outbox").sorted()
    let chosen =
      id.map { id in paths.first { identity($0) == id } } ?? paths.randomElement(using: &random)
    guard let path = chosen, path.contains("/new/"), !path.contains(":") else { return }
    let cur = path.replacingOccurrences(of: "/new/", with: "/cur/")
    try FileManager.default.moveItem(atPath: path, toPath: cur + ",U=7:2,S")
  }

  private func remove(_ id: NoteID) {
    guard let path = path(of: id) else { return ledger.violate("sent from nowhere", id) }
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The owner looks through sent/ and failed/ and puts everything away.
  private func archive() throws {
    nextArchive = time.seconds + YearPlan.archiveEvery
    let state = try StateFolder(root + "/state")
    for folder in ["sent", "failed"] {
      for path in try files(in: folder) {
        guard let id = identity(path) else { continue }
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        // A sender that was killed before it wrote the reason into the file left it beside.
        let reason =
          (try? Message(parsing: bytes)).flatMap { Reason($0.header) } ?? state.reason(for: id)
        ledger.found(id, folder == "sent" ? .sent : .failed, reason)
        try FileManager.default.removeItem(atPath: path)
      }
    }
  }
}

/// The way of an account's notes to its server.
private struct YearAgent: DeliveryAgent {
  let year: Year
  let account: Int

  mutating func deliver(_ message: [UInt8], commit: () -> Bool) -> Outcome {
    year.deliver(message, by: account, commit: commit)
  }
}
