internal import Foundation

/// Where the two programs under test lie.
public enum Programs {
  /// `$MEMO_PROGRAMS` when it is set, else the build folder of the running test bundle.
  public static let folder: String =
    ProcessInfo.processInfo.environment["MEMO_PROGRAMS"]
    ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  /// The program that captures and reads.
  public static var memo: String { folder + "/memo" }

  /// The program that delivers.
  public static var memoSend: String { folder + "/memo-send" }
}
