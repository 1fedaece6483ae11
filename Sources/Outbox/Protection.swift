public import MessageFormat
public import MessageStore

/// How notes leave the machine, and how they lie in sent/ and failed/.
public struct Protection {
  /// The form of a file in sent/ and failed/.
  public enum Form: String, Sendable {
    /// As in the outbox.
    case sealed
    /// PGP/MIME.
    case openPGP = "pgp"
    /// In the clear.
    case plain = "none"
  }

  /// What a message is encrypted for.
  public enum Purpose: Sendable {
    /// To be sent.
    case wire
    /// To be kept.
    case history
  }

  /// Whether what is sent is encrypted.
  public var encryptsWire = false
  /// The form of what is kept.
  public var form = Form.sealed
  /// The key that is encrypted to, for telling whether the form changed.
  public var key = ""
  /// Where the sealed originals are kept; nil for nowhere.
  public var cache: SealedCache?
  /// Encrypts a message; nothing but an encrypted one ever comes of it.
  public var encrypt: (Message, Purpose) throws(Trouble) -> Message
  /// Makes the message of an ASCII armor, as it was encrypted.
  public var decrypt: ([UInt8]) throws(Trouble) -> Message
  /// Seals a note in the clear that lay as another message: `Recipient.seal(again:lyingAs:)`.
  public var sealAgain: (Message, Message) throws(Trouble) -> Message

  /// Notes go as they are, and stay sealed.
  public init() {
    encrypt = { (_, _) throws(Trouble) in throw Trouble(.openPGPMissing) }
    decrypt = { (_) throws(Trouble) in throw Trouble(.openPGPMissing) }
    sealAgain = { (_, _) throws(Trouble) in throw Trouble(.keyMissing) }
  }
}

extension Trouble: Error {}
