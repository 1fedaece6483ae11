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
    settings.mechanism =
      switch account.auth {
      case .plain: .plain
      case .login: .login
      default: .automatic
      }
    settings.caFile = account.caFile
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

  private static func secret(
    _ secret: ReadyAccount.Secret, _ environment: ProcessEnvironment
  ) throws(SecretTrouble) -> SecretBytes {
    switch secret {
    case .command(let command): try firstLine(ofCommand: command, environment)
    case .file(let path): try firstLine(ofFile: path)
    }
  }

  private static func firstLine(
    ofCommand command: String, _ environment: ProcessEnvironment
  ) throws(SecretTrouble) -> SecretBytes {
    do throws(ShellCommand.Failure) {
      return try ShellCommand.firstLine(
        of: command, environment: environment, timeoutSeconds: 30)
    } catch {
      switch error {
      case .system(let error): throw SecretTrouble("password-command: \(error.text)")
      case .ended(.exited(let status)):
        throw SecretTrouble("password-command ended with status \(status)")
      case .ended(.signalled(let signal)):
        throw SecretTrouble("password-command was ended by signal \(signal)")
      case .timedOut: throw SecretTrouble("password-command took more than 30 s")
      case .empty: throw SecretTrouble("password-command printed nothing")
      }
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
