import Synchronization
import Testing

@testable import Posix

@Suite(.timeLimit(.minutes(1))) struct OrderedWorkTests {
  @Test(arguments: [0, 1, 3], [0, 1, 7, 1000])
  func resultsComeInOrderAndTheWindowIsKept(threads: Int, count: Int) {
    let work = OrderedWork<Int>(count: count, window: 4)
    let done = Atomic(0)
    let most = Atomic(0)
    let others = Threads(threads) {
      while let piece = work.piece() {
        most.max(piece - done.load(ordering: .sequentiallyConsistent), ordering: .relaxed)
        work.finish(piece, piece * 2)
      }
    }
    var results: [Int] = []
    while let step = work.next() {
      switch step {
      case .work(let piece): work.finish(piece, piece * 2)
      case .deliver(let result):
        results.append(result)
        done.add(1, ordering: .sequentiallyConsistent)
      }
    }
    others.join()
    #expect(results == (0..<count).map { $0 * 2 })
    // One may be out of the work and not yet counted here.
    #expect(most.load(ordering: .relaxed) <= 4)
  }

  @Test func whoStopsEndsAll() {
    let work = OrderedWork<Int>(count: 1_000_000, window: 4)
    let others = Threads(2) { while let piece = work.piece() { work.finish(piece, piece) } }
    var delivered = 0
    while delivered < 10, let step = work.next() {
      switch step {
      case .work(let piece): work.finish(piece, piece)
      case .deliver: delivered += 1
      }
    }
    work.stop()
    others.join()
    #expect(delivered == 10)
    #expect(work.piece() == nil)
  }
}
