import Foundation
import Outbox
import Posix
import Synchronization
import Transfer

@testable import Submission

let testUser = "me@test.example"
let testPassword = "s3cret-pass"

extension SubmissionSettings {
  /// Settings for a faulty server, with time-outs of two seconds.
  static func test(
    port: Int, security: Security = .startTLS, caFile: String?
  ) -> SubmissionSettings {
    var settings = SubmissionSettings(
      host: "localhost", port: port, security: security, user: testUser, from: testUser,
      to: testUser)
    settings.caFile = caFile
    settings.timeouts.connect = .seconds(2)
    settings.timeouts.reply = .seconds(2)
    settings.timeouts.stall = .seconds(2)
    settings.timeouts.finalReply = .seconds(2)
    settings.timeouts.quit = .seconds(2)
    return settings
  }
}

/// An agent with the server's password, or another.
func makeAgent(
  _ settings: SubmissionSettings, password: String = testPassword,
  isStopping: @escaping () -> Bool = { false }
) -> SubmissionAgent {
  signal(SIGPIPE, SIG_IGN)
  return SubmissionAgent(
    settings,
    secret: {
      SecretBytes(copying: Array(password.utf8).span)
    }, isStopping: isStopping)
}

/// Delivers one message with an agent of its own.
func deliver(
  _ message: [UInt8] = note(lines: 3), _ settings: SubmissionSettings,
  password: String = testPassword, commit: () -> Bool = { true }
) -> Outcome {
  var agent = makeAgent(settings, password: password)
  let outcome = agent.deliver(message, commit: commit)
  agent.finish()
  return outcome
}

/// A message of so many lines of about 75 octets.
func note(lines: Int) -> [UInt8] {
  let header = "From: \(testUser)\r\nTo: \(testUser)\r\nSubject: hi\r\n\r\n"
  let rest = String(repeating: "~", count: 70) + "\r\n"
  return wire(header) + (0..<lines).flatMap { wire("\($0) " + rest) }
}

func wire(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Runs a body for each index, so many at a time, each on a thread that may block.
func concurrently<Value: Sendable>(
  _ count: Int, atOnce: Int, _ body: @escaping @Sendable (Int) -> Value
) -> [Value] {
  let results = Results<Value>(count)
  let group = DispatchGroup()
  for _ in 0..<min(atOnce, count) {
    group.enter()
    Thread.detachNewThread {
      while let index = results.next() { results.set(index, body(index)) }
      group.leave()
    }
  }
  group.wait()
  return results.all
}

/// The results of `concurrently`, each set once.
private final class Results<Value: Sendable>: Sendable {
  private let state: Mutex<(next: Int, values: [Value?])>

  init(_ count: Int) { state = Mutex((0, Array(repeating: nil, count: count))) }

  func next() -> Int? {
    state.withLock { state in
      guard state.next < state.values.count else { return nil }
      state.next += 1
      return state.next - 1
    }
  }

  func set(_ index: Int, _ value: Value) { state.withLock { $0.values[index] = value } }

  var all: [Value] { state.withLock { $0.values.compactMap { $0 } } }
}
