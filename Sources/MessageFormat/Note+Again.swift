extension Note {
  /// The note that a message was composed of, as another note.
  ///
  /// Text that had to be repaired is taken as it was captured, from the file that went along.
  ///
  /// - Parameters:
  ///   - message: A message that was composed of a note, or any other.
  ///   - id: The new note's identity.
  ///   - date: When it is sent again.
  ///   - account: The account to send it from, nil for the default one.
  public init(again message: Message, id: NoteID, date: MessageDate, account: String?) {
    var attachments = message.attachments
    var text = Array(text: message.text)
    if let first = attachments.first, first.name == Message.originalName,
      TextPart(first.content).text == text
    {
      text = first.content
      attachments.removeFirst()
    }
    self.init(
      id: id, date: date, subject: message.subject, text: text, attachments: attachments,
      account: account, references: Self.references(to: message))
  }

  // references = "References:" 1*msg-id CRLF                                    RFC 5322 §3.6.4
  /// What it refers to: the message, after what that one refers to.
  ///
  /// Of a long row the last ten are kept. There is no In-Reply-To: nothing is answered.
  private static func references(to message: Message) -> [String] {
    let earlier = message.header.first(named: "References")?.body ?? []
    let ids = earlier.split(whereSeparator: \.isBlank).map { String(repairing: $0) }
    return Array((ids + [message.messageID].compactMap { $0 }).suffix(10))
  }
}
