import Outbox
import Posix
import Transfer

// MARK: - What libcurl's code decides where no reply does

extension Exchange {
  /// The outcome before the commit point, when no reply settles it.
  func outcomeOfCode() -> Outcome {
    switch result.code {
    case .proxyNotResolved, .notResolved: .offline(trouble(.resolver))
    case .notConnected: isOutOfResources ? .local(trouble(.resources)) : .offline(trouble(.connect))
    case .outOfMemory: .local(trouble(.resources))
    case .certificateRefused: .account(certificateTrouble)
    case .badTrustFile: .account(trouble(.certificate))
    case .noTLS: .account(trouble(.noTLS))
    case .loginDenied: .account(trouble(.noLogin))
    default: outcomeOfLoss()
    }
  }

  /// The outcome of silence before the commit point.
  func outcomeOfSilence() -> Outcome {
    isBeforeSession ? .offline(trouble(.timeout)) : .interrupted(trouble(.timeout))
  }

  /// What is known of a connection lost or silent, or of a reply that is none.
  var loss: Trouble {
    if halt == .timeout || result.code == .timedOut { return trouble(.timeout) }
    if step == .handshake { return trouble(.handshake) }
    if reply == nil, Self.lostCodes.contains(result.code) { return trouble(.connectionLost) }
    return trouble(.protocolError)
  }

  private func outcomeOfLoss() -> Outcome {
    if result.code == .handshakeFailed { return .offline(trouble(.handshake)) }
    return isBeforeSession ? .offline(loss) : .interrupted(loss)
  }

  /// Up to the greeting and inside a handshake, the server could as well not have been there.
  private var isBeforeSession: Bool { [.connect, .greeting, .handshake].contains(step) }

  private static let lostCodes: [TransferCode] = [.nothingReceived, .sendFailed, .receiveFailed]

  private func trouble(_ cause: Trouble.Cause) -> Trouble {
    let words = halt == .timeout ? TransferCode.timedOut.words : result.code.words
    // libcurl says no more than that it could not; the system knows why.
    let isTold = result.code == .notConnected && result.systemError != 0
    let why = isTold ? Errno(result.systemError).text : words
    return Trouble(cause, reply: reply, detail: "\(step): \(why)")
  }
}

// MARK: - This machine and the certificate

extension Exchange {
  /// ENOMEM, ENFILE, EMFILE: no socket could be had.
  private var isOutOfResources: Bool { [12, 23, 24].contains(result.systemError) }

  private var certificateTrouble: Trouble {
    Trouble(.certificate, detail: Self.certificateWords(result.verifyResult))
  }

  /// What is wrong with a certificate, in a few words.
  ///
  /// The numbers are those of `X509_STORE_CTX_get_error(3)`; a name that does not match is found
  /// after OpenSSL's own check.
  static func certificateWords(_ verifyResult: Int) -> String {
    switch verifyResult {
    case 0, 1, 62, 63, 64: "host name"
    case 9: "not yet valid"
    case 10: "expired"
    case 18: "self-signed"
    case 2, 19, 20, 21, 27: "unknown issuer"
    case 23: "revoked"
    case 26: "purpose"
    case 66, 67: "weak key"
    case 68: "weak digest"
    default: "verify result \(verifyResult)"
    }
  }
}
