internal import MessageFormat

// Design: one identity tells how far the history has the form it should have. Notes are given it in
// the order of capture; all up to that one have it, or never will. Losing this costs a second look.

/// How far the notes of sent/ and failed/ have the form they are to be kept in.
struct ProtectionProgress: Equatable {
  /// The form and the key.
  let mode: String
  /// The last note that is settled, as are all that were captured before; nil for none.
  var settled: NoteID?
  /// Whether a later run has something to do.
  var isUnfinished = true

  /// Nothing is settled yet.
  init(_ protection: Protection) {
    mode =
      protection.form == .openPGP
      ? "\(protection.form.rawValue) \(protection.key)" : protection.form.rawValue
  }

  /// Counts a note, and all that were captured after it, as not settled.
  mutating func lower(below id: NoteID) {
    guard let settled, settled >= id else { return }
    self.settled = id.predecessor
  }

  // MARK: - As header fields

  var fields: [HeaderField] {
    var fields = [HeaderField("Protection", unstructured: mode)]
    if let settled { fields.append(HeaderField("Settled", unstructured: "\(settled)")) }
    if isUnfinished { fields.append(HeaderField("Unfinished", unstructured: "yes")) }
    return fields
  }

  init?(_ header: Header) {
    guard let mode = header.first(named: "Protection")?.decodedText else { return nil }
    self.mode = mode
    settled = header.first(named: "Settled").flatMap { NoteID($0.decodedText) }
    isUnfinished = header.first(named: "Unfinished") != nil
  }
}
