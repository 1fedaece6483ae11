internal import CCurl

/// What a transfer of mail to one server needs to know.
public struct MailTransferSettings: Sendable {
  /// `smtp://` or `smtps://`, host, port, and the EHLO name as the path.
  public let url: String

  /// The user to log in as.
  public let user: String

  /// The mechanisms that may be used, in libcurl's form `AUTH=PLAIN;AUTH=LOGIN`.
  ///
  /// CURLOPT_LOGIN_OPTIONS(3).
  public let loginOptions: String

  /// What the secret is.
  public enum Secret: Sendable {
    /// A password.
    case password
    /// An OAuth 2.0 access token.
    case token
  }

  /// What the secret is.
  public let secret: Secret

  /// A file of certificates to trust in place of the system's.
  public let caFile: String?

  /// The envelope: the reverse-path and the one forward-path, checked, without angle brackets.
  public let from: String
  /// The envelope's forward-path.
  public let to: String

  /// An upper bound of the time from the first lookup to the end of the login.
  public let connectLimit: Duration
  /// An upper bound of the wait for any reply.
  public let replyLimit: Duration

  /// Settings of a transfer.
  public init(
    url: String, user: String, loginOptions: String, secret: Secret, caFile: String?, from: String, to: String,
    connectLimit: Duration, replyLimit: Duration
  ) {
    self.url = url
    self.user = user
    self.loginOptions = loginOptions
    self.secret = secret
    self.caFile = caFile
    self.from = from
    self.to = to
    self.connectLimit = connectLimit
    self.replyLimit = replyLimit
  }
}

// Design: TLS is not a setting. Every transfer asks for TLS 1.2 or later and checks chain and
// host name; libcurl's own time limits are only the last resort behind the observer's. TIMEOUT
// and LOW_SPEED_* are never set: both would cut the wait after the final dot.

/// A connection to a submission server, over which messages are sent one after the other.
///
/// libcurl connects for the first message, and again when the server has closed in between.
public struct MailTransfer: ~Copyable {
  private let handle: CurlHandle
  private let recipients: CurlList

  /// A transfer that has not connected yet.
  ///
  /// - Parameters:
  ///   - settings: The server, the login and the envelope.
  ///   - secret: The octets of the password or token, none of them NUL.
  /// - Throws: When libcurl cannot be set up or refuses an option.
  public init(_ settings: MailTransferSettings, secret: Span<UInt8>) throws(TransferError) {
    let recipients = try CurlList(settings.to)
    let handle = try CurlHandle.make()
    try handle.address(settings)
    try handle.set(settings.secret.option, SecretString(secret))
    try handle.secure(settings)
    try handle.bound(settings)
    self.recipients = recipients
    self.handle = handle
  }

  /// Whether a connection is open.
  public var isConnected: Bool { handle.isConnected }

  /// Sends one message of `count` octets, which the observer gives.
  public func send(count: Int, observer: any TransferObserver) -> TransferResult {
    do throws(TransferError) {
      try handle.set(CURLOPT_UPLOAD, 1)
      try handle.set(CURLOPT_MAIL_RCPT, recipients)
      try handle.set(CURLOPT_INFILESIZE_LARGE, offset: count)
    } catch {
      return TransferResult(code: .outOfMemory)
    }
    return handle.perform(observer: observer)
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

// MARK: - Fixed settings

extension MailTransferSettings.Secret {
  fileprivate var option: CURLoption {
    switch self {
    case .password: CURLOPT_PASSWORD
    case .token: CURLOPT_XOAUTH2_BEARER
    }
  }
}

extension CurlHandle {
  fileprivate func address(_ settings: MailTransferSettings) throws(TransferError) {
    try set(CURLOPT_URL, settings.url)
    try set(CURLOPT_USERNAME, settings.user)
    try set(CURLOPT_LOGIN_OPTIONS, settings.loginOptions)
    try set(CURLOPT_MAIL_FROM, settings.from)
  }

  fileprivate func secure(_ settings: MailTransferSettings) throws(TransferError) {
    try set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
    try set(CURLOPT_USE_SSL, memo_usessl_all())
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    guard let caFile = settings.caFile else { return }
    try set(CURLOPT_CAINFO, caFile)
    try set(CURLOPT_CAPATH, nil)
  }

  fileprivate func bound(_ settings: MailTransferSettings) throws(TransferError) {
    try set(CURLOPT_NOSIGNAL, 1)
    // Cleanup would wait for a resolver thread that hangs.
    try set(CURLOPT_QUICK_EXIT, 1)
    try set(CURLOPT_TCP_KEEPALIVE, 1)
    try set(CURLOPT_CONNECTTIMEOUT, settings.connectLimit.wholeSeconds)
    try set(CURLOPT_SERVER_RESPONSE_TIMEOUT, settings.replyLimit.wholeSeconds)
  }
}

extension Duration {
  /// Seconds, a part of one counted as a whole one, and at least 1: libcurl reads 0 as no limit.
  fileprivate var wholeSeconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(seconds) + (attoseconds > 0 ? 1 : 0))
  }
}
