import Configuration
import MessageFormat
import MessageStore
import Outbox
import PGPMIME
import Posix

extension Protection {
  /// The protection that the settings ask for; gpg is not started before it is needed.
  init(
    _ settings: Settings, _ paths: Paths, _ program: MemoSend, _ state: consuming StateFolder
  ) {
    self.init()
    switch settings.history.protection {
    case .sealed: form = .sealed
    case .pgp: form = .openPGP
    case .none: form = .plain
    }
    cache = settings.history.cache ? SealedCache(paths.sealedCache) : nil
    let sealing = SealingAgain(settings, paths, program)
    decrypt = { (armor) throws(Trouble) in try sealing.decrypt(armor) }
    sealAgain = { (message, outer) throws(Trouble) in try sealing.seal(message, outer) }
    guard let key = settings.gpg.key else { return }
    self.key = key
    encryptsWire = settings.gpg.wire == .encrypted
    let encryption = Encryption(to: key, isSigned: settings.gpg.sign, program, state)
    encrypt = { (message, purpose) throws(Trouble) in try encryption.encrypt(message, purpose) }
  }
}

/// Encryption to the owner, with one context for all the notes of a run.
private final class Encryption {
  private let key: String
  private let isSigned: Bool
  private let program: MemoSend
  private let state: StateFolder
  private var encryptor: Encryptor?
  private var hasLookedUp = false
  /// What failed already, and would make each note of the run wait as long.
  private var failure: OpenPGPFailure?
  private static let timeoutSeconds = 30
  /// A person who types a passphrase takes longer.
  private static let attendedSeconds = 120

  init(
    to key: String, isSigned: Bool, _ program: MemoSend, _ state: consuming StateFolder
  ) {
    self.key = key
    self.isSigned = isSigned
    self.program = program
    self.state = state
  }

  func encrypt(_ message: Message, _ purpose: Protection.Purpose) throws(Trouble) -> Message {
    do throws(OpenPGPFailure) {
      if purpose == .history, let failure { throw failure }
      let encryptor = try theEncryptor()
      // What is only kept is not signed: a locked key must not hold the history up.
      let encrypted = try encryptor.encrypt(
        message, isSigned: isSigned && purpose == .wire, now: program.clock.seconds)
      lookUpExpiry(encryptor)
      return encrypted
    } catch {
      failure = error
      throw Trouble(error)
    }
  }

  private func theEncryptor() throws(OpenPGPFailure) -> Encryptor {
    if let encryptor { return encryptor }
    let isAttended = StandardStream.input.isTerminal && StandardStream.messages.isTerminal
    let made = try Encryptor(
      to: key, isAttended: isAttended,
      timeoutSeconds: isAttended && isSigned ? Self.attendedSeconds : Self.timeoutSeconds)
    encryptor = made
    return made
  }

  /// Once a day is enough, and `memo status` needs no gpg then.
  private func lookUpExpiry(_ encryptor: Encryptor) {
    guard !hasLookedUp else { return }
    hasLookedUp = true
    let now = program.clock.seconds
    // One that is about to expire may have been prolonged meanwhile.
    if let known = state.keyExpiry(key), (0..<86400).contains(now - known.looked),
      known.expires.map({ $0 > now + 40 * 86400 }) ?? true
    {
      return
    }
    do throws(OpenPGPFailure) {
      let expires = try encryptor.keyExpiry()
      state.setKeyExpiry(StateFolder.KeyExpiry(expires: expires, looked: now), of: key)
    } catch {
      // The note was encrypted all the same: there is nothing to tell.
    }
  }
}

extension Trouble {
  /// What the failure means for a note.
  fileprivate init(_ failure: OpenPGPFailure) {
    switch failure {
    case .notInstalled: self.init(.openPGPMissing)
    case .keyMissing: self.init(.openPGPKeyMissing)
    case .keyExpired: self.init(.openPGPKeyExpired)
    case .keyRevoked: self.init(.openPGPKeyRevoked)
    case .keyNotYetValid: self.init(.openPGPKeyNotYetValid)
    case .keyDisabled: self.init(.openPGPKeyDisabled)
    case .keyCannotEncrypt: self.init(.openPGPKeyCannotEncrypt)
    case .cannotSign: self.init(.openPGPCannotSign)
    case .locked: self.init(.openPGPLocked)
    case .timedOut(let seconds): self.init(.openPGPTimeout, detail: "\(seconds) s")
    case .badOutput: self.init(.openPGPFailed, detail: "its output is no encrypted message")
    case .engine(_, let words): self.init(.openPGPFailed, detail: words)
    }
  }
}
