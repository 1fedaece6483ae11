/// The header of a message or of a part: its fields, in order.
///
/// RFC 5322 §2.2.
public struct Header: Sendable, Equatable {
  /// The fields, in the order of the message.
  public private(set) var fields: [HeaderField]

  /// A header of these fields.
  public init(_ fields: [HeaderField] = []) { self.fields = fields }

  /// The first field of a name, whatever the case of its letters.
  public func first(named name: String) -> HeaderField? {
    fields.first { $0.isNamed(name) }
  }

  /// All fields of a name, whatever the case of its letters.
  public func all(named name: String) -> [HeaderField] {
    fields.filter { $0.isNamed(name) }
  }

  /// Appends a field.
  public mutating func append(_ field: HeaderField) { fields.append(field) }

  /// Puts a field right after the first one of another name, at the end if there is none.
  public mutating func insert(_ field: HeaderField, after name: String) {
    let index = fields.firstIndex { $0.isNamed(name) }
    fields.insert(field, at: index.map { $0 + 1 } ?? fields.endIndex)
  }

  /// Removes all fields of a name.
  public mutating func remove(named name: String) {
    fields.removeAll { $0.isNamed(name) }
  }

  /// Puts a field in the place of the first one of its name and removes the others.
  ///
  /// Without one the field is appended.
  public mutating func replace(_ field: HeaderField) {
    let index = fields.firstIndex { $0.isNamed(field.name) }
    remove(named: field.name)
    fields.insert(field, at: index ?? fields.endIndex)
  }

  /// Appends the fields to a message with LF line ends, without the empty line after them.
  func write(to output: inout [UInt8]) {
    for field in fields { field.write(to: &output) }
  }
}
