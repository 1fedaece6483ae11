internal import CLinux
internal import Glibc

/// An error number of a system call.
///
/// The corresponding C header is `errno.h`.
public struct Errno: Error, Hashable, Sendable {
  /// The value of `errno`.
  public let number: Int32

  /// An error of the given number.
  public init(_ number: Int32) { self.number = number }

  /// The error of the system call that failed last on this thread.
  package static var last: Errno { Errno(errno) }

  /// The system's words for it, in English.
  public var text: String { unsafe String(cString: clinux_error_text(number)) }
}

extension Errno {
  /// No such file or directory.
  public static let noSuchFile = Errno(ENOENT)
  /// The file exists.
  public static let fileExists = Errno(EEXIST)
  /// A file that is not of the kind that is needed.
  public static let wrongKind = Errno(EINVAL)
  /// A file larger than the limit.
  public static let tooLarge = Errno(EFBIG)
  /// A name longer than the file system's names are.
  public static let nameTooLong = Errno(ENAMETOOLONG)
  /// Nothing there yet, or somebody else holds it.
  public static let wouldBlock = Errno(EAGAIN)
  /// Permission denied.
  public static let accessDenied = Errno(EACCES)
  /// A symbolic link where none is followed.
  public static let isLink = Errno(ELOOP)
  /// The other end of the pipe is closed.
  public static let brokenPipe = Errno(EPIPE)
  /// A device failed, or did not keep what it was given.
  public static let inputOutput = Errno(EIO)
  /// A signal came.
  public static let interrupted = Errno(EINTR)
  /// Nothing where something is needed.
  public static let noData = Errno(ENODATA)
  /// No terminal belongs to this process.
  public static let noTerminal = Errno(ENXIO)
  /// The time given for it is over.
  public static let timedOut = Errno(ETIMEDOUT)
}

/// Calls a C function that answers -1 with `errno` set, again whenever a signal interrupted it.
package func check<Number: SignedInteger>(_ call: () -> Number) throws(Errno) -> Number {
  while true {
    let result = call()
    if result != -1 { return result }
    guard errno == EINTR else { throw .last }
  }
}
