import Configuration
import History
import MessageFormat
import Outbox
import Posix
import Sealing

/// Gives notes that came back into the outbox in another form the sealed one.
final class SealingAgain {
  private let settings: Settings
  private let paths: Paths
  private let program: MemoSend
  /// What would make each note of the run wait as long.
  private var failure: OpenPGPDecryption.Failure?

  /// Nothing is read or started before it is needed.
  init(_ settings: Settings, _ paths: Paths, _ program: MemoSend) {
    (self.settings, self.paths, self.program) = (settings, paths, program)
  }

  func decrypt(_ armor: [UInt8]) throws(Trouble) -> Message {
    let isAttended = StandardStream.input.isTerminal && StandardStream.messages.isTerminal
    let gpg = OpenPGPDecryption(
      environment: program.environment,
      terminal: isAttended ? StandardStream.input.terminalPath : nil)
    do throws(OpenPGPDecryption.Failure) {
      if let failure { throw failure }
      return try gpg.message(in: armor)
    } catch {
      switch error {
      case .notInstalled, .locked, .timedOut: failure = error
      case .noSecretKey, .damaged, .failed: break
      }
      throw Trouble(error)
    }
  }

  func seal(_ message: Message, _ outer: Message) throws(Trouble) -> Message {
    do throws(IdentityFolder.Failure) {
      let recipient = try IdentityFolder(paths.identity).recipient(
        keyIsElsewhere: settings.identity.key == .elsewhere, now: program.clock.seconds,
        random: program.random)
      return try seal(message, outer, recipient)
    } catch {
      throw Trouble(.keyMissing)
    }
  }

  private func seal(
    _ message: Message, _ outer: Message, _ recipient: borrowing Recipient
  ) throws(IdentityFolder.Failure) -> Message {
    do throws(SealingError) {
      return try recipient.seal(again: message, lyingAs: outer)
    } catch {
      throw .unusable(path: paths.identity, error)
    }
  }
}

extension Trouble {
  /// Why a note stays encrypted.
  fileprivate init(_ failure: OpenPGPDecryption.Failure) {
    switch failure {
    case .notInstalled: self.init(.openPGPMissing)
    case .timedOut(let seconds): self.init(.openPGPTimeout, detail: "\(seconds) s")
    case .noSecretKey: self.init(.openPGPNotDecrypted, detail: "the secret key is not here")
    case .locked: self.init(.openPGPNotDecrypted, detail: "the secret key is locked")
    case .damaged: self.init(.openPGPNotDecrypted, detail: "it is damaged")
    case .failed: self.init(.openPGPNotDecrypted)
    }
  }
}
