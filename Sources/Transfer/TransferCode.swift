internal import CCurl

/// How libcurl says that a transfer ended, as data.
///
/// The corresponding C type is `CURLcode`; see `libcurl-errors(3)`.
public struct TransferCode: Sendable, Hashable {
  /// The number of the `CURLcode`.
  public let rawValue: Int

  /// A code of this number.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// The transfer succeeded: for a message, 250 after the final dot.
  public static let ok = TransferCode(rawValue: 0)
  /// The proxy's name was not found.
  public static let proxyNotResolved = TransferCode(rawValue: 5)
  /// The server's name was not found.
  public static let notResolved = TransferCode(rawValue: 6)
  /// No connection could be made.
  public static let notConnected = TransferCode(rawValue: 7)
  /// The server's answer was not the one expected.
  public static let weirdReply = TransferCode(rawValue: 8)
  /// The server refused a command of a mailbox transfer.
  public static let commandRefused = TransferCode(rawValue: 21)
  /// Memory ran out.
  public static let outOfMemory = TransferCode(rawValue: 27)
  /// One of libcurl's own time limits passed.
  public static let timedOut = TransferCode(rawValue: 28)
  /// The TLS handshake failed.
  public static let handshakeFailed = TransferCode(rawValue: 35)
  /// The connection ended without a word.
  public static let nothingReceived = TransferCode(rawValue: 52)
  /// Sending failed; also the code for a refused MAIL, RCPT or DATA.
  public static let sendFailed = TransferCode(rawValue: 55)
  /// Receiving failed.
  public static let receiveFailed = TransferCode(rawValue: 56)
  /// The server's certificate did not pass.
  public static let certificateRefused = TransferCode(rawValue: 60)
  /// STARTTLS is not offered or was refused.
  public static let noTLS = TransferCode(rawValue: 64)
  /// The login was refused, or no mechanism fits.
  public static let loginDenied = TransferCode(rawValue: 67)
  /// The file of trusted certificates could not be read.
  public static let badTrustFile = TransferCode(rawValue: 77)

  /// libcurl's fixed words for the code, which hold nothing of the transfer.
  ///
  /// The corresponding C function is `curl_easy_strerror(3)`.
  public var words: String {
    guard let words = unsafe curl_easy_strerror(CURLcode(rawValue: UInt32(rawValue))) else {
      return ""
    }
    return unsafe String(cString: words)
  }
}

/// How a transfer ended.
public struct TransferResult: Sendable, Equatable {
  /// libcurl's code.
  public let code: TransferCode

  /// What OpenSSL found wrong with the certificate; 0 for nothing.
  ///
  /// The numbers are those of `SSL_get_verify_result(3)`; 1 also stands for another host's name.
  public let verifyResult: Int

  /// The `errno` of the last failed connect or socket call, 0 for none.
  public let systemError: Int32

  /// A transfer that ended in this way.
  public init(code: TransferCode, verifyResult: Int = 0, systemError: Int32 = 0) {
    self.code = code
    self.verifyResult = verifyResult
    self.systemError = systemError
  }
}

/// Why a transfer could not even begin.
public enum TransferError: Error, Equatable {
  /// libcurl could not be set up, for want of memory or entropy.
  case unavailable
  /// libcurl refused an option.
  case option(TransferCode)
}
