import Configuration
import MessageFormat
import Posix
import Submission

extension SubmissionAgent {
  /// The agent of an account, as its settings say.
  init(
    _ account: Account, _ ready: ReadyAccount, _ delivery: Settings.Delivery,
    _ program: MemoSend
  ) {
    var settings = SubmissionSettings(
      host: ready.server.host, port: ready.server.port,
      security: ready.server.security == .implicitTLS ? .implicitTLS : .startTLS,
      user: ready.user, from: ready.from.address, to: ready.to.address)
    settings.mechanism = Self.mechanism(ready)
    settings.caFile = account.caFile
    settings.fingerprint = account.fingerprint.flatMap(CertificateFingerprint.init(hexadecimal:))
    settings.mailbox = account.imap.map { imap in
      SubmissionSettings.MailboxServer(
        host: imap.host, port: imap.port,
        security: imap.security == .implicitTLS ? .implicitTLS : .startTLS)
    }
    settings.ehloName = account.ehlo
    settings.hostName = Machine.hostName
    settings.timeouts.finalReply = delivery.replyTimeout
    let environment = program.environment
    let secret = ready.secret
    self.init(
      settings,
      secret: { () throws(SecretTrouble) in
        try Self.secret(secret, environment)
      },
      isStopping: { StopRequest.isMade })
  }

  private static func mechanism(_ ready: ReadyAccount) -> SubmissionSettings.Mechanism {
    switch ready.auth {
    case .automatic: if case .token = ready.secret { .token } else { .automatic }
    case .plain: .plain
    case .login: .login
    case .xoauth2: .xoauth2
    case .oauthbearer: .oauthbearer
    }
  }

  private static func secret(
    _ secret: ReadyAccount.Secret, _ environment: ProcessEnvironment
  ) throws(SecretTrouble) -> SecretBytes {
    switch secret {
    case .command(let command): try firstLine(of: .passwordCommand, command, environment)
    case .token(let command): try firstLine(of: .tokenCommand, command, environment)
    case .file(let path): try firstLine(ofFile: path)
    }
  }

  private static func firstLine(
    of key: AccountKey, _ command: String, _ environment: ProcessEnvironment
  ) throws(SecretTrouble) -> SecretBytes {
    do throws(ShellCommand.Failure) {
      return try ShellCommand.firstLine(
        of: command, environment: environment, timeoutSeconds: 30)
    } catch {
      throw SecretTrouble(key.rawValue + words(error))
    }
  }

  private static func words(_ failure: ShellCommand.Failure) -> String {
    switch failure {
    case .system(let error): ": \(error.text)"
    case .ended(.exited(let status)): " ended with status \(status)"
    case .ended(.signalled(let signal)): " was ended by signal \(signal)"
    case .timedOut: " took more than 30 s"
    case .empty: " printed nothing"
    }
  }

  private static func firstLine(ofFile path: String) throws(SecretTrouble) -> SecretBytes {
    do throws(Errno) {
      let file = try FileDescriptor(path, .read)
      let status = try file.status()
      guard status.isRegularFile else { throw Errno.wrongKind }
      if FilePermissions.fault(
        mode: status.permissions, owner: status.owner, user: Machine.user) != nil
      {
        throw Errno.accessDenied
      }
      var line = SecretBytes(capacity: 1 << 16)
      while try line.read(from: file) > 0 {}
      line.keepFirstLine()
      return line
    } catch .accessDenied {
      throw SecretTrouble("password-file must be readable by its owner alone: chmod go= FILE")
    } catch {
      throw SecretTrouble("password-file: \(error.text)")
    }
  }
}
