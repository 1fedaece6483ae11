// Design: every key the file may hold is a case here, whether its feature exists yet or not, so
// that the switches which read them are exhaustive and a misspelt key never passes for a later
// one.

/// The sections of the configuration file.
public enum SectionKind: String, Sendable, CaseIterable {
  /// `[account]` or `[account NAME]`: where notes are sent from, to, and through.
  case account
  /// When and how the outbox is worked off.
  case delivery
  /// The key notes are sealed to.
  case identity
  /// OpenPGP.
  case gpg
  /// The folders sent and failed.
  case history
  /// The page on a terminal.
  case composer
}

/// A key of the configuration file, in its section.
public enum Key: Sendable, Hashable {
  /// A key of an account.
  case account(AccountKey)
  /// A key of `[delivery]`.
  case delivery(DeliveryKey)
  /// A key of `[identity]`.
  case identity(IdentityKey)
  /// A key of `[gpg]`.
  case gpg(GPGKey)
  /// A key of `[history]`.
  case history(HistoryKey)
  /// A key of `[composer]`.
  case composer(ComposerKey)

  /// The key of a section with this name, if there is one.
  public init?(_ name: String, in section: SectionKind) {
    let key: Key? =
      switch section {
      case .account: AccountKey(rawValue: name).map(Key.account)
      case .delivery: DeliveryKey(rawValue: name).map(Key.delivery)
      case .identity: IdentityKey(rawValue: name).map(Key.identity)
      case .gpg: GPGKey(rawValue: name).map(Key.gpg)
      case .history: HistoryKey(rawValue: name).map(Key.history)
      case .composer: ComposerKey(rawValue: name).map(Key.composer)
      }
    guard let key else { return nil }
    self = key
  }

  /// The name as it is written in the file.
  public var name: String {
    switch self {
    case .account(let key): key.rawValue
    case .delivery(let key): key.rawValue
    case .identity(let key): key.rawValue
    case .gpg(let key): key.rawValue
    case .history(let key): key.rawValue
    case .composer(let key): key.rawValue
    }
  }

  /// The section the key belongs to.
  public var section: SectionKind {
    switch self {
    case .account: .account
    case .delivery: .delivery
    case .identity: .identity
    case .gpg: .gpg
    case .history: .history
    case .composer: .composer
    }
  }

  /// Every key of a section.
  public static func all(in section: SectionKind) -> [Key] {
    switch section {
    case .account: AccountKey.allCases.map(Key.account)
    case .delivery: DeliveryKey.allCases.map(Key.delivery)
    case .identity: IdentityKey.allCases.map(Key.identity)
    case .gpg: GPGKey.allCases.map(Key.gpg)
    case .history: HistoryKey.allCases.map(Key.history)
    case .composer: ComposerKey.allCases.map(Key.composer)
    }
  }
}

// MARK: - The keys of each section

/// The keys of `[account]` and `[account NAME]`; what they mean is told at `Account`.
public enum AccountKey: String, Sendable, CaseIterable {
  /// See the properties of the same names.
  case from, to, server, user, auth, fingerprint, ehlo, limit, imap
  /// See `Account.toVerified`.
  case toVerified = "to-verified"
  /// See `Account.passwordCommand`.
  case passwordCommand = "password-command"
  /// See `Account.passwordFile`.
  case passwordFile = "password-file"
  /// See `Account.tokenCommand`.
  case tokenCommand = "token-command"
  /// See `Account.caFile`.
  case caFile = "ca-file"
}

/// The keys of `[delivery]`; what they mean is told at `Settings.Delivery`.
public enum DeliveryKey: String, Sendable, CaseIterable {
  /// See the properties of the same names.
  case pace, hosts
  /// See `Settings.Delivery.afterCapture`.
  case afterCapture = "after-capture"
  /// See `Settings.Delivery.replyTimeout`.
  case replyTimeout = "reply-timeout"
  /// See `Settings.Delivery.giveUp`.
  case giveUp = "give-up"
  /// See `Settings.Delivery.maxSize`.
  case maxSize = "max-size"
}

/// The keys of `[identity]`; what they mean is told at `Settings.Identity`.
public enum IdentityKey: String, Sendable, CaseIterable {
  /// See the properties of the same names.
  case key
  /// See `Settings.Identity.passphraseCommand`.
  case passphraseCommand = "passphrase-command"
}

/// The keys of `[gpg]`; what they mean is told at `Settings.GPG`.
public enum GPGKey: String, Sendable, CaseIterable {
  /// See the properties of the same names.
  case key, wire, sign
}

/// The keys of `[history]`; what they mean is told at `Settings.History`.
public enum HistoryKey: String, Sendable, CaseIterable {
  /// See the properties of the same names.
  case protection, cache, keep
}

/// The keys of `[composer]`; what they mean is told at `Settings.Composer`.
public enum ComposerKey: String, Sendable, CaseIterable {
  /// See the properties of the same names.
  case stay, animation, sound, announce, cover, share
}
