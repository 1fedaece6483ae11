internal import CCurl

/// A connection to a server of mailboxes, over which one command after the other is given.
///
/// RFC 3501. libcurl connects for the first command, again after one that the server refused, and
/// when the server has closed in between: which mailbox is selected may be forgotten.
public struct MailboxTransfer: ~Copyable {
  private let handle: CurlHandle

  /// A transfer that has not connected yet.
  ///
  /// - Parameters:
  ///   - server: The server and the login; its URL names no mailbox.
  ///   - secret: The octets of the password or token, none of them NUL.
  /// - Throws: When libcurl cannot be set up or refuses an option.
  public init(_ server: ServerSettings, secret: Span<UInt8>) throws(TransferError) {
    handle = try CurlHandle.make(for: server, secret: secret, protocols: "imap,imaps")
  }

  /// Whether a connection is open.
  public var isConnected: Bool { handle.isConnected }

  /// Gives a command, without its tag; the observer gets the lines of the answer.
  ///
  /// - Parameters:
  ///   - command: A checked command, without line ends.
  ///   - observer: Who gets the lines and bounds the wait.
  /// - Returns: `.ok` when the server says OK, `.commandRefused` when it says NO or BAD.
  public func ask(_ command: String, observer: any TransferObserver) -> TransferResult {
    // libcurl decodes percent signs.
    let escaped = command.split(separator: "%", omittingEmptySubsequences: false)
      .joined(separator: "%25")
    do throws(TransferError) {
      try handle.set(CURLOPT_CUSTOMREQUEST, escaped)
    } catch {
      return TransferResult(code: .outOfMemory)
    }
    return handle.perform(observer: observer)
  }
}
