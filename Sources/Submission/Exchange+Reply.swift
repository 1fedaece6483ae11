import Outbox
import Transfer

// MARK: - What a server's words decide

extension Exchange {
  /// The outcome that a complete reply settles, `nil` where it settles nothing.
  func outcome(of reply: Reply) -> Outcome? {
    switch step {
    case .connect, .handshake, .greeting: outcome(ofGreeting: reply)
    case .ehlo: outcome(ofEHLO: reply)
    case .startTLS: refusal(of: reply, temporary: .noTLS, permanent: .noTLS)
    case .login: outcome(ofLogin: reply)
    case .body: nil
    case .mail, .rcpt, .data, .message: step.stage.flatMap { verdict(reply, at: $0) }
    }
  }

  private func outcome(ofGreeting reply: Reply) -> Outcome? {
    switch reply.code {
    case 200..<300: nil
    case 400..<600: .offline(Trouble(.unavailable, reply: reply))
    default: .offline(Trouble(.protocolError, reply: reply))
    }
  }

  /// A server that does not know EHLO has no extensions: no STARTTLS in clear, no login under TLS.
  private func outcome(ofEHLO reply: Reply) -> Outcome? {
    switch reply.code {
    case 400..<500: .offline(Trouble(.unavailable, reply: reply))
    case 500, 502: .account(Trouble(halt == .noEHLO ? .noLogin : .noTLS, reply: reply))
    case 500..<600: .account(Trouble(.accountRefused, reply: reply))
    default: nil
    }
  }

  /// A challenge that refuses the token says more than the 535 after it, which may never come.
  private func outcome(ofLogin reply: Reply) -> Outcome? {
    if let tokenRefusal, reply.code == 334 || (500..<600).contains(reply.code) {
      return .account(trouble(tokenRefusal, after: reply))
    }
    if reply.code == 334, result.code == .loginDenied {
      // What the challenge holds is not for people, and could be what was sent.
      return .account(Trouble(.loginRefused, reply: Reply(code: 334, lines: [])))
    }
    return refusal(of: reply, temporary: .accountRefused, permanent: .loginRefused)
  }

  /// A refused token, in the server's words: those of its last reply and of its challenge.
  func trouble(_ refusal: TokenRefusal, after reply: Reply?) -> Trouble {
    guard let reply, reply.code != 334 else {
      return Trouble(.loginRefused, reply: Reply(code: 334, lines: [refusal.words]))
    }
    let lines = reply.lines + [refusal.words]
    return Trouble(.loginRefused, reply: Reply(code: reply.code, lines: lines))
  }

  private func refusal(
    of reply: Reply, temporary: Trouble.Cause, permanent: Trouble.Cause
  ) -> Outcome? {
    switch reply.code {
    case 421: .offline(Trouble(.unavailable, reply: reply))
    case 400..<500: .account(Trouble(temporary, reply: reply))
    case 500..<600: .account(Trouble(permanent, reply: reply))
    default: nil
    }
  }

  /// A reply to MAIL, RCPT, DATA or the final dot: about the message, the account or the server.
  private func verdict(_ reply: Reply, at stage: Outcome.Stage) -> Outcome? {
    if reply.refusesSize { return .rejected(reply, at: stage) }
    if reply.refusesAccount(at: stage) { return .account(Trouble(.accountRefused, reply: reply)) }
    switch reply.code {
    case 421 where stage != .message: return .offline(Trouble(.unavailable, reply: reply))
    case 400..<500: return .deferred(reply, at: stage)
    case 500..<600: return .rejected(reply, at: stage)
    default: return nil
    }
  }
}

// MARK: - Codes with a meaning of their own

extension Reply {
  /// 552, 5.2.3 message too long, 5.3.4 message too big: this message, whatever the stage.
  ///
  /// RFC 5321 §4.2.3, RFC 3463 §3.3, §3.4.
  fileprivate var refusesSize: Bool {
    code == 552 || isPermanent && [.messageTooLong, .messageTooBig].contains(enhanced)
  }

  /// Codes by which a server refuses the account and not the message.
  ///
  /// 5.7.0 alone is too general once the server has seen the message: filters refuse content with
  /// it, and one bad message must not stop the others.
  fileprivate func refusesAccount(at stage: Outcome.Stage) -> Bool {
    if [504, 530, 534, 535, 538].contains(code) { return true }
    if code == 454 { return enhanced == .temporaryLoginFailure }
    guard isPermanent, let enhanced else { return false }
    if enhanced == .securityOther { return stage != .message }
    return EnhancedStatusCode.accountRefusals.contains(enhanced)
  }

  private var isPermanent: Bool { (500..<600).contains(code) }

  /// The first enhanced code that begins a line; some servers put a text before it.
  private var enhanced: EnhancedStatusCode? {
    lines.lazy.compactMap(EnhancedStatusCode.init(prefixing:)).first
  }
}

extension EnhancedStatusCode {
  fileprivate static let messageTooLong = EnhancedStatusCode(5, 2, 3)
  fileprivate static let messageTooBig = EnhancedStatusCode(5, 3, 4)
  fileprivate static let securityOther = EnhancedStatusCode(5, 7, 0)
  fileprivate static let temporaryLoginFailure = EnhancedStatusCode(4, 7, 0)

  /// Login and permission, and the daily quota of Gmail: RFC 4954 §6 and the large providers.
  fileprivate static let accountRefusals: Set<EnhancedStatusCode> = [
    EnhancedStatusCode(5, 7, 8), EnhancedStatusCode(5, 7, 30), EnhancedStatusCode(5, 7, 57),
    EnhancedStatusCode(5, 7, 60), EnhancedStatusCode(5, 7, 139), EnhancedStatusCode(5, 4, 5),
  ]
}
