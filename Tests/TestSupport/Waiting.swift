internal import Foundation
public import Testing

/// Something that a test waited for and that did not come in time.
public struct WaitedInVain: Error, CustomStringConvertible {
  /// What was waited for.
  public let description: String

  /// What did not come.
  public init(description: String) { self.description = description }
}

/// Waits until `condition` holds, looking every 5 ms.
///
/// For what another process does: its own state is waited for, never a length of time.
///
/// - Parameters:
///   - what: What is waited for, as the failure's words.
///   - seconds: After how long to give up.
///   - sourceLocation: The place a failure is shown at.
///   - condition: What has to become true.
/// - Throws: `WaitedInVain`, after recording an issue, when it does not hold in time.
public func wait(
  for what: String, seconds: Double = 20, sourceLocation: SourceLocation = #_sourceLocation,
  until condition: () throws -> Bool
) throws {
  let clock = ContinuousClock()
  let deadline = clock.now + .seconds(seconds)
  while try !condition() {
    guard clock.now < deadline else {
      Issue.record("no \(what) in \(seconds) s", sourceLocation: sourceLocation)
      throw WaitedInVain(description: "no \(what) in \(seconds) s")
    }
    Thread.sleep(forTimeInterval: 0.005)
  }
}
