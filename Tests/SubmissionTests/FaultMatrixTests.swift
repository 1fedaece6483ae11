import Foundation
import Outbox
import Testing

@testable import Submission

/// Every fault of servers/faulty, under STARTTLS and implicit TLS, against a golden table.
@Suite(.serialized) struct FaultMatrixTests {
  /// A line of Fixtures/faults.txt.
  struct Row {
    let fault: String
    let mode: String
    let outcomes: [String]

    var security: SubmissionSettings.Security { mode == "starttls" ? .startTLS : .implicitTLS }
  }

  /// What a run came to.
  struct Run: Sendable {
    let outcome: String
    let wasCommitted: Bool
    let duration: Duration
  }

  @Test func everyFaultHasItsOutcomeInTime() throws {
    let rows = try Self.rows()
    #expect(rows.count == 168)
    let faults = rows.filter { $0.mode == "starttls" }.map(\.fault)
    let server = try PlannedServer(faults)
    let settings = try rows.map { row in
      try server.settings(try #require(faults.firstIndex(of: row.fault)), row.security)
    }
    let runs = concurrently(rows.count, atOnce: 24) { Self.run(settings[$0]) }
    for (row, run) in zip(rows, runs) {
      #expect(row.outcomes.contains(run.outcome), "\(row.fault) | \(row.mode)")
      #expect(run.duration < .seconds(3), "\(row.fault) | \(row.mode)")
    }
    for index in rows.indices {
      try expectHonesty(rows[index], runs[index], of: server, settings[index].port)
    }
  }

  /// The server's side of the same run: nothing is stored without a commit, nothing is accepted
  /// that was not stored, and nothing is refused that was acknowledged.
  private func expectHonesty(
    _ row: Row, _ run: Run, of server: PlannedServer, _ port: Int
  ) throws {
    let records = try server.records(of: port)
    if run.outcome.hasPrefix("account noLogin") || run.outcome.hasPrefix("account noTLS") {
      #expect(records.allSatisfy { $0.isInnocent }, "\(row.fault) | \(row.mode)")
    }
    let stored = records.reduce(0) { $0 + $1.stored }
    #expect(stored == 0 || run.wasCommitted, "\(row.fault) | \(row.mode)")
    if run.outcome.hasPrefix("accepted") { #expect(stored == 1, "\(row.fault) | \(row.mode)") }
    if !run.outcome.hasPrefix("accepted"), !run.outcome.hasPrefix("unknown") {
      #expect(stored == 0, "\(row.fault) | \(row.mode)")
    }
  }

  private static func run(_ settings: SubmissionSettings) -> Run {
    var wasCommitted = false
    var outcome = Outcome.local(Trouble(.aborted))
    let duration = SuspendingClock().measure {
      outcome = deliver(note(lines: 400), settings) {
        wasCommitted = true
        return true
      }
    }
    return Run(outcome: outcome.summary, wasCommitted: wasCommitted, duration: duration)
  }

  private static func rows() throws -> [Row] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/faults.txt")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .map { line in
        let fields = line.split(separator: "|", omittingEmptySubsequences: false)
          .map { $0.trimmingCharacters(in: .whitespaces) }
        try #require(fields.count == 3, "\(line)")
        return Row(
          fault: fields[0], mode: fields[1], outcomes: fields[2].components(separatedBy: " or "))
      }
  }
}

extension Outcome {
  /// The case, and the stage and code or the cause that a table needs.
  var summary: String {
    switch self {
    case .accepted(let reply): "accepted \(reply.code)"
    case .deferred(let reply, let stage): "deferred \(stage) \(reply.code)"
    case .rejected(let reply, let stage): "rejected \(stage) \(reply.code)"
    case .unknown(let trouble): "unknown \(trouble.summary)"
    case .interrupted(let trouble): "interrupted \(trouble.summary)"
    case .account(let trouble): "account \(trouble.summary)"
    case .offline(let trouble): "offline \(trouble.summary)"
    case .local(let trouble): "local \(trouble.summary)"
    }
  }
}

extension Trouble {
  fileprivate var summary: String {
    let code = reply.map { " \($0.code)" } ?? ""
    return cause.rawValue + code + (cause == .certificate ? " \(detail)" : "")
  }
}
