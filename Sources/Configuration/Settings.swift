// Design: the type is not called Configuration, as no module has the name of one of its types:
// `Configuration.Account` would then be looked for inside the type.

/// What the configuration file says, every value understood, defaults where it says nothing.
public struct Settings: Sendable, Equatable {
  /// The accounts in the order of the file.
  public var accounts: [Account] = []
  /// When and how the outbox is worked off.
  public var delivery = Delivery()
  /// The key notes are sealed to.
  public var identity = Identity()
  /// OpenPGP.
  public var gpg = GPG()
  /// The folders sent and failed.
  public var history = History()
  /// The page on a terminal.
  public var composer = Composer()
  /// What the file asks for and this version of the program does not do.
  public var unbuiltFeatures: [UnbuiltFeature] = []

  /// The settings of an empty file.
  public init() {}

  /// The account of `[account]`, else the first of the file.
  public var defaultAccount: Account? {
    accounts.first { $0.name == nil } ?? accounts.first
  }

  /// The account of this name; without a name the default account.
  public func account(named name: String?) -> Account? {
    guard let name else { return defaultAccount }
    return accounts.first { $0.name == name }
  }
}

// MARK: - Sections

extension Settings {
  /// `[delivery]`: when and how the outbox is worked off.
  public struct Delivery: Sendable, Equatable {
    /// Whether a capture starts the sender.
    public var afterCapture = true
    /// The pause between two notes of a backlog, drawn anew from this range; nil for none.
    public var pace: ClosedRange<Duration>? = .milliseconds(800)...(.milliseconds(1500))
    /// How long to wait for the reply after the final dot.
    ///
    /// RFC 5321 §4.5.3.2.6.
    public var replyTimeout: Duration = .seconds(600)
    /// How long a note is retried, in time truly waited.
    ///
    /// RFC 5321 §4.5.4.1.
    public var giveUp: Duration = .seconds(5 * 86400)
    /// Whose notes this host sends.
    public var hosts: Hosts = .own
    /// The largest message.
    public var maxSize = ByteCount(25 << 20)

    /// The default delivery.
    public init() {}
  }

  /// Whose notes a host sends.
  public enum Hosts: String, Sendable, CaseIterable {
    /// Those captured on it.
    case own
    /// Those of every host that shares the folder.
    case any
  }

  /// `[identity]`: the key notes are sealed to.
  public struct Identity: Sendable, Equatable {
    /// The command, for `/bin/sh -c`, whose first line of output opens the private key.
    public var passphraseCommand: String?
    /// Where the private key is.
    public var key: KeyPlace = .here

    /// The default identity.
    public init() {}
  }

  /// Where the private key is.
  public enum KeyPlace: String, Sendable, CaseIterable {
    /// On this host, beside the certificate.
    case here
    /// On another: this host captures and cannot read.
    case elsewhere
  }

  /// `[gpg]`: OpenPGP to oneself.
  public struct GPG: Sendable, Equatable {
    /// The fingerprint of the owner's key, in upper-case digits.
    public var key: String?
    /// What goes to the server when there is a key.
    public var wire: Wire = .encrypted
    /// Whether messages are signed.
    public var sign = false

    /// OpenPGP not used.
    public init() {}
  }

  /// What goes to the server.
  public enum Wire: String, Sendable, CaseIterable {
    /// PGP/MIME. RFC 3156.
    case encrypted
    /// The message as it is.
    case plain
  }

  /// `[history]`: the folders sent and failed.
  public struct History: Sendable, Equatable {
    /// How messages lie in them; `pgp` where nothing is said and `[gpg] key` is.
    public var protection: Protection = .sealed
    /// Whether the sealed originals are kept for log and search.
    public var cache = true
    /// How long sent notes are kept.
    public var keep = Keep.forever

    /// The default history.
    public init() {}
  }

  /// How long sent notes are kept.
  public enum Keep: Sendable, Equatable {
    /// As long as their owner leaves them there.
    case forever
    /// So long after they were captured and delivered.
    case age(Duration)
    /// The newest, so many of them.
    case notes(Int)
  }

  /// How a message lies in sent and failed.
  public enum Protection: String, Sendable, CaseIterable {
    /// As in the outbox.
    case sealed
    /// PGP/MIME.
    case pgp
    /// In the clear.
    case none
  }

  /// `[composer]`: the page on a terminal.
  public struct Composer: Sendable, Equatable {
    /// Whether the page stays open for the next note.
    public var stay = false
    /// Whether anything moves.
    public var animation = true
    /// Whether anything sounds.
    public var sound = false
    /// Whether what happens is said in words, for a screen reader.
    public var announce = false
    /// Whether the page is covered while it is not used.
    public var cover = false
    /// Whether the page can be shared.
    public var share = false

    /// The default page.
    public init() {}
  }
}
