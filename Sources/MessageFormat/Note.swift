/// A note as it was captured.
public struct Note: Sendable {
  /// The note's identity, which is also its message's.
  public var id: NoteID

  /// When and in which zone it was written.
  public var date: MessageDate

  /// A subject given for it, nil to take the first line.
  public var subject: String?

  /// The note itself, octet for octet as captured.
  public var text: [UInt8]

  /// The files that go with it, in order.
  public var attachments: [Attachment]

  /// The account to send it from, nil for the default one.
  public var account: String?

  /// The Message-IDs it refers to, oldest first, with their angle brackets.
  public var references: [String]

  /// A note.
  public init(
    id: NoteID, date: MessageDate, subject: String? = nil, text: [UInt8],
    attachments: [Attachment] = [], account: String? = nil, references: [String] = []
  ) {
    self.id = id
    self.date = date
    self.subject = subject
    self.text = text
    self.attachments = attachments
    self.account = account
    self.references = references
  }
}
