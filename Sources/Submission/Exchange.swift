import Outbox
import Transfer

/// All that is known of one attempt to send a message, once its transfer has ended.
struct Exchange {
  /// Why the session was ended from this side.
  enum Halt: Equatable {
    /// The server's certificate is not the one it must be.
    case wrongCertificate(expected: CertificateFingerprint, found: CertificateFingerprint?)
    /// The address of this key has letters for which the server lacks SMTPUTF8.
    case noUTF8(String)
    /// EHLO was refused under TLS.
    case noEHLO
    /// The server offers no login that the account may use.
    case noLogin
    /// The message is larger than the server takes.
    case tooLarge(size: Int, limit: Int)
    /// The commit was refused.
    case cancelled
    /// The program was told to stop.
    case stopRequested
    /// The server was silent for too long.
    case timeout
  }

  /// libcurl's verdict: only code 0 is a success.
  let result: TransferResult
  /// How far the session came.
  let step: Step
  /// Whether the last octets of the message were given.
  let isCommitted: Bool
  /// Whether the session was one that had already carried a message.
  var isReused = false
  /// The complete reply to the step reached, if there was one.
  var reply: Reply?
  /// Why it was ended from this side, if it was.
  var halt: Halt?
  /// The mechanisms that the server offered.
  var offered: [String] = []
  /// Why the server does not take the token, where it said so in a challenge.
  var tokenRefusal: TokenRefusal?
}

extension Exchange {
  /// Whether the server had merely closed the idle connection, so that a fresh one is worth trying.
  ///
  /// A server that closes says 421 to the next command, or nothing. RFC 5321 §3.8.
  var hitClosedConnection: Bool {
    guard isReused, step == .mail, halt == nil else { return false }
    return reply.map { $0.code == 421 } ?? true
  }

  /// Whether the connection can carry another message: libcurl keeps it after a reply to the dot.
  var leavesConnection: Bool {
    guard isCommitted, halt == nil, let reply else { return false }
    return result.code == .ok || result.code == .weirdReply && (400..<600).contains(reply.code)
  }

  /// What became of the message.
  func outcome() -> Outcome {
    if result.code == .ok, isCommitted { return .accepted(reply ?? Reply(code: 250, lines: [])) }
    if let halt { return outcome(of: halt) }
    if let reply, let outcome = outcome(of: reply) { return outcome }
    if step == .login, let tokenRefusal { return .account(trouble(tokenRefusal, after: nil)) }
    if isCommitted { return .unknown(loss) }
    return outcomeOfCode()
  }

  private func outcome(of halt: Halt) -> Outcome {
    switch halt {
    case .wrongCertificate(let expected, let found):
      .account(Trouble(.certificate, detail: expected.difference(from: found)))
    case .noUTF8(let key):
      .account(Trouble(.badAddress, detail: "\(key): the server does not offer SMTPUTF8"))
    case .noEHLO: reply.flatMap(outcome(of:)) ?? .account(Trouble(.noLogin, reply: reply))
    case .noLogin: .account(Trouble(.noLogin, detail: offered.joined(separator: " ")))
    case .tooLarge(let size, let limit): .tooLarge(size: size, limit: limit)
    case .cancelled, .stopRequested: .local(Trouble(.aborted, detail: "\(halt)"))
    case .timeout: isCommitted ? .unknown(loss) : outcomeOfSilence()
    }
  }
}

extension Outcome {
  /// A refusal in the server's stead, in the words of RFC 3463 §3.4: message too big for system.
  static func tooLarge(size: Int, limit: Int) -> Outcome {
    let text = "5.3.4 message size \(size) exceeds the server's limit of \(limit)"
    return .rejected(Reply(code: 552, lines: [text]), at: .mail)
  }
}
