internal import CLinux

/// Both ends of a pipe.
struct Pipe: ~Copyable {
  /// The end to read from.
  let output: FileDescriptor
  /// The end to write to.
  let input: FileDescriptor

  /// A pipe whose ends are closed on exec.
  ///
  /// The corresponding C function is `pipe2(2)`.
  init() throws(Errno) {
    var ends: [Int32] = [-1, -1]
    let error = unsafe clinux_pipe(&ends) == 0 ? nil : Errno.last
    output = FileDescriptor(owning: ends[0])
    input = FileDescriptor(owning: ends[1])
    if let error { throw error }
  }

  /// Keeps only the end to read from, or its end of file would never come.
  consuming func closingInput() -> FileDescriptor { output }

  /// Keeps only the end to write to.
  consuming func closingOutput() -> FileDescriptor { input }
}
