import Outbox
import TestSupport

/// What becomes of one attempt: what the server does, or what happens to the sender.
enum YearAct {
  /// 250 after the dot.
  case accepts
  /// 4yz.
  case defers(Outcome.Stage)
  /// 5yz.
  case rejects(Outcome.Stage)
  /// All is given and nothing is heard: it may have been stored.
  case fallsSilent(stored: Bool)
  /// The connection breaks before the commit point.
  case breaksOff
  /// The account cannot send; said to the final dot, or before.
  case refusesAccount(Trouble.Cause, atTheDot: Bool)
  /// Nobody is reached.
  case isAway
  /// This machine is in trouble.
  case isShortOfMemory
  /// The sender is killed before the commit point.
  case isKilledBefore
  /// The sender is killed after it: the server may have stored the note, and said so in vain.
  case isKilledAfter(stored: Bool)
  /// The owner takes the note away while it is being sent.
  case isCancelled
}

/// A server, or rather a whole world, of which each hour is different.
struct YearServer {
  private enum Weather: CaseIterable {
    case fair, away, loginRefused, accountRefused, envelopeRefused, deferring, silent
  }

  private var random: SeededGenerator
  private var weather = Weather.fair
  private var weatherEnds: Int64 = 0
  private static let stages: [Outcome.Stage] = [.mail, .rcpt, .data, .message]

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// What the next attempt meets, at so many seconds; `calm` when the worst is over.
  mutating func act(at seconds: Int64, calm: Bool) -> YearAct {
    guard !calm else { return .accepts }
    if seconds >= weatherEnds { change(at: seconds) }
    if chance(3) { return accident() }
    switch weather {
    case .fair: return fair()
    case .away: return .isAway
    case .loginRefused: return .refusesAccount(.loginRefused, atTheDot: false)
    case .accountRefused: return .refusesAccount(.accountRefused, atTheDot: chance(50))
    case .envelopeRefused: return .rejects(.rcpt)
    case .deferring: return chance(97) ? .defers(stage()) : fair()
    case .silent: return chance(70) ? .fallsSilent(stored: chance(50)) : fair()
    }
  }

  /// Fair weather between all others, which last from minutes to days.
  private mutating func change(at seconds: Int64) {
    let hours: ClosedRange<Int64>
    if weather == .fair {
      weather = Weather.allCases.randomElement(using: &random) ?? .fair
      hours = chance(10) ? 0...240 : 0...12
    } else {
      weather = .fair
      hours = 6...96
    }
    weatherEnds = seconds + Int64.random(in: hours, using: &random) * 3600 + 600
  }

  private mutating func accident() -> YearAct {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .isKilledBefore
    case 1: .isCancelled
    default: .isKilledAfter(stored: chance(50))
    }
  }

  private mutating func fair() -> YearAct {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<80: .accepts
    case 80..<85: .defers(stage())
    case 85..<87: .rejects(stage())
    case 87..<92: .fallsSilent(stored: chance(50))
    case 92..<96: .breaksOff
    case 96..<98: .isAway
    case 98: .isShortOfMemory
    default: .refusesAccount(.accountRefused, atTheDot: chance(50))
    }
  }

  private mutating func stage() -> Outcome.Stage {
    Self.stages.randomElement(using: &random) ?? .message
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }
}

extension YearAct {
  /// Whether the sender passes the commit point.
  var commits: Bool {
    switch self {
    case .accepts, .fallsSilent, .isKilledAfter, .isCancelled: true
    case .defers(let stage), .rejects(let stage): stage == .message
    case .refusesAccount(_, let atTheDot): atTheDot
    case .breaksOff, .isAway, .isShortOfMemory, .isKilledBefore: false
    }
  }

  /// What the agent tells of it; what a killed one tells is heard by nobody.
  var outcome: Outcome {
    switch self {
    case .accepts, .isKilledAfter, .isCancelled:
      .accepted(Reply(code: 250, lines: ["2.0.0 queued"]))
    case .defers(let stage): .deferred(Reply(code: 451, lines: ["4.3.0 later"]), at: stage)
    case .rejects(let stage): .rejected(Reply(code: 550, lines: ["5.7.1 no"]), at: stage)
    case .fallsSilent: .unknown(Trouble(.timeout))
    case .breaksOff, .isKilledBefore: .interrupted(Trouble(.connectionLost))
    case .refusesAccount(let cause, _):
      .account(Trouble(cause, reply: Reply(code: 535, lines: ["5.7.8 no"])))
    case .isAway: .offline(Trouble(.connect))
    case .isShortOfMemory: .local(Trouble(.resources))
    }
  }
}
