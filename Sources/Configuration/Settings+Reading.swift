extension Settings {
  // Design: the ranges keep out what can only be a slip, such as a time-out in milliseconds.
  private static let waits: ClosedRange<Duration> = .seconds(1)...(.seconds(86400))
  private static let pauses: ClosedRange<Duration> = .zero...(.seconds(3600))
  private static let ages: ClosedRange<Duration> = .seconds(1)...(.seconds(365 * 86400))
  private static let keeps: ClosedRange<Duration> = .seconds(86400)...(.seconds(36500 * 86400))
  // Design: `keep = 90` is 90d with its unit forgotten, and would cost all notes but 90.
  private static let keptNotes = 1000...999_999_999
  private static let sizes = ByteCount(1 << 10)...ByteCount(1 << 30)

  /// Understands the values of a file.
  ///
  /// - Parameters:
  ///   - file: The file's sections and entries.
  ///   - home: The home directory, for paths that begin with `~/`.
  /// - Throws: `ConfigurationError.invalid` for the first value that is not as it should be.
  public init(_ file: ConfigurationFile, home: String) throws(ConfigurationError) {
    self.init()
    for section in file.sections {
      if section.kind == .account { accounts.append(Account(name: section.account)) }
      for entry in section.entries {
        do throws(ConfigurationFault) {
          try section.refuseConflict(with: entry)
          try set(entry.key, Value(entry, home: home))
        } catch {
          throw .invalid(file: file.name, line: entry.line, error)
        }
      }
    }
    if gpg.key != nil, !file.gives(.history(.protection)) { history.protection = .pgp }
    if gpg.key == nil { try refuseOpenPGP(in: file) }
    unbuiltFeatures = UnbuiltFeature.used(in: file)
  }

  /// Who asks for encryption and names no key must not be sent in the clear for it.
  private func refuseOpenPGP(in file: ConfigurationFile) throws(ConfigurationError) {
    for section in file.sections {
      for entry in section.entries {
        let isAsked =
          switch entry.key {
          case .history(.protection): history.protection == .pgp
          case .gpg(.wire): gpg.wire == .encrypted
          case .gpg(.sign): gpg.sign
          default: false
          }
        guard isAsked else { continue }
        throw .invalid(
          file: file.name, line: entry.line, .needs(.gpg(.key), for: entry.key))
      }
    }
  }

  private mutating func set(_ key: Key, _ value: Value) throws(ConfigurationFault) {
    switch key {
    case .account(let key): try accounts[accounts.count - 1].set(key, value)
    case .delivery(let key): try set(key, value)
    case .identity(let key): try set(key, value)
    case .gpg(let key): try set(key, value)
    case .history(let key): try set(key, value)
    case .composer(let key): try set(key, value)
    }
  }
}

// MARK: - The keys of each section

extension Account {
  fileprivate mutating func set(
    _ key: AccountKey, _ value: Value
  ) throws(ConfigurationFault) {
    switch key {
    case .from: from = value.text
    case .to: to = value.text
    case .toVerified: toVerified = value.text
    case .server: server = try value.server(.submission)
    case .user: user = value.text
    case .passwordCommand: passwordCommand = value.text
    case .passwordFile: passwordFile = try value.path()
    case .tokenCommand: tokenCommand = value.text
    case .auth: auth = try value.word()
    case .caFile: caFile = try value.path()
    case .fingerprint: fingerprint = try value.certificateFingerprint()
    case .ehlo: ehlo = try value.ehloName()
    case .limit: limit = try value.rate()
    case .imap: imap = try value.server(.imap)
    }
  }
}

extension Settings {
  private mutating func set(_ key: DeliveryKey, _ value: Value) throws(ConfigurationFault) {
    switch key {
    case .afterCapture: delivery.afterCapture = try value.yesOrNo()
    case .pace: delivery.pace = try value.durationsOrOff(in: Self.pauses)
    case .replyTimeout: delivery.replyTimeout = try value.duration(in: Self.waits)
    case .giveUp: delivery.giveUp = try value.duration(in: Self.ages)
    case .hosts: delivery.hosts = try value.word()
    case .maxSize: delivery.maxSize = try value.byteCount(in: Self.sizes)
    }
  }

  private mutating func set(_ key: IdentityKey, _ value: Value) throws(ConfigurationFault) {
    switch key {
    case .passphraseCommand: identity.passphraseCommand = value.text
    case .key: identity.key = try value.word()
    }
  }

  private mutating func set(_ key: GPGKey, _ value: Value) throws(ConfigurationFault) {
    switch key {
    case .key: gpg.key = try value.keyFingerprint()
    case .wire: gpg.wire = try value.word()
    case .sign: gpg.sign = try value.yesOrNo()
    }
  }

  private mutating func set(_ key: HistoryKey, _ value: Value) throws(ConfigurationFault) {
    switch key {
    case .protection: history.protection = try value.word()
    case .cache: history.cache = try value.yesOrNo()
    case .keep: history.keep = try value.keep(Self.keeps, or: Self.keptNotes)
    }
  }

  private mutating func set(_ key: ComposerKey, _ value: Value) throws(ConfigurationFault) {
    switch key {
    case .stay: composer.stay = try value.yesOrNo()
    case .animation: composer.animation = try value.yesOrNo()
    case .sound: composer.sound = try value.yesOrNo()
    case .announce: composer.announce = try value.yesOrNo()
    case .cover: composer.cover = try value.yesOrNo()
    case .share: composer.share = try value.yesOrNo()
    }
  }
}

// MARK: - Keys together

extension ConfigurationFile {
  /// Whether the file gives the key a value.
  fileprivate func gives(_ key: Key) -> Bool {
    sections.contains { $0.entries.contains { $0.key == key } }
  }
}

extension ConfigurationFile.Section {
  fileprivate func refuseConflict(
    with entry: ConfigurationFile.Entry
  ) throws(ConfigurationFault) {
    guard entry.key.namesSecret else { return }
    for other in entries where other.line < entry.line && other.key.namesSecret {
      throw .conflictingKeys(entry.key, and: other.key, firstLine: other.line)
    }
  }
}

extension Key {
  /// Whether the key says where an account's secret comes from; an account has one such at most.
  fileprivate var namesSecret: Bool {
    switch self {
    case .account(.passwordCommand), .account(.passwordFile), .account(.tokenCommand): true
    default: false
    }
  }
}
