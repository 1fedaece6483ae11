import Testing

@testable import Submission

/// The limits of RFC 5321 §4.5.3.2, with time given.
@Suite struct WatchTests {
  private let start = SuspendingClock.now

  @Test(
    arguments: [
      (.step(.connect), 60), (.step(.handshake), 60), (.step(.greeting), 300), (.step(.ehlo), 300),
      (.step(.login), 300), (.step(.mail), 300), (.step(.data), 300), (.step(.body), 180),
      (.step(.message), 600), (.quit, 5),
    ] as [(Watch.Wait, Int)])
  func eachWaitHasItsLimit(wait: Watch.Wait, seconds: Int) {
    var watch = Watch(SubmissionTimeouts(), at: start)
    watch.begin(wait, at: start + .seconds(1000))
    let limit = start + .seconds(1000 + seconds)
    #expect(!watch.isOverdue(at: limit - .milliseconds(1)))
    #expect(watch.isOverdue(at: limit))
  }

  @Test func aStopBoundsTheLastWaitOnce() {
    var watch = Watch(SubmissionTimeouts(), at: start)
    watch.begin(.step(.message), at: start)
    watch.stop(at: start + .seconds(10))
    watch.stop(at: start + .seconds(50))
    #expect(!watch.isOverdue(at: start + .seconds(69)))
    #expect(watch.isOverdue(at: start + .seconds(70)))
  }
}
