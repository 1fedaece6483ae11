internal import CCurl

/// A server, how it is known to be the right one, and the login.
public struct ServerSettings: Sendable {
  /// The address; for submission with the EHLO name as the path.
  public let url: String

  /// The user to log in as.
  public let user: String

  /// The mechanisms that may be used, in libcurl's form `AUTH=PLAIN;AUTH=LOGIN`.
  ///
  /// CURLOPT_LOGIN_OPTIONS(3).
  public let loginOptions: String

  /// What the secret is.
  public let secret: Secret

  /// Which certificate the server must have.
  public let trust: Trust

  /// An upper bound of the time from the first lookup to the end of the login.
  public let connectLimit: Duration
  /// An upper bound of the wait for any reply.
  public let replyLimit: Duration

  /// What a secret is.
  public enum Secret: Sendable {
    /// A password.
    case password
    /// An OAuth 2.0 access token.
    case token
  }

  /// Which certificates are good.
  public enum Trust: Sendable {
    /// Those for the server's name, of an authority that the system trusts.
    case system
    /// Those for the server's name, of an authority in this file.
    case file(String)
    /// Those that the observer takes: neither chain nor name are checked here.
    case observer
  }

  /// Settings of a server.
  public init(
    url: String, user: String, loginOptions: String, secret: Secret, trust: Trust,
    connectLimit: Duration, replyLimit: Duration
  ) {
    self.url = url
    self.user = user
    self.loginOptions = loginOptions
    self.secret = secret
    self.trust = trust
    self.connectLimit = connectLimit
    self.replyLimit = replyLimit
  }
}

// Design: TLS is not a setting. Every transfer asks for TLS 1.2 or later, and who the server is
// gets checked before it learns a secret. libcurl's own time limits are only the last resort
// behind the observer's. TIMEOUT and LOW_SPEED_* are never set: both would cut the wait after the
// final dot. A handle is set up once, for one server and one login, and never changed.

extension CurlHandle {
  /// A handle for a server.
  ///
  /// - Parameters:
  ///   - server: The server and the login.
  ///   - secret: The octets of the password or token, none of them NUL.
  ///   - protocols: The schemes that the URL may have.
  /// - Returns: A handle that has not connected yet.
  /// - Throws: When libcurl cannot be set up or refuses an option.
  static func make(
    for server: ServerSettings, secret: Span<UInt8>, protocols: String
  ) throws(TransferError) -> CurlHandle {
    let handle = try make()
    try handle.set(CURLOPT_PROTOCOLS_STR, protocols)
    try handle.set(CURLOPT_URL, server.url)
    try handle.set(CURLOPT_USERNAME, server.user)
    try handle.set(CURLOPT_LOGIN_OPTIONS, server.loginOptions)
    try handle.set(server.secret.option, SecretString(secret))
    try handle.secure(server.trust)
    try handle.bound(server)
    return handle
  }

  private func secure(_ trust: ServerSettings.Trust) throws(TransferError) {
    try set(CURLOPT_USE_SSL, memo_usessl_all())
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    switch trust {
    case .system: try verify(caFile: nil)
    case .file(let path): try verify(caFile: path)
    case .observer: try show()
    }
  }

  private func verify(caFile: String?) throws(TransferError) {
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    guard let caFile else { return }
    try set(CURLOPT_CAINFO, caFile)
    try set(CURLOPT_CAPATH, nil)
  }

  /// Keeps the server's certificate for the observer, with a full handshake for each connection.
  private func show() throws(TransferError) {
    try set(CURLOPT_SSL_VERIFYPEER, 0)
    try set(CURLOPT_SSL_VERIFYHOST, 0)
    try set(CURLOPT_SSL_SESSIONID_CACHE, 0)
    try set(CURLOPT_CERTINFO, 1)
  }

  private func bound(_ server: ServerSettings) throws(TransferError) {
    try set(CURLOPT_NOSIGNAL, 1)
    // Cleanup would wait for a resolver thread that hangs.
    try set(CURLOPT_QUICK_EXIT, 1)
    try set(CURLOPT_TCP_KEEPALIVE, 1)
    try set(CURLOPT_CONNECTTIMEOUT, server.connectLimit.wholeSeconds)
    try set(CURLOPT_SERVER_RESPONSE_TIMEOUT, server.replyLimit.wholeSeconds)
  }
}

extension ServerSettings.Secret {
  fileprivate var option: CURLoption {
    switch self {
    case .password: CURLOPT_PASSWORD
    case .token: CURLOPT_XOAUTH2_BEARER
    }
  }
}

extension Duration {
  /// Seconds, a part of one counted as a whole one, and at least 1: libcurl reads 0 as no limit.
  fileprivate var wholeSeconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(seconds) + (attoseconds > 0 ? 1 : 0))
  }
}
