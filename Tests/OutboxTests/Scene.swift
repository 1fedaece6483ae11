import MessageFormat
import MessageStore
import Posix
import Sealing
import Synchronization
import TestSupport
import Testing

@testable import Outbox

/// The octets of a text.
func octets(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A store with an identity, at a time that only moves when a test says so.
final class Scene {
  let sandbox: Sandbox
  let account: Sender.Account
  private(set) var events: [Sender.Event] = []
  /// How notes go and are kept.
  var protection = Protection()
  private let time = TestTime()
  private var count: UInt8 = 0

  init() throws {
    sandbox = try Sandbox()
    account = Sender.Account(
      name: nil, isDefault: true,
      from: try Mailbox(displayName: "Jane Doe", address: "me@example.org"),
      to: try Mailbox(displayName: nil, address: "me@example.org"))
    _ = try MailStore(sandbox.root + "/mail")
  }

  // MARK: - Time

  /// Seconds since 1970.
  var now: Int64 {
    get { time.seconds.load(ordering: .relaxed) }
    set { time.seconds.store(newValue, ordering: .relaxed) }
  }

  var clock: Clock {
    let time = time
    return Clock(
      milliseconds: { time.seconds.load(ordering: .relaxed) * 1000 }, zoneOffset: { _ in 0 },
      wait: { milliseconds in time.waits.withLock { $0.append(milliseconds) } })
  }

  /// The milliseconds of each wait; none of them takes any time.
  var waits: [Int64] { time.waits.withLock { $0 } }

  // MARK: - Notes

  /// An identity of this test's, the same in each run; later ones are captured later.
  func makeID() -> NoteID {
    count += 1
    return NoteID(
      milliseconds: 1_699_999_000_000 + Int64(count),
      random: [0, count] + Array(repeating: 0, count: 8))
  }

  /// Captures a note a while ago.
  @discardableResult
  func capture(
    _ text: String = "buy milk", account: String? = nil, host: String = "vm",
    identity: String = "identity", as id: NoteID? = nil
  ) throws -> NoteID {
    let id = id ?? makeID()
    let date = MessageDate(secondsSinceEpoch: 1_699_999_000, zoneOffset: 3600)
    let note = Note(id: id, date: date, text: octets(text), account: account)
    try MailStore.outbox(at: sandbox.root + "/mail").enqueue(
      note, to: recipient(identity), from: Correspondents(from: nil, to: nil), host: host)
    try sandbox.setModified("mail/outbox/new/\(id).\(host)", 1_699_999_000)
    return id
  }

  private func recipient(_ identity: String) throws -> Recipient {
    try IdentityFolder(sandbox.root + "/" + identity).recipient(
      keyIsElsewhere: false, now: now, random: .system)
  }

  // MARK: - Sending

  func options(_ change: (inout Sender.Options) -> Void = { _ in }) -> Sender.Options {
    var options = Sender.Options(host: "vm")
    change(&options)
    return options
  }

  func sender(
    _ options: Sender.Options? = nil, isStopping: @escaping () -> Bool = { false }
  ) throws -> Sender {
    _ = try recipient("identity")
    return Sender(
      store: try MailStore(sandbox.root + "/mail"), state: try state(),
      opener: try IdentityFolder(sandbox.root + "/identity").opener(), clock: clock,
      random: Randomness { count in Array(repeating: 128, count: count) },
      options: options ?? self.options(), protection: protection, isStopping: isStopping,
      report: { [self] in events.append($0) })
  }

  /// One run, as after a capture: what is left is mended, then what is due is sent.
  @discardableResult
  func run(
    _ plays: Play..., options: Sender.Options? = nil, for account: Sender.Account? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [Delivery] {
    var sender = try sender(options)
    var agent = ScriptedAgent(plays)
    try sender.tidy()
    try sender.send(for: account ?? self.account, with: &agent)
    try sender.protectLeftOver()
    #expect(agent.plays.isEmpty, "not every play was asked for", sourceLocation: sourceLocation)
    return agent.deliveries
  }

  func state() throws -> StateFolder { try StateFolder(sandbox.root + "/state") }

  // MARK: - Files

  /// All files of the mail folder, the lock left out.
  func files() throws -> [String] {
    try sandbox.files(below: "mail").filter { $0 != ".lock" }
  }

  /// Puts a file where it was not made by memo.
  func put(_ bytes: [UInt8], _ path: String) throws {
    try sandbox.write(bytes, to: sandbox.root + "/mail/" + path)
  }

  func move(_ path: String, _ newPath: String) throws {
    try sandbox.rename("mail/" + path, "mail/" + newPath)
  }

  /// The reason in the outer header of a file.
  func reason(in path: String) throws -> Reason? {
    Reason(try Message(parsing: sandbox.content("mail/" + path)).header)
  }
}

private final class TestTime: Sendable {
  let seconds = Atomic<Int64>(1_700_000_000)
  let waits = Mutex<[Int64]>([])
}

// MARK: - An agent that plays

/// What the agent does with one message.
struct Play {
  var outcome: Outcome
  var commits = false
  /// Before the commit point, and after it.
  var before: () throws -> Void = {}
  var after: () throws -> Void = {}

  static func accepts(
    before: @escaping () throws -> Void = {}, after: @escaping () throws -> Void = {}
  ) -> Play {
    Play(
      outcome: .accepted(Reply(code: 250, lines: ["2.0.0 queued"])), commits: true,
      before: before, after: after)
  }

  /// A reply to RCPT, before the commit point.
  static func refusesRecipient(_ code: Int, _ text: String) -> Play {
    let reply = Reply(code: code, lines: [text])
    return Play(
      outcome: code < 500 ? .deferred(reply, at: .rcpt) : .rejected(reply, at: .rcpt))
  }

  /// A reply to the final dot.
  static func refusesMessage(_ code: Int, _ text: String) -> Play {
    let reply = Reply(code: code, lines: [text])
    return Play(
      outcome: code < 500 ? .deferred(reply, at: .message) : .rejected(reply, at: .message),
      commits: true)
  }

  static var answersNothing: Play { Play(outcome: .unknown(Trouble(.timeout)), commits: true) }
  static var breaksOff: Play { Play(outcome: .interrupted(Trouble(.connectionLost))) }
}

/// What was given to the agent.
struct Delivery {
  let message: [UInt8]
  /// What the commit point answered, nil when it was not reached.
  let committed: Bool?
  var text: String { String(decoding: message, as: UTF8.self) }
}

/// An agent without a server.
struct ScriptedAgent: DeliveryAgent {
  private(set) var plays: [Play]
  private(set) var deliveries: [Delivery] = []
  /// The notes that lie in the mailbox.
  private let arrived: Set<String>
  /// The notes that were looked for there.
  private(set) var lookedFor: [String] = []

  init(_ plays: [Play], arrived: Set<String> = []) {
    self.plays = plays
    self.arrived = arrived
  }

  mutating func hasArrived(noteID: String, messageID: String) -> Bool {
    lookedFor.append(noteID)
    #expect(messageID.hasPrefix("<" + noteID))
    return arrived.contains(noteID)
  }

  mutating func deliver(_ message: [UInt8], commit: () -> Bool) -> Outcome {
    guard let play = plays.first else {
      Issue.record("a delivery nobody expected")
      return .offline(Trouble(.connect))
    }
    plays.removeFirst()
    do {
      try play.before()
      let committed = play.commits ? commit() : nil
      deliveries.append(Delivery(message: message, committed: committed))
      guard committed != false else { return .local(Trouble(.aborted)) }
      try play.after()
    } catch {
      Issue.record("\(error)")
    }
    return play.outcome
  }
}
