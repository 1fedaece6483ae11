import Outbox
import Testing
import Transfer

@testable import Submission

/// Replies and losses to outcomes, without a network.
@Suite struct ExchangeTests {
  // MARK: - Replies

  /// A reply at a step, and the outcome it settles.
  struct Answer: Sendable, CustomTestStringConvertible {
    let step: Step
    let text: String
    let outcome: String

    init(_ step: Step, _ text: String, _ outcome: String) {
      self.step = step
      self.text = text
      self.outcome = outcome
    }

    var testDescription: String { "\(step): \(text)" }
  }

  @Test(arguments: [
    Answer(.greeting, "421 4.3.2 too many connections", "offline unavailable 421"),  // C12
    Answer(.greeting, "554 5.7.1 not you", "offline unavailable 554"),
    Answer(.greeting, "999 what", "offline protocolError 999"),
    Answer(.ehlo, "421 4.3.2 closing", "offline unavailable 421"),
    Answer(.ehlo, "451 4.3.0 later", "offline unavailable 451"),
    Answer(.ehlo, "502 5.5.1 no", "account noTLS 502"),
    Answer(.ehlo, "550 5.7.1 bad name", "account accountRefused 550"),
    Answer(.startTLS, "454 4.7.0 TLS not available", "account noTLS 454"),  // C20 b
    Answer(.startTLS, "502 5.5.1 no", "account noTLS 502"),
    Answer(.startTLS, "421 4.3.0 closing", "offline unavailable 421"),
    Answer(.login, "535 5.7.8 no", "account loginRefused 535"),
    Answer(.login, "535 5.7.139 disabled", "account loginRefused 535"),
    Answer(.login, "534 5.7.9 application-specific password", "account loginRefused 534"),
    Answer(.login, "454 4.7.0 too many logins", "account accountRefused 454"),
    Answer(.login, "432 4.7.12 transition", "account accountRefused 432"),
    Answer(.login, "421 4.7.0 later", "offline unavailable 421"),
    Answer(.mail, "451 4.3.0 later", "deferred mail 451"),
    Answer(.mail, "421 4.3.0 closing", "offline unavailable 421"),
    Answer(.mail, "530 5.7.0 log in", "account accountRefused 530"),
    Answer(.mail, "550 5.7.30 basic authentication", "account accountRefused 550"),
    Answer(.mail, "550 5.4.5 daily quota", "account accountRefused 550"),
    Answer(.mail, "550 5.7.0 policy", "account accountRefused 550"),
    Answer(.mail, "552 5.3.4 too big", "rejected mail 552"),
    Answer(.mail, "555 5.5.4 parameters", "rejected mail 555"),
    Answer(.rcpt, "450 4.2.0 greylisted", "deferred rcpt 450"),
    Answer(.rcpt, "550 5.1.1 no such user", "rejected rcpt 550"),
    Answer(.rcpt, "550 5.2.3 too long", "rejected rcpt 550"),
    Answer(.rcpt, "504 5.5.2 need fully-qualified hostname", "account accountRefused 504"),  // C10
    Answer(.rcpt, "454 4.7.0 later", "account accountRefused 454"),
    Answer(.rcpt, "454 4.7.1 relay access denied", "deferred rcpt 454"),
    Answer(.rcpt, "451 5.7.57 odd", "deferred rcpt 451"),
    Answer(.data, "451 4.3.0 later", "deferred data 451"),
    Answer(.data, "554 5.5.1 no valid recipients", "rejected data 554"),
    Answer(.data, "250 what", "interrupted protocolError 250"),
    Answer(.message, "421 4.3.0 closing", "deferred message 421"),
    Answer(.message, "451 4.7.1 later", "deferred message 451"),
    Answer(.message, "550 5.7.1 spam", "rejected message 550"),
    Answer(.message, "554 5.7.0 content", "rejected message 554"),
    Answer(.message, "552 5.7.0 content", "rejected message 552"),
    Answer(.message, "550 5.7.60 may not send as", "account accountRefused 550"),
    Answer(.message, "550 5.4.5 daily quota", "account accountRefused 550"),
    Answer(.message, "251 odd", "unknown protocolError 251"),
    Answer(.message, "354 odd", "unknown protocolError 354"),
  ])
  func aReplySettlesTheOutcome(_ answer: Answer) {
    let code = TransferCode(rawValue: 8)
    let exchange = Exchange(
      result: TransferResult(code: code), step: answer.step,
      isCommitted: answer.step == .message, reply: reply(answer.text))
    #expect(exchange.outcome().summary == answer.outcome)
  }

  @Test func aCodeOnALaterLineCounts() {
    let text = Reply(code: 550, lines: ["sorry", "5.4.5 daily quota exceeded"])
    let exchange = Exchange(
      result: TransferResult(code: .sendFailed), step: .rcpt, isCommitted: false, reply: text)
    #expect(exchange.outcome() == .account(Trouble(.accountRefused, reply: text)))
  }

