import Configuration
import MessageStore
import Outbox
import Posix
import Sealing
import Wording

/// Seals all stored notes to the present key, so that old keys are needed no more.
struct RewrapCommand {
  private let home: Home
  private let removesOld: Bool
  private var language: any Language { home.language }
  /// How long a note may be on its way from the certificate to the outbox.
  private static let longestCapture: Int64 = 86_400

  init(_ home: Home, removesOld: Bool) {
    self.home = home
    self.removesOld = removesOld
  }

  func run() throws(ExitStatus) -> ExitStatus {
    let opener = try home.withIdentity { (identity) throws(IdentityFolder.Failure) in
      try identity.opener(home.passphraseSource)
    }
    let recipient = try home.withIdentity { (identity) throws(IdentityFolder.Failure) in
      try identity.recipient(
        keyIsElsewhere: false, now: home.memo.clock.seconds, random: home.memo.random)
    }
    var work = Rewrapping(opener, to: recipient)
    try rewrapAll(&work)
    let counts = work.counts
    home.say(
      language.text(
        .rewrapped(counts.rewrapped, already: counts.already, bad: counts.failed)))
    if removesOld {
      guard counts.failed == 0 else { throw home.stop(.oldKeysKept, .badData) }
      try removeOldKeys()
    }
    return counts.failed == 0 ? .success : .badData
  }

  private func rewrapAll(_ work: inout Rewrapping) throws(ExitStatus) {
    let progress = Progress()
    defer { progress.clear() }
    func report(_ path: String, _ failure: Rewrapping.Failure?) {
      guard let failure else { return progress.step() }
      progress.clear()
      home.say(language.text(.notRewrapped(path: path, why: text(failure))))
    }
    do throws(MessageStoreError) {
      let store = try MailStore(home.paths.mail)
      // Whoever sends would meanwhile rename and rewrite the same files.
      guard let lock = try store.lock() else { throw MessageStoreError.vanished }
      try work.work(on: store.outbox, report: report)
      try work.work(on: store.sent, report: report)
      try work.work(on: store.failed, report: report)
      try work.work(onFilesIn: home.paths.sealedCache, report: report)
      lock.release()
    } catch .vanished {
      throw home.stop(.senderAtWork, .tryAgain)
    } catch {
      home.say(language.text(error))
      throw .tryAgain
    }
  }

  private func text(_ failure: Rewrapping.Failure) -> String {
    switch failure {
    case .sealing(let error): language.text(error)
    case .store(let error): language.text(error)
    }
  }

  /// Every file is sealed to the present key by now.
  private func removeOldKeys() throws(ExitStatus) {
    let end = try home.withIdentity { (identity) throws(IdentityFolder.Failure) in
      try identity.lastRotation() + Self.longestCapture
    }
    guard end <= home.memo.clock.seconds else {
      throw home.stop(.tooSoon(until: home.when(end)), .tryAgain)
    }
    let removed = try home.withIdentity { (identity) throws(IdentityFolder.Failure) in
      let change = try identity.beginChange()
      let present = try identity.description()
      // Of a rotation that was broken off, the certificate is still that of an old key.
      let names = present.oldKeys.filter { $0 != present.keyIdentifier }
      for name in names { try identity.removeOldKey(change, name) }
      return names
    }
    for name in removed { home.say(language.text(.oldKeyRemoved(name: name))) }
  }
}

/// A count on the terminal that goes away again.
final class Progress {
  private var count = 0
  private var isShown = false
  private let isWatched = StandardStream.messages.isTerminal
  /// So many are gone before the count could be read.
  private static let fewest = 50

  /// Counts one more.
  func step() {
    count += 1
    guard isWatched, count % Self.fewest == 0 else { return }
    isShown = true
    // CR and "erase to the end of the line", ECMA-48 §8.3.41.
    write("\r\u{1B}[K\(count)")
  }

  /// Takes the count away.
  func clear() {
    guard isShown else { return }
    isShown = false
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) { try? StandardStream.messages.write(Array(text.utf8)) }
}
