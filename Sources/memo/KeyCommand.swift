import Characters
import Configuration
import MessageStore
import Outbox
import Posix
import Sealing
import Wording

/// Shows, copies and changes the key that notes are sealed to.
struct KeyCommand {
  let home: Home
  private let request: KeyRequest
  var language: any Language { home.language }

  init(_ home: Home, _ request: KeyRequest) {
    self.home = home
    self.request = request
  }

  func run() throws(ExitStatus) -> ExitStatus {
    switch request {
    case .show: try show()
    case .export(let options): try export(options)
    case .passphrase(let isRemoved): try changePassphrase(isRemoved: isRemoved)
    case .recover(let options): try RecoverCommand(home, options).run()
    case .rotate: try rotate()
    case .rewrap(let removesOld): try RewrapCommand(home, removesOld: removesOld).run()
    }
  }
}

// MARK: - What all of them need

extension Home {
  /// Whether notes are sent without anybody there who could give a passphrase.
  var sendsUnattended: Bool {
    if settings.delivery.afterCapture || MailStore.hasWaitingSender(at: paths.mail) { return true }
    guard let last = (try? StateFolder(paths.state))?.lastUnattendedRun() else { return false }
    return memo.clock.seconds - last < 86400
  }

  /// Says something, and gives the status to end with.
  func stop(_ sentence: KeySentence, _ status: ExitStatus) -> ExitStatus {
    say(language.text(sentence))
    return status
  }

  /// Does something with the identity; its failures are told, and end the command.
  func withIdentity<Result: ~Copyable>(
    _ body: (borrowing IdentityFolder) throws(IdentityFolder.Failure) -> Result
  ) throws(ExitStatus) -> Result {
    do throws(IdentityFolder.Failure) {
      return try body(try IdentityFolder(paths.identity))
    } catch {
      say(language.text(error))
      throw Self.status(error)
    }
  }

  private static func status(_ failure: IdentityFolder.Failure) -> ExitStatus {
    switch failure {
    case .unusable(_, .keyLocked), .unusable(_, .passphraseWrong), .passphrase(.terminal):
      .noPermission
    case .file, .busy: .tryAgain
    case .keyMissing, .certificateMissing, .unusable, .passphrase: .configuration
    }
  }

  /// Asks for a new passphrase, twice.
  ///
  /// - Parameters:
  ///   - what: What it will protect.
  ///   - hint: What else there is to do for somebody who wants none.
  /// - Returns: At least one octet.
  /// - Throws: After having said why there is none.
  func askNewPassphrase(
    of what: String, orHint hint: KeySentence? = nil
  ) throws(ExitStatus) -> SecretBytes {
    guard HiddenQuestion.canAsk else { throw stop(.noTerminal, .noPermission) }
    let first = try ask(.askNew(what: what))
    guard first.count > 0 else {
      say(language.text(.emptyPassphrase))
      if let hint { self.hint(language.text(hint)) }
      throw .badData
    }
    let second = try ask(.askAgain)
    guard first.holdsSame(as: second) else { throw stop(.differ, .badData) }
    return first
  }

  /// Asks for a passphrase.
  func ask(_ question: KeySentence) throws(ExitStatus) -> SecretBytes {
    do throws(Errno) {
      return try HiddenQuestion.ask(language.text(question), limit: PassphraseSource.limit)
    } catch .noTerminal {
      throw stop(.noTerminal, .noPermission)
    } catch {
      throw stop(.noPassphrase(error), .noPermission)
    }
  }

  /// The first line of a file that its owner alone may read, or of standard input.
  func passphrase(inFile path: String) throws(ExitStatus) -> SecretBytes {
    do throws(Errno) {
      var line = SecretBytes(capacity: PassphraseSource.limit + 2)
      if path == "-" {
        try StandardStream.input.read(into: &line)
      } else {
        try Self.read(path, into: &line)
      }
      line.keepFirstLine()
      guard line.count > 0, line.count <= PassphraseSource.limit else { throw Errno.noData }
      return line
    } catch .accessDenied {
      throw stop(.passphraseFileOpen(path: path), .configuration)
    } catch {
      throw stop(.passphraseFile(path: path, error), .noInput)
    }
  }

  private static func read(_ path: String, into line: inout SecretBytes) throws(Errno) {
    let file = try FileDescriptor(path, .read)
    let status = try file.status()
    guard status.isRegularFile else { throw .wrongKind }
    if FilePermissions.fault(
      mode: status.permissions, owner: status.owner, user: Machine.user) != nil
    {
      throw .accessDenied
    }
    while try line.read(from: file) > 0 {}
  }
}
