internal import CLinux

// Design: no polling: the kernel wakes the process when there is something to do, so that one
// that waits for days costs nothing.

/// Waits until a file appears, the network changes, a time comes, or the program is to stop.
public struct Waiter: ~Copyable {
  /// What ended a wait.
  public enum Wake: Sendable, CaseIterable {
    /// The program was told to stop.
    case stop
    /// A file appeared in a watched directory.
    case file
    /// A link, an address or a route changed.
    case network
    /// The time has come, or the clock was set.
    case time
  }

  private let stop: Int32
  private let files: FileDescriptor
  private let network: FileDescriptor?
  private let timer: FileDescriptor

  /// A waiter for new files in some directories, which must exist.
  ///
  /// Where changes of the network cannot be heard of, as in some containers, it does without.
  /// The corresponding C functions are `inotify_init1(2)`, `timerfd_create(2)`, and `socket(2)`
  /// for `rtnetlink(7)`.
  ///
  /// - Parameters:
  ///   - directories: Their paths.
  ///   - stopping: From which a request to stop is heard.
  /// - Throws: Where a directory is missing, or the user's share of watches is used up.
  public init(
    watching directories: [String], stopping: borrowing StopRequest
  ) throws(Errno) {
    let files = FileDescriptor(owning: try check { clinux_watch_new() })
    let number = files.number
    for directory in directories {
      _ = try check { unsafe clinux_watch_add(number, directory) }
    }
    let timer = FileDescriptor(owning: try check { clinux_timer() })
    let network = clinux_watch_network()
    stop = stopping.descriptor
    self.files = files
    self.timer = timer
    self.network = network >= 0 ? FileDescriptor(owning: network) : nil
  }

  /// Waits; returns what ended it.
  ///
  /// - Parameter time: In seconds since 1970; nil to wait for the other events only.
  /// - Returns: At least one event, or none after a signal that means nothing.
  /// - Throws: When the kernel cannot wait.
  public borrowing func wait(until time: Int64?) throws(Errno) -> Set<Wake> {
    let number = timer.number
    if let time { _ = try check { clinux_timer_set(number, time) } }
    var descriptors: [(Wake, Int32)] = [(.stop, stop), (.file, files.number)]
    switch network {
    case .none: break
    case .some(let network): descriptors.append((.network, network.number))
    }
    if time != nil { descriptors.append((.time, number)) }
    let numbers = descriptors.map(\.1)
    var ready = [Int32](repeating: 0, count: numbers.count)
    _ = try check { unsafe clinux_wait(numbers, &ready, Int32(numbers.count)) }
    var wakes: Set<Wake> = []
    for (index, (wake, _)) in descriptors.enumerated() where ready[index] != 0 {
      wakes.insert(wake)
    }
    return wakes
  }
}

/// The request to stop that SIGTERM, SIGINT and SIGHUP make.
public struct StopRequest: ~Copyable {
  let descriptor: Int32

  /// From now on these signals ask, and do not end the process; one that is ignored stays so.
  ///
  /// The corresponding C function is `sigaction(2)`.
  public init() throws(Errno) { descriptor = try check { clinux_catch_stop() } }

  /// Whether the program was asked to stop.
  public static var isMade: Bool { clinux_is_stopping() != 0 }
}
