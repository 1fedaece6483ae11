internal import CCurl

/// A connection to a submission server, over which messages are sent one after the other.
///
/// libcurl connects for the first message, and again when the server has closed in between.
public struct MailTransfer: ~Copyable {
  private let handle: CurlHandle
  private let recipients: CurlList

  /// A transfer that has not connected yet.
  ///
  /// - Parameters:
  ///   - server: The server and the login.
  ///   - secret: The octets of the password or token, none of them NUL.
  ///   - from: The envelope's reverse-path, checked, without angle brackets.
  ///   - to: The one forward-path, likewise.
  /// - Throws: When libcurl cannot be set up or refuses an option.
  public init(
    _ server: ServerSettings, secret: Span<UInt8>, from: String, to: String
  ) throws(TransferError) {
    let recipients = try CurlList(to)
    let handle = try CurlHandle.make(for: server, secret: secret, protocols: "smtp,smtps")
    try handle.set(CURLOPT_MAIL_FROM, from)
    self.recipients = recipients
    self.handle = handle
  }

  /// Whether a connection is open.
  public var isConnected: Bool { handle.isConnected }

  /// Sends one message of `count` octets, which the observer gives.
  ///
  /// With fewer octets the transfer fails, and the server gets no final dot.
  public func send(count: Int, observer: any TransferObserver) -> TransferResult {
    do throws(TransferError) {
      try handle.set(CURLOPT_UPLOAD, 1)
      try handle.set(CURLOPT_MAIL_RCPT, recipients)
      try handle.set(CURLOPT_INFILESIZE_LARGE, offset: count)
    } catch {
      return TransferResult(code: .outOfMemory)
    }
    return handle.perform(observer: observer, uploading: count)
  }

  /// Says QUIT over the open connection, if there is one, and closes it.
  ///
  /// RFC 5321 §4.1.1.10. The observer bounds the wait for the answer.
  public consuming func quit(observer: any TransferObserver) {
    guard handle.isConnected else { return }
    handle.refuseConnections()
    do throws(TransferError) {
      try handle.set(CURLOPT_UPLOAD, 0)
      try handle.set(CURLOPT_NOBODY, 1)
      try handle.set(CURLOPT_MAIL_RCPT, nil)
      try handle.set(CURLOPT_CUSTOMREQUEST, "QUIT")
    } catch {
      return
    }
    _ = handle.perform(observer: observer)
  }
}
