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
  /// Opening a folder calls fcntl(2) too, and a sender that cannot do that ends: so the error is
  /// given to the first call, the second … until it is the lock that gets it.
  func memoSend(_ arguments: [String], failingToLockWith error: String) throws -> ProgramResult {
    let trace = root + "/trace"
    for number in 1...50 {
      let inject = ["-e", "trace=fcntl", "-e", "inject=fcntl:error=\(error):when=\(number)"]
      let result = try run(
        "/usr/bin/strace",
        ["-f", "-qq", "-o", trace] + inject + [Programs.memoSend] + arguments,
        environment: environment)
      let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      if calls.contains(where: { $0.contains("F_OFD_SETLK") && $0.contains("INJECTED") }) {
        return result
      }
    }
    throw WaitedInVain(description: "no lock among 50 calls")
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
