internal import MessageFormat

/// What is remembered of the last look for notes that are kept no longer.
struct RetentionProgress: Equatable {
  /// What was asked for then.
  let limit: String
  /// When that was, in seconds since 1970.
  let looked: Int64
  /// Whether there is more to do, or that look was cut off.
  var isUnfinished = true
  /// Up to where the sealed cache was looked through; nil when it was to its end.
  var swept: NoteID?

  /// A look that begins.
  init(limit: String, looked: Int64, swept: NoteID?) {
    self.limit = limit
    self.looked = looked
    self.swept = swept
  }

  /// Whether it is time for another look: once a day, and when something else is asked for.
  ///
  /// After a clock was set back it is, too.
  func isOver(limit: String, now: Int64) -> Bool {
    isUnfinished || self.limit != limit || now < looked || now - looked >= 86400
  }

  // MARK: - As header fields

  var fields: [HeaderField] {
    var fields = [
      HeaderField("Keep", unstructured: limit), HeaderField("Looked", unstructured: "\(looked)"),
    ]
    if isUnfinished { fields.append(HeaderField("Unfinished", unstructured: "yes")) }
    if let swept { fields.append(HeaderField("Swept", unstructured: "\(swept)")) }
    return fields
  }

  init?(_ header: Header) {
    guard let limit = header.first(named: "Keep")?.decodedText,
      let looked = header.first(named: "Looked").flatMap({ Int64($0.decodedText) })
    else { return nil }
    self.limit = limit
    self.looked = looked
    isUnfinished = header.first(named: "Unfinished") != nil
    swept = header.first(named: "Swept").flatMap { NoteID($0.decodedText) }
  }
}
