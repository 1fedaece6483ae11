import Configuration
import MessageFormat
import MessageStore
import Outbox
import Posix
import Wording

// Design: between two runs nothing is held but the lock that says who waits, so that `memo flush`
// by hand works at any time. Settings, key and notes are read anew for each run.

/// Sends whenever there is something to send: a new note, one that falls due, the network back.
struct Watch {
  /// When it ends.
  enum End {
    /// When it is told to.
    case untilStopped
    /// When nothing falls due for a while: the sender that a capture started.
    case whileSomethingIsDue
  }

  private let program: MemoSend
  private let paths: Paths
  private let end: End
  private static let longestLinger: Int64 = 600
  /// How long it waits when another sender is at work, or its run failed.
  private static let retry: Int64 = 60
  /// How long the network is given to become complete.
  private static let settling: Int64 = 2

  init(_ program: MemoSend, _ paths: Paths, _ end: End) {
    self.program = program
    self.paths = paths
    self.end = end
  }

  /// Runs and waits; at once over when another process waits already.
  func run() throws(ExitStatus) -> ExitStatus {
    var last = Flush.Result()
    while let lock = try lock() {
      last = try waitAndSend()
      lock.release()
      // A capture that saw somebody waiting started nobody: was there one in the meantime?
      guard end == .whileSomethingIsDue, !StopRequest.isMade, hasNotes(beside: last.left) else {
        break
      }
    }
    return last.status
  }

  private func lock() throws(ExitStatus) -> FileLock? {
    do throws(MessageStoreError) {
      return try MailStore.lockWaiting(at: paths.mail)
    } catch {
      let language = program.messenger.language
      program.messenger.say(language.text(.cannotLock(language.text(error))))
      throw .configuration
    }
  }

  /// Sends and waits until it ends; returns how its last run ended.
  private func waitAndSend() throws(ExitStatus) -> Flush.Result {
    let stopping = try system { () throws(Errno) in try StopRequest() }
    let waiter = try makeWaiter(stopping)
    var options = FlushOptions()
    options.lingers = end == .whileSomethingIsDue
    options.isAsked = options.lingers
    while true {
      let result = try send(options)
      if StopRequest.isMade { return Flush.Result() }
      let now = program.clock.seconds
      if end == .whileSomethingIsDue {
        guard let next = result.nextTry, next <= now + Self.longestLinger else {
          return result
        }
      }
      let wakes = try system { () throws(Errno) in
        try settled(waiter, after: try waiter.wait(until: result.nextTry))
      }
      if wakes.contains(.stop) { return Flush.Result() }
      // A note was just written, or the network is back: being offline is looked at again.
      options.isAsked = wakes.contains(.file)
      options.networkChanged = wakes.contains(.network)
    }
  }

  /// A link, its addresses and its routes come one after the other, and only together are of use.
  private func settled(
    _ waiter: borrowing Waiter, after wakes: Set<Waiter.Wake>
  ) throws(Errno) -> Set<Waiter.Wake> {
    guard wakes.contains(.network) else { return wakes }
    var wakes = wakes
    let end = program.clock.seconds + Self.settling
    while !wakes.contains(.stop), program.clock.seconds < end {
      let more = try waiter.wait(until: end)
      wakes.formUnion(more)
      // The clock was set: the end may be far away now.
      if more.contains(.time) { break }
    }
    return wakes
  }

  /// One run; trouble with the settings does not end `memo watch`, as they may be mended.
  private func send(_ options: FlushOptions) throws(ExitStatus) -> Flush.Result {
    do throws(ExitStatus) {
      return try Flush(program, paths, options).run()
    } catch {
      guard end == .untilStopped else { throw error }
      return Flush.Result(status: error, nextTry: program.clock.seconds + Self.retry)
    }
  }

  private func makeWaiter(_ stopping: borrowing StopRequest) throws(ExitStatus) -> Waiter {
    do throws(MessageStoreError) {
      _ = try MailStore.outbox(at: paths.mail)
    } catch {
      program.messenger.say(program.messenger.language.text(error))
      throw .tryAgain
    }
    return try system { () throws(Errno) in
      try Waiter(watching: [paths.outbox + "/new", paths.outbox + "/cur"], stopping: stopping)
    }
  }

  /// Whether a note waits that the last run did not know.
  private func hasNotes(beside known: Set<NoteID>) -> Bool {
    let hasNew = try? MailStore.outbox(at: paths.mail).containsEntry { entry in
      entry.note.map { !known.contains($0.id) } ?? false
    }
    return hasNew ?? false
  }

  private func system<Value: ~Copyable>(
    _ body: () throws(Errno) -> Value
  ) throws(ExitStatus) -> Value {
    do throws(Errno) {
      return try body()
    } catch {
      program.messenger.say(program.messenger.language.text(.systemFailed(error.text)))
      throw .ioError
    }
  }
}
