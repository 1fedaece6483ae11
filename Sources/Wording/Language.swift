internal import Capture
public import Configuration
internal import History
public import MessageStore
public import Outbox
internal import Posix
public import Sealing

// Design: one protocol that every language fills whole, and data in, words out: no sentence is
// put together anywhere else, so word order and plural forms are each language's own affair.

/// The words of a language for all that memo says.
public protocol Language: Sendable {
  /// Words about a note being captured.
  func text(_ sentence: CaptureSentence) -> String
  /// Words about notes on their way.
  func text(_ sentence: DeliverySentence) -> String
  /// Words about the history and how things stand.
  func text(_ sentence: HistorySentence) -> String
  /// Words about what is done with notes that there are.
  func text(_ sentence: VerbSentence) -> String
  /// Words about the key.
  func text(_ sentence: KeySentence) -> String
  /// Words about the command line.
  func text(_ sentence: UsageSentence) -> String

  /// Words about the notes in a mail client.
  func text(_ sentence: ViewSentence) -> String

  /// What is wrong with the settings.
  func text(_ error: ConfigurationError) -> String
  /// What is wrong with the identity.
  func text(_ failure: IdentityFolder.Failure) -> String
  /// What is wrong with sealing or opening.
  func text(_ error: SealingError) -> String
  /// What is wrong with the mail folder.
  func text(_ error: MessageStoreError) -> String
  /// Why a note waits or was given up.
  func text(_ reason: Reason) -> String

  /// What a person can do about gpg or the OpenPGP key; nil where the reason says it all.
  func hint(_ reason: Reason) -> String?

  /// When something was, for a line of the history: short, in local time.
  func when(_ time: LocalTime, now: LocalTime) -> String
  /// How a program is used; nil for the whole of it.
  func help(_ verb: String?) -> String
}

extension Language {
  /// What an account lacks.
  public func text(_ fault: ReadyAccount.Fault, of account: String?) -> String {
    switch fault {
    case .missing(let key): text(.missingKey(account: account, key: key.rawValue))
    case .badAddress(let key): text(.badAddress(account: account, key: key.rawValue))
    case .localPartNotASCII(let key):
      text(.localPartNotASCII(account: account, key: key.rawValue))
    }
  }
}

/// A time as a person's clock shows it.
public struct LocalTime: Sendable, Equatable {
  /// Seconds since 1970 that this would be in UTC.
  let seconds: Int64

  /// The local time at seconds since 1970.
  public init(secondsSinceEpoch seconds: Int64, zoneOffset: Int) {
    self.seconds = seconds + Int64(zoneOffset)
  }

  /// Days since 1970-01-01.
  var day: Int64 { Int64((Double(seconds) / 86400).rounded(.down)) }
  /// Minutes since midnight.
  var minute: Int { Int((seconds - day * 86400) / 60) }

  /// Seconds since 1970 as `2026-11-30T17:58:29Z`.
  ///
  /// RFC 3339 §5.6.
  public static func rfc3339(_ seconds: Int64) -> String {
    let time = LocalTime(secondsSinceEpoch: seconds, zoneOffset: 0)
    let (date, minute) = (time.date, time.minute)
    let second = Int(seconds - time.day * 86400) % 60
    let day = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
    return day + "T\(padded(minute / 60, 2)):\(padded(minute % 60, 2)):\(padded(second, 2))Z"
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(count - digits.utf8.count, 0)) + digits
  }

  /// Year, month 1...12 and day of the month, in the proleptic Gregorian calendar.
  var date: (year: Int, month: Int, day: Int) {
    // Eras of 400 years that begin on a 1 March, as the leap day then comes last.
    let shifted = Int(day) + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    return (
      year + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9,
      dayOfYear - (153 * month + 2) / 5 + 1
    )
  }
}
