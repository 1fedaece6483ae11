internal import Configuration
public import MessageStore
internal import Posix
public import Sealing

/// English.
public struct English: Language {
  /// The English words.
  public init() {}

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The English words.
  public func when(_ time: LocalTime, now: LocalTime) -> String {
    switch now.day - time.day {
    case 0: clock(time)
    case 1: "yesterday"
    case -1: "tomorrow " + clock(time)
    default:
      time.date.year == now.date.year
        ? "\(time.date.day) \(Self.months[time.date.month - 1])"
        : "\(time.date.day) \(Self.months[time.date.month - 1]) \(time.date.year)"
    }
  }

  private func clock(_ time: LocalTime) -> String {
    let (hour, minute) = (time.minute / 60, time.minute % 60)
    return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
  }

  /// A number of octets as a person says it.
  func size(_ octets: Int) -> String { ByteCount(octets).description }

  /// `1 note`, `2 notes`.
  func count(_ number: Int, _ one: String, _ many: String) -> String {
    number == 1 ? "1 \(one)" : "\(number) \(many)"
  }

  /// The English words.
  public func text(_ error: MessageStoreError) -> String {
    switch error {
    case .file(let path, let error): "\(path): \(error.text)"
    case .notPrivate(let path):
      "\(path) belongs to another user, or others may write in it"
    case .notDurable(let path, let error): "\(path): \(error.text)"
    case .vanished: "the note is gone"
    }
  }

  /// The English words.
  public func text(_ failure: IdentityFolder.Failure) -> String {
    switch failure {
    case .file(let path, let error): "\(path): \(error.text)"
    case .keyMissing(let path): "the identity key is gone: \(path)"
    case .certificateMissing(let path): "there is no certificate to seal to: \(path)"
    case .unusable(let path, let error): "\(path): \(text(error))"
    case .passphrase(let failure): "the key stays locked: \(text(failure))"
    case .busy(let path): "\(path): another process is changing the key"
    }
  }

  /// The English words.
  public func text(_ error: SealingError) -> String {
    switch error {
    case .notSealed: "not a sealed message"
    case .otherRecipient: "sealed for another key"
    case .damaged: "damaged"
    case .keyUnreadable: "not a private key that can be used"
    case .keyLocked: "the key has a passphrase, and nothing gives it"
    case .passphraseWrong: "the passphrase is wrong"
    case .certificateUnreadable: "not a certificate that can be used"
    case .keyDoesNotMatch: "the certificate belongs to another key"
    case .noRandomness(let number): "no random numbers: \(Errno(number).text)"
    case .library(let code): "libcrypto failed with code \(code)"
    }
  }
}
