// Design: the mark is a suffix of the Content-Type field and nothing else in it is touched, so
// that taking it off gives back the octets that were there, whoever wrote them.

extension Message {
  // hp = "clear" / "cipher"                                                      RFC 9788 §2.1.1
  /// What the Content-Type says of a header that is encrypted with the body.
  ///
  /// `protected-headers` is for notmuch and alot, which know only the draft before RFC 9788.
  private static let mark = Array(text: ";\n hp=\"cipher\"; protected-headers=\"v1\"")

  // HP-Outer: field-name ":" field-body                                            RFC 9788 §2.2
  /// The entity to encrypt, its header protected: marked, and telling what will be seen outside.
  ///
  /// Each field of the outer header, the one that stays readable, is repeated in an `HP-Outer`
  /// unless it describes the outer body; of the `Memo-` fields only `Memo-ID` is, since the others
  /// never leave this machine.
  public func protected(outer: Header) -> Message {
    var message = unprotected()
    let type = message.header.first(named: "Content-Type") ?? ContentType.plainText.field
    message.header.replace(HeaderField(name: type.name, raw: type.raw + Self.mark))
    for field in outer.fields where Self.isVisible(field) {
      let value = Array(text: field.name + ": ") + field.body
      message.header.append(HeaderField("HP-Outer", structured: value))
    }
    return message
  }

  /// Whether a field is one that RFC 9788 §1.1.1 calls non-structural, and is sent.
  private static func isVisible(_ field: HeaderField) -> Bool {
    let name = field.name.asciiLowercased
    if name == "memo-id" { return true }
    return !name.hasPrefix("content-") && !name.hasPrefix("memo-") && name != "mime-version"
      && name != "hp-outer"
  }

  /// The entity as it was before its header was protected; as it is when it was not.
  public func unprotected() -> Message {
    var message = self
    message.header.remove(named: "HP-Outer")
    guard let field = header.first(named: "Content-Type"), let type = Self.unmarked(field) else {
      return message
    }
    message.header.replace(type)
    return message
  }

  private static func unmarked(_ field: HeaderField) -> HeaderField? {
    if field.raw.suffix(mark.count) == mark[...] {
      return HeaderField(name: field.name, raw: field.raw.dropLast(mark.count))
    }
    guard mayHoldMark(field), var type = ContentType(parsing: field.body), type["hp"] != nil
    else { return nil }
    type["hp"] = nil
    type["protected-headers"] = nil
    return type.field
  }

  /// Whether two letters stand somewhere without which no parameter is called `hp`.
  ///
  /// Spares a message that was just composed the parsing of its type.
  private static func mayHoldMark(_ field: HeaderField) -> Bool {
    zip(field.raw, field.raw.dropFirst()).contains {
      $0.lowercased == 0x68 && $1.lowercased == 0x70
    }
  }

  /// Whether the header came to light with the body, and may replace the outer one's subject.
  public var isHeaderProtected: Bool { contentType["hp"] != nil }
}
