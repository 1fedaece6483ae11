// Design: results are wanted in order and are made out of order. No more than a window of them is
// begun before the first is delivered, so the memory they take is bounded. Whoever delivers also
// works where nothing is ready to deliver, so that it goes on, if slower, without other threads.

/// Pieces of work by number, done by several threads, and their results in order.
public final class OrderedWork<Result: Sendable>: @unchecked Sendable {
  private let monitor = Monitor()
  private let count: Int
  // All of these only while the monitor is locked.
  private var results: [Result?]
  private var begun = 0
  private var delivered = 0
  private var isStopped = false

  /// Pieces of work from 0 to `count` - 1, of which `window` may be begun and not delivered.
  public init(count: Int, window: Int) {
    self.count = count
    results = Array(repeating: nil, count: max(window, 1))
  }

  /// What whoever delivers is to do next.
  public enum Step {
    /// The next result in order.
    case deliver(Result)
    /// A piece of work.
    case work(Int)
  }

  /// The next thing to do for whoever delivers; nil when everything is delivered, or it is stopped.
  public func next() -> Step? {
    monitor.locked {
      while !isStopped, delivered < count {
        if let result = takeResult() { return .deliver(result) }
        if let piece = takePiece() { return .work(piece) }
        monitor.wait()
      }
      return nil
    }
  }

  /// The next piece of work for any other thread; nil when there is no more.
  public func piece() -> Int? {
    monitor.locked {
      while !isStopped, begun < count {
        if let piece = takePiece() { return piece }
        monitor.wait()
      }
      return nil
    }
  }

  /// Hands in the result of a piece.
  public func finish(_ piece: Int, _ result: Result) {
    monitor.locked {
      results[piece % results.count] = result
      monitor.tellAll()
    }
  }

  /// Ends it early: nobody gets more to do.
  public func stop() {
    monitor.locked {
      isStopped = true
      monitor.tellAll()
    }
  }

  private func takeResult() -> Result? {
    let place = delivered % results.count
    guard let result = results[place] else { return nil }
    results[place] = nil
    delivered += 1
    monitor.tellAll()
    return result
  }

  private func takePiece() -> Int? {
    guard begun < count, begun < delivered + results.count else { return nil }
    begun += 1
    return begun - 1
  }
}
