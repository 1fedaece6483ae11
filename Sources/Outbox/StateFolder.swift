public import MessageFormat
public import Posix

// Design: what is here may be lost without harm: a note is then tried sooner, or its reason is
// told by the next attempt. So an error in here never stops a note.

/// The folder of what the sender knows beside the notes: reasons, and the state of accounts.
public struct StateFolder: ~Copyable {
  private let replies: Directory
  private let accounts: Directory

  /// Opens the state folder at an absolute path, made where it is missing.
  public init(_ path: String) throws(Errno) {
    let root = try Directory.making(path: path)
    let replies = try Directory.making("replies", in: root)
    let accounts = try Directory.making("accounts", in: root)
    self.replies = replies
    self.accounts = accounts
  }

  /// Why a note waits, nil when nothing is known.
  public borrowing func reason(for id: NoteID) -> Reason? {
    Self.read(id.description, in: replies).flatMap { Reason($0) }
  }

  /// Keeps why a note waits, or forgets it.
  public borrowing func setReason(_ reason: Reason?, for id: NoteID) {
    guard let reason else {
      try? replies.remove(id.description)
      return
    }
    Self.write(Header(reason.fields), id.description, in: replies)
  }

  /// The notes for which a reason is kept.
  public borrowing func notesWithReason() -> [NoteID] {
    var notes: [NoteID] = []
    try? replies.forEachName { name in
      if let id = NoteID(name) { notes.append(id) }
    }
    return notes
  }

  /// The state of an account; nil is the account without a name.
  public borrowing func account(_ name: String?) -> AccountState {
    Self.read(Self.fileName(name), in: accounts).map { AccountState($0) } ?? AccountState()
  }

  /// Keeps the state of an account.
  public borrowing func setAccount(_ name: String?, _ state: AccountState) {
    Self.write(Header(state.fields), Self.fileName(name), in: accounts)
  }

  /// Whether something is to be told now: not when it was told on the same day already.
  ///
  /// - Parameters:
  ///   - matter: What it is, nothing of a note.
  ///   - day: The days since 1970.
  /// - Returns: `true` once a day for each matter.
  public borrowing func shouldTell(_ matter: String, day: Int64) -> Bool {
    let told = HeaderField("Told", unstructured: "\(day) \(matter)")
    let known = Self.read(Self.toldName, in: accounts)?.all(named: told.name) ?? []
    guard !known.contains(where: { $0.decodedText == told.decodedText }) else { return false }
    let today = known.filter { $0.decodedText.hasPrefix("\(day) ") }.suffix(50)
    Self.write(Header(today + [told]), Self.toldName, in: accounts)
    return true
  }

  /// When the outbox was last worked off by a timer or the like, in seconds since 1970.
  public borrowing func lastUnattendedRun() -> Int64? {
    Self.read(Self.runName, in: accounts)?.first(named: "Last-Run")
      .flatMap { Int64($0.decodedText) }
  }

  /// Keeps that the outbox was worked off without anybody asking for it.
  public borrowing func setLastUnattendedRun(_ seconds: Int64) {
    Self.write(
      Header([HeaderField("Last-Run", unstructured: "\(seconds)")]), Self.runName, in: accounts)
  }

  /// How far the history has its form, nil when nothing is known.
  borrowing func protectionProgress() -> ProtectionProgress? {
    Self.read(Self.protectionName, in: accounts).flatMap { ProtectionProgress($0) }
  }

  /// Keeps how far it has, or forgets it.
  borrowing func setProtectionProgress(_ progress: ProtectionProgress?) {
    guard let progress else {
      try? accounts.remove(Self.protectionName)
      return
    }
    Self.write(Header(progress.fields), Self.protectionName, in: accounts)
  }

  /// How far notes were let go that are kept no longer, nil when nothing is known.
  borrowing func retentionProgress() -> RetentionProgress? {
    Self.read(Self.retentionName, in: accounts).flatMap { RetentionProgress($0) }
  }

  /// Keeps how far they were.
  borrowing func setRetentionProgress(_ progress: RetentionProgress) {
    Self.write(Header(progress.fields), Self.retentionName, in: accounts)
  }

  /// When the OpenPGP key expires and when that was looked up, in seconds since 1970.
  public struct KeyExpiry: Sendable, Equatable {
    /// When it expires, nil for never.
    public let expires: Int64?
    /// When that was looked up.
    public let looked: Int64

    /// An expiry that was looked up at a time.
    public init(expires: Int64?, looked: Int64) {
      self.expires = expires
      self.looked = looked
    }
  }

  /// When the OpenPGP key of this fingerprint expires, nil when that is not known.
  public borrowing func keyExpiry(_ fingerprint: String) -> KeyExpiry? {
    guard let header = Self.read(Self.keyName, in: accounts),
      header.first(named: "Key")?.decodedText == fingerprint,
      let looked = header.first(named: "Looked").flatMap({ Int64($0.decodedText) })
    else { return nil }
    return KeyExpiry(
      expires: header.first(named: "Expires").flatMap { Int64($0.decodedText) }, looked: looked)
  }

  /// Keeps when the OpenPGP key of this fingerprint expires.
  public borrowing func setKeyExpiry(_ expiry: KeyExpiry, of fingerprint: String) {
    var fields = [
      HeaderField("Key", unstructured: fingerprint),
      HeaderField("Looked", unstructured: "\(expiry.looked)"),
    ]
    if let expires = expiry.expires {
      fields.append(HeaderField("Expires", unstructured: "\(expires)"))
    }
    Self.write(Header(fields), Self.keyName, in: accounts)
  }

  /// No accounts' files: those begin with `account`.
  private static let toldName = "told"
  private static let runName = "last-run"
  private static let protectionName = "protection"
  private static let retentionName = "retention"
  private static let keyName = "openpgp-key"

  private static func read(_ name: String, in directory: borrowing Directory) -> Header? {
    guard let bytes = try? directory.read(name, limit: 1 << 20) else { return nil }
    return (try? Message(parsing: bytes))?.header
  }

  private static func write(_ header: Header, _ name: String, in directory: borrowing Directory) {
    let bytes = Message(header: header, body: []).bytes(lineEnds: .lf)
    let staging = "." + name
    try? directory.remove(staging)
    try? directory.replace(name, with: bytes.span, staging: directory, stagingName: staging)
  }

  /// An account's name as a file name: letters, digits and `-` as they are, the rest as `%XX`.
  private static func fileName(_ account: String?) -> String {
    guard let account else { return "account" }
    let digits = Array("0123456789ABCDEF".utf8)
    var name = Array("account.".utf8)
    for octet in account.utf8 {
      switch octet {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        name.append(octet)
      default:
        name += [UInt8(ascii: "%"), digits[Int(octet >> 4)], digits[Int(octet & 15)]]
      }
    }
    return String(decoding: name, as: UTF8.self)
  }
}
