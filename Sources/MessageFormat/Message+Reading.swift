extension Message {
  /// The subject, decoded, nil when there is none.
  public var subject: String? { header.first(named: "Subject")?.decodedText }

  /// The time and zone of the Date field, nil when there is none that can be read.
  public var date: MessageDate? {
    header.first(named: "Date").flatMap { MessageDate(parsing: String(repairing: $0.body)) }
  }

  /// The note's identity in the Memo-ID field.
  public var noteID: NoteID? {
    header.first(named: "Memo-ID").flatMap { NoteID(String(repairing: $0.body)) }
  }

  /// The Message-ID as written, angle brackets included.
  public var messageID: String? {
    header.first(named: "Message-ID").map { String(repairing: $0.body) }
  }

  // msg-id = [CFWS] "<" id-left "@" id-right ">" [CFWS]                         RFC 5322 §3.6.4
  /// The note that the Message-ID names on its left side, nil when it is not one of memo's.
  public var idOfMessageID: NoteID? {
    guard let messageID, messageID.hasPrefix("<") else { return nil }
    return NoteID(utf8: messageID.utf8.dropFirst().prefix { $0 != UInt8(ascii: "@") })
  }

  /// What the body is; plain text when nothing says so.
  ///
  /// RFC 2045 §5.2.
  public var contentType: ContentType { ContentType(of: header) }

  /// The first plain text in it, lines ended with LF, invalid sequences repaired; empty if none.
  public var text: String {
    parts.first(where: \.isText)?.text ?? ""
  }

  /// Every part but the text, decoded now.
  public var attachments: [Attachment] {
    attachmentParts.map { part in
      Attachment(
        name: part.name, contentType: part.contentType.mediaType, content: part.decodedContent)
    }
  }

  /// Every part but the text, to be asked for its name, type and content.
  public var attachmentParts: [MessagePart] {
    var parts = parts
    if let text = parts.firstIndex(where: \.isText) { parts.remove(at: text) }
    return parts
  }

  /// The parts that are not made of parts, in order; a message that has none is the only one.
  public var parts: [MessagePart] {
    var reader = PartReader()
    reader.read(MessagePart(header: header, body: body[...]), depth: 0)
    return reader.parts
  }
}
