internal import CLinux
internal import Glibc

/// What a program that holds secrets does first.
public enum Hardening {
  /// Keeps the process's memory to itself, and its new files to its user.
  ///
  /// Swift's runtime would print registers and the bytes they point to when the program crashes,
  /// so its signal handlers go; there is no core file, and no other process of the same user may
  /// look inside. A write to a closed pipe is an error, not the end. A standard descriptor that
  /// the caller closed is held: a message would else be written into whatever file, lock or
  /// connection got its number. The corresponding C functions are `signal(2)`, `setrlimit(2)`,
  /// `prctl(2)` and `umask(2)`.
  public static func apply() {
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      _ = signal(number, SIG_DFL)
    }
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
    _ = clinux_hide_memory()
    _ = clinux_hold_standard_descriptors()
    umask(0o077)
  }

  /// The arguments of this process, without the program's name, then wiped where others see them.
  ///
  /// `/proc/PID/cmdline` is readable by every user.
  public static func takeArguments() -> [[UInt8]] {
    var taken: [[UInt8]] = []
    guard let arguments = unsafe clinux_arguments() else { return [] }
    for index in 0..<Int(clinux_argument_count()) {
      guard let argument = unsafe arguments[index] else { break }
      let length = unsafe strlen(argument)
      let bytes = unsafe UnsafeRawBufferPointer(start: argument, count: length)
      // The program's name stays: it is no secret, and `ps` should tell who this is.
      if index == 0 { continue }
      unsafe taken.append([UInt8](bytes))
      unsafe explicit_bzero(argument, length)
    }
    return taken
  }

  /// The path by which this program can find its neighbours: its own executable's.
  ///
  /// The corresponding C function is `readlink(2)` of `/proc/self/exe`.
  public static var executablePath: String? {
    var path = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &path, path.count)
    return count > 0
      ? String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }
}
