internal import MessageStore
public import Outbox

/// How things stand, for `memo status`.
public struct StatusReport: Sendable, Equatable {
  /// Notes that wait.
  public var waiting = 0
  /// Notes among them that may have been delivered.
  public var perhapsDelivered = 0
  /// Notes that were given up.
  public var failed = 0
  /// Notes that were delivered.
  public var sent = 0
  /// When the next waiting note is due, in seconds since 1970; nil when none waits.
  public var nextDue: Int64?
  /// When a server last took a note, in seconds since 1970.
  public var lastAccepted: Int64?
  /// The accounts that are on hold.
  public var held: [HeldAccount] = []
  /// When the outbox was last worked off by a timer or the like, in seconds since 1970.
  public var lastUnattendedRun: Int64?

  /// Why notes wait for gpg or the OpenPGP key, nil when none does.
  public var openPGPTrouble: Reason?
  /// When the OpenPGP key expires, in seconds since 1970, where that is known and soon.
  public var keyExpires: Int64?

  /// An account that is on hold.
  public struct HeldAccount: Sendable, Equatable {
    /// Its name, nil for the one without.
    public let account: String?
    /// The hold.
    public let hold: AccountState.Hold
  }

  /// A report of an empty store.
  public init() {}

  /// Whether a person has to do something.
  public var needsPerson: Bool {
    failed > 0 || openPGPTrouble != nil || keyExpires != nil
      || held.contains { $0.hold.kind == .paused }
  }
}

extension History {
  /// Counts the notes, and looks at the accounts of the given names.
  ///
  /// - Parameters:
  ///   - accounts: The names of the accounts.
  ///   - settingsModified: When the settings were changed last, in seconds since 1970.
  ///   - openPGPKey: The fingerprint of the OpenPGP key, of which the sender keeps when it expires.
  /// - Returns: How things stand.
  /// - Throws: `HistoryError.store` when a folder cannot be read.
  public borrowing func status(
    accounts: [String?], settingsModified: Int64, openPGPKey: String? = nil
  ) throws(HistoryError) -> StatusReport {
    var report = StatusReport()
    report.keyExpires = openPGPKey.flatMap { soonExpiry(of: $0) }
    for entry in try entries(in: Set(MailStore.FolderName.allCases)) {
      switch entry.folder {
      case .sent: report.sent += 1
      case .failed: report.failed += 1
      case .outbox: try count(entry, in: &report)
      }
    }
    for account in accounts { look(at: account, settingsModified, &report) }
    return report
  }

  private borrowing func count(
    _ entry: HistoryEntry, in report: inout StatusReport
  ) throws(HistoryError) {
    do throws(HistoryError) {
      switch try state(of: entry) {
      case .sent, .failed: return
      case .waiting(let until, let reason):
        report.nextDue = min(report.nextDue ?? until, until)
        if let reason, reason.isAboutOpenPGP { report.openPGPTrouble = reason }
      case .perhapsDelivered(let until, _):
        report.perhapsDelivered += 1
        report.nextDue = min(report.nextDue ?? until, until)
      }
      report.waiting += 1
    } catch .vanished {
      // It went on its way while it was being counted.
    }
  }
}
