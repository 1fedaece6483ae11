import Foundation
import TestSupport
import Testing

// What the tests of senders look at from outside: locks, connections, the share of the processor.

extension Sandbox {
  /// Whether a process holds a lock on a file of the mail folder, as `.waiting`.
  func isLocked(_ name: String) throws -> Bool {
    let path = data + "/mail/" + name
    guard FileManager.default.fileExists(atPath: path) else { return false }
    let number = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber]
    let inode = (number as? NSNumber)?.uint64Value ?? 0
    let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
    return locks.split(separator: "\n").contains { line in
      line.contains("OFDLCK") && line.contains(":\(inode) ")
    }
  }

  /// The names of the notes that wait.
  func waitingNames() throws -> [String] { try files(in: .outbox).map(\.name) }

  /// Starts `memo watch`, and waits until it is on the watch.
  func startWatch(sourceLocation: SourceLocation = #_sourceLocation) throws -> RunningProgram {
    let watch = try RunningProgram(Programs.memoSend, ["watch"], in: self)
    try wait(for: "watch", sourceLocation: sourceLocation) { try isLocked(".waiting") }
    return watch
  }

  /// Runs the sender under strace(1), with an error as the answer to its first lock.
  ///
  /// Other calls of fcntl(2) come before: a rehearsal tells how many.
  func memoSend(_ arguments: [String], failingToLockWith error: String) throws -> ProgramResult {
    let rehearsal = try Sandbox()
    let settings = try String(contentsOfFile: configuration, encoding: .utf8)
    try rehearsal.configure(settings.replacing(#/localhost:\d+/#, with: "localhost:1"))
    // What waits for notes would do so for ever, and flush without any needs no lock.
    if arguments == ["flush"] { try rehearsal.memo("buy milk") }
    let first = try rehearsal.trace(arguments == ["watch"] ? ["flush", "--linger"] : arguments)
    let number = try #require(first.calls.firstIndex { $0.contains("F_OFD_SETLK") }) + 1
    let (result, calls) = try trace(
      arguments, "-e", "inject=fcntl:error=\(error):when=\(number)")
    #expect(calls.contains { $0.contains("F_OFD_SETLK") && $0.contains("INJECTED") })
    return result
  }

  /// Runs the sender under strace(1): what became of it, and its calls of fcntl(2).
  private func trace(
    _ arguments: [String], _ options: String...
  ) throws -> (result: ProgramResult, calls: [Substring]) {
    let file = root + "/trace"
    let result = try run(
      "/usr/bin/strace",
      ["-qq", "-o", file, "-e", "trace=fcntl"] + options + [Programs.memoSend] + arguments,
      environment: environment)
    return (result, try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n"))
  }
}

extension FaultyServer {
  /// Expects so many connections, and in each so many messages that were taken.
  ///
  /// The server notes a connection when it has ended, a moment after the client.
  func expectConnections(
    acked: [Int], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try wait(for: "end of the connections", sourceLocation: sourceLocation) {
      try connections().count >= acked.count
    }
    #expect(try connections().map(\.acked) == acked, sourceLocation: sourceLocation)
  }

  /// Whether somebody is connected to it: of the system's table, since it logs only at the end.
  func hasConnection(_ security: Security = .starttls) throws -> Bool {
    let port = String(port(security), radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - port.count) + port
    // Foundation takes the first 4 KiB of such a file for all of it.
    let tables = try run("/bin/cat", ["/proc/net/tcp", "/proc/net/tcp6"]).output
    return tables.split(separator: "\n").contains { line in
      let columns = line.split(separator: " ")
      // The remote address; 01 is ESTABLISHED.
      return columns.count > 3 && columns[2].hasSuffix(suffix) && columns[3] == "01"
    }
  }
}

/// What the kernel counts of a process.
struct ProcessUse: Equatable {
  /// Hundredths of a second on a processor.
  let ticks: Int
  /// How often it waited of its own accord: once for each time that it was woken.
  let waits: Int

  init(_ pid: Int32) throws {
    let record = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    let columns = (record.split(separator: ")").last ?? "").split(separator: " ")
    let numbers = columns.compactMap { Int($0) }
    // state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime
    ticks = numbers[10] + numbers[11]
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
    waits = line?.split(separator: "\t").last.flatMap { Int($0) } ?? -1
  }
}
