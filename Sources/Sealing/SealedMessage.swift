public import MessageFormat

// Design: the file of a sealed note is itself a message that any mail client lists; what it says
// is inside, header and all. RFC 9788 tells clients that the subject inside is the true one.

/// The message around a sealed one.
public enum SealedMessage {
  /// The outer field that names the note's account when it is not the default one.
  public static let accountField = "Memo-Account"

  /// Whether a message is sealed, so that an `Opener` is needed to read it.
  public static func isSealed(_ message: Message) -> Bool {
    message.contentType.mediaType == "application/pkcs7-mime"
  }

  /// The identifier of the key that a sealed message names, in hexadecimal digits; nil where it
  /// names none so.
  public static func keyIdentifier(of message: Message) -> String? {
    guard let der = Base64.decode(message.body, garbage: .refused),
      let parts = try? AuthEnvelopedData.parts(of: der.span)
    else { return nil }
    let recipient = der.span.copy(parts.recipient)
    let identifier = Array(recipient.suffix(20))
    return recipient == RecipientIdentifier.keyIdentifier(identifier)
      ? hexadecimal(identifier) : nil
  }

  // RFC 8551 §3.2.2: the smime-type of CMS AuthEnvelopedData.
  static let contentFields = [
    HeaderField("MIME-Version", structured: "1.0"),
    HeaderField(
      "Content-Type",
      structured: "application/pkcs7-mime; smime-type=authEnveloped-data; name=\"smime.p7m\""),
    HeaderField("Content-Transfer-Encoding", structured: "base64"),
    HeaderField("Content-Disposition", structured: "attachment; filename=\"smime.p7m\""),
  ]
}

extension Recipient {
  /// Seals a message into one that tells Date and Message-ID, and nothing of its text.
  ///
  /// - Parameters:
  ///   - message: The message; its own fields go inside.
  ///   - outer: The fields From and To, as far as they are known.
  ///   - account: The account it names, nil for the default one.
  /// - Returns: The message to be stored.
  /// - Throws: `library` when memory is short; `noRandomness`.
  public borrowing func seal(
    _ message: Message, outer: [HeaderField], account: String?
  ) throws(SealingError) -> Message {
    var header = Header()
    for name in ["Date", "Message-ID"] {
      if let field = message.header.first(named: name) { header.append(field) }
    }
    header.append(HeaderField("Subject", unstructured: "[...]"))
    for field in outer { header.append(field) }
    let inside = message.protected(outer: header).bytes(lineEnds: .crlf)
    if let account {
      header.append(HeaderField(SealedMessage.accountField, unstructured: account))
    }
    for field in SealedMessage.contentFields { header.append(field) }
    return Message(header: header, body: Base64.encode(try seal(inside)))
  }
}

extension Opener {
  /// Opens a sealed message.
  ///
  /// - Parameters:
  ///   - outer: The message as stored.
  ///   - id: The note it must be, by its file's name; nil when that is not known.
  /// - Returns: The message as it was composed.
  /// - Throws: `otherRecipient` when it is sealed for another key; `damaged` when it is altered,
  ///   is another note than the name says, or holds no message; `notSealed`.
  public borrowing func open(
    _ outer: Message, expecting id: NoteID?
  ) throws(SealingError) -> Message {
    guard SealedMessage.isSealed(outer) else { throw .notSealed }
    guard let der = Base64.decode(outer.body, garbage: .refused) else { throw .damaged }
    let inside = try open(der)
    guard let message = try? Message(parsing: inside) else { throw .damaged }
    // Two files whose names were swapped must not be taken for one another.
    if let id, message.noteID != id { throw .damaged }
    return message.unprotected()
  }

  /// A sealed message with its content key wrapped for another recipient, all else as it is.
  ///
  /// - Returns: nil when it is sealed for that recipient already.
  /// - Throws: As `open(_:expecting:)`: what does not open now is not rewrapped.
  public borrowing func rewrap(
    _ outer: Message, for recipient: borrowing Recipient
  ) throws(SealingError) -> Message? {
    guard let der = Base64.decode(outer.body, garbage: .refused) else { throw .damaged }
    let parts = try AuthEnvelopedData.parts(of: der.span)
    if der.span.copy(parts.recipient) == recipient.identifier { return nil }
    let rewrapped = try rewrap(der, for: recipient)
    guard try open(rewrapped) == open(der) else { throw .damaged }
    return Message(header: outer.header, body: Base64.encode(rewrapped))
  }
}