  @Test func noEHLOUnderTLSMeansNoLogin() {
    let refusal = reply("502 5.5.1 unknown command")
    let exchange = Exchange(
      result: TransferResult(code: TransferCode(rawValue: 23)), step: .ehlo, isCommitted: false,
      reply: refusal, halt: .noEHLO)
    #expect(exchange.outcome() == .account(Trouble(.noLogin, reply: refusal)))
  }

  private func reply(_ text: String) -> Reply {
    Reply(code: Int(text.prefix(3)) ?? 0, lines: [String(text.dropFirst(4))])
  }

  // MARK: - Losses

  /// A code without a reply, and its outcome.
  struct Loss: Sendable, CustomTestStringConvertible {
    let code: Int
    let step: Step
    let outcome: String
    var halt: Exchange.Halt?
    var systemError: Int32 = 0
    var verifyResult = 0

    var testDescription: String { "\(code) at \(step)" }
  }

  @Test(arguments: [
    Loss(code: 6, step: .connect, outcome: "offline resolver"),
    Loss(code: 7, step: .connect, outcome: "offline connect", systemError: 111),
    Loss(code: 7, step: .connect, outcome: "local resources", systemError: 24),
    Loss(code: 27, step: .connect, outcome: "local resources"),
    Loss(code: 28, step: .connect, outcome: "offline timeout"),
    Loss(code: 35, step: .handshake, outcome: "offline handshake"),
    Loss(code: 60, step: .handshake, outcome: "account certificate expired", verifyResult: 10),
    Loss(code: 60, step: .handshake, outcome: "account certificate host name", verifyResult: 1),
    Loss(
      code: 60, step: .handshake, outcome: "account certificate verify result 99",
      verifyResult: 99),
    Loss(code: 64, step: .ehlo, outcome: "account noTLS"),
    Loss(
      code: 77, step: .connect,
      outcome: "account certificate connect: "
        + "Problem with the SSL CA cert (path? access rights?)"),
    Loss(code: 8, step: .handshake, outcome: "offline handshake"),
    Loss(code: 56, step: .greeting, outcome: "offline connectionLost"),
    Loss(code: 56, step: .login, outcome: "interrupted connectionLost"),
    Loss(code: 55, step: .mail, outcome: "interrupted connectionLost"),
    Loss(code: 28, step: .mail, outcome: "interrupted timeout"),
    Loss(code: 42, step: .mail, outcome: "interrupted timeout", halt: .timeout),
    Loss(code: 42, step: .handshake, outcome: "offline timeout", halt: .timeout),
    Loss(code: 42, step: .body, outcome: "interrupted timeout", halt: .timeout),
    Loss(code: 42, step: .body, outcome: "local aborted", halt: .cancelled),
    Loss(code: 42, step: .rcpt, outcome: "local aborted", halt: .stopRequested),
    Loss(code: 56, step: .body, outcome: "interrupted connectionLost"),
    Loss(code: 28, step: .message, outcome: "unknown timeout"),  // C14 b
    Loss(code: 42, step: .message, outcome: "unknown timeout", halt: .timeout),
    Loss(code: 56, step: .message, outcome: "unknown connectionLost"),  // C14 c, d
    Loss(code: 27, step: .message, outcome: "unknown protocolError"),
    Loss(code: 0, step: .message, outcome: "accepted 250"),
    Loss(code: 0, step: .rcpt, outcome: "interrupted protocolError"),
  ])
  func aLossIsJudgedByTheStep(_ loss: Loss) {
    let exchange = Exchange(
      result: TransferResult(
        code: TransferCode(rawValue: loss.code), verifyResult: loss.verifyResult,
        systemError: loss.systemError),
      step: loss.step, isCommitted: loss.step == .message, halt: loss.halt)
    #expect(exchange.outcome().summary == loss.outcome)
  }

  @Test func onlyAnIdleConnectionIsTriedAnew() {
    func exchange(_ step: Step, isReused: Bool, _ reply: Reply?) -> Exchange {
      Exchange(
        result: TransferResult(code: .sendFailed), step: step, isCommitted: false,
        isReused: isReused, reply: reply)
    }
    let closing = reply("421 4.4.2 idle for too long")
    #expect(exchange(.mail, isReused: true, closing).hitClosedConnection)
    #expect(exchange(.mail, isReused: true, nil).hitClosedConnection)
    #expect(!exchange(.mail, isReused: false, closing).hitClosedConnection)
    #expect(!exchange(.rcpt, isReused: true, closing).hitClosedConnection)
    #expect(!exchange(.mail, isReused: true, reply("550 5.1.8 no")).hitClosedConnection)
  }
}
