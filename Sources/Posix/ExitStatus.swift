internal import Glibc

/// How a program of this package ends.
///
/// The values are those of `sysexits.h`, for `sysexits(3)`.
public enum ExitStatus: Int32, Error, Sendable {
  /// All is well, or as well as it can be without a person.
  case success = 0
  /// Nothing found, or a person is needed.
  case attention = 1
  /// The command line is not understood; nothing was done.
  case usage = 64
  /// The note is empty or too large.
  case badData = 65
  /// A file to attach, or a note to show, cannot be read.
  case noInput = 66
  /// What is asked for is not built into this version.
  case unavailable = 69
  /// A file to be written cannot be made, or is there already.
  case cannotCreate = 73
  /// A note is queued, but was not proven durable; or output failed.
  case ioError = 74
  /// Not saved; trying again may help.
  case tryAgain = 75
  /// The server refuses the login.
  case noPermission = 77
  /// The settings, or the identity, are not usable.
  case configuration = 78

  /// Ends the process.
  public func exit() -> Never { Glibc.exit(rawValue) }
}
