extension Message {
  /// The name of the attachment that holds a note whose text could not be shown as it is.
  static let originalName = "note.bin"

  /// The message of a note, without From, To and what else its account decides.
  ///
  /// Text that is not UTF-8 or holds NUL is shown repaired, and the octets as captured go along as
  /// the attachment `note.bin`, so nothing is lost.
  ///
  /// - Parameters:
  ///   - note: The note.
  ///   - domain: The domain of the Message-ID; `memo.invalid` is taken for what is none.
  public init(composing note: Note, domain: String) {
    let text = TextPart(note.text)
    var note = note
    if text.isRepaired {
      let original = Attachment(name: Self.originalName, content: note.text)
      note.attachments.insert(original, at: 0)
    }
    let entity = Self.entity(text, note.attachments, id: note.id)
    header = Header(Self.fields(of: note, domain: domain) + entity.header.fields)
    body = entity.body
  }

  private static func entity(
    _ text: TextPart, _ attachments: [Attachment], id: NoteID
  ) -> Message {
    guard !attachments.isEmpty else { return text.entity(isAmongOthers: false) }
    let texts = text.text.isEmpty ? [] : [text.entity(isAmongOthers: true)]
    return Message(multipart: texts + attachments.map(Message.init(attaching:)), id: id)
  }

  // msg-id = [CFWS] "<" id-left "@" id-right ">" [CFWS]                         RFC 5322 §3.6.4
  private static func fields(of note: Note, domain: String) -> [HeaderField] {
    let isDomain = Mailbox.isDomain(Array(domain.utf8)[...]) && domain.utf8.count <= 255
    let right = isDomain ? domain : "memo.invalid"
    var fields = [
      HeaderField("Date", structured: note.date.description),
      HeaderField("Message-ID", structured: "<\(note.id)@\(right)>"),
    ]
    if !note.references.isEmpty {
      let references = note.references.joined(separator: " ")
      fields.append(HeaderField("References", structured: references))
    }
    if let subject = Subject.of(note) {
      fields.append(HeaderField("Subject", unstructured: subject))
    }
    fields.append(HeaderField("Memo-ID", structured: note.id.description))
    fields.append(HeaderField("MIME-Version", structured: "1.0"))
    return fields
  }
}

// MARK: - Parts

extension Message {
  /// The part of an attached file.
  ///
  /// Base64 whatever it holds, since a file has to come back octet for octet. A message or a
  /// multipart may not be encoded so, and goes as plain octets. RFC 2045 §6.4.
  init(attaching attachment: Attachment) {
    var type = ContentType(attachment.contentType)
    if type.type == "message" || type.type == "multipart" { type = .octets }
    if type.type == "text" { type["charset"] = "utf-8" }
    self.init(type: type, encoding: .base64, body: Base64.encode(attachment.content))
    let name = Parameter("filename", FileName.cleaned(attachment.name))
    header.append(Self.disposition(ParameterizedValue(value: "attachment", parameters: [name])))
  }

  // disposition := "Content-Disposition" ":" disposition-type *(";" disposition-parm) RFC 2183 §2
  private static func disposition(_ value: ParameterizedValue) -> HeaderField {
    let name = "Content-Disposition"
    return HeaderField(name: name, raw: value.raw(afterName: name))
  }

  // multipart-body := [preamble CRLF] dash-boundary transport-padding CRLF          RFC 2046 §5.1.1
  //                   body-part *encapsulation close-delimiter transport-padding
  /// The parts one after the other.
  ///
  /// The boundary begins with `=_`, which Quoted-Printable and Base64 cannot produce, and text
  /// that holds it is encoded. RFC 2045 §6.7.
  init(multipart parts: [Message], id: NoteID) {
    let boundary = "=_\(id)"
    let type = ContentType("multipart/mixed", [Parameter("boundary", boundary)])
    var body: [UInt8] = []
    body.reserveCapacity(parts.reduce(0) { $0 + $1.body.count + 512 })
    for part in parts {
      if !body.isEmpty { body.append(.lf) }
      body.append(text: "--" + boundary + "\n")
      part.write(to: &body)
    }
    body.append(text: "\n--" + boundary + "--\n")
    self.init(type: type, encoding: .sevenBit, body: body)
  }
}
