internal import CLinux

/// Asking a person for a secret, on the terminal that the process belongs to.
public enum HiddenQuestion {
  /// Whether there is a terminal to ask on.
  public static var canAsk: Bool { (try? FileDescriptor("/dev/tty", .readWrite)) != nil }

  /// Asks, and reads a line that is not shown, without its end.
  ///
  /// The question and the answer go to and from `/dev/tty`, whatever the standard descriptors are.
  /// A signal that ends or stops the process does so once the terminal is as it was before; after
  /// a stop the question is asked anew. The corresponding C function is `tcsetattr(3)`.
  ///
  /// - Parameters:
  ///   - question: What is written, blank at its end included.
  ///   - limit: The most octets of an answer.
  /// - Returns: What was typed, perhaps nothing.
  /// - Throws: `noTerminal` where there is none; E2BIG beyond `limit`; ENODATA after Control-D.
  public static func ask(_ question: String, limit: Int) throws(Errno) -> SecretBytes {
    let terminal = try FileDescriptor("/dev/tty", .readWrite)
    let number = terminal.number
    var answer = SecretBytes(capacity: limit)
    try unsafe answer.fill { (room) throws(Errno) in
      while true {
        let count = unsafe clinux_ask_hidden(
          number, question, room.baseAddress, Int32(clamping: room.count))
        if count >= 0 { return Int(count) }
        let error = Errno.last
        guard error == .interrupted else { throw error }
      }
    }
    return answer
  }
}
