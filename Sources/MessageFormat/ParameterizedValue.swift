/// A value and its parameters, as Content-Type and Content-Disposition have them.
///
/// RFC 2045 §5.1, RFC 2183 §2.
struct ParameterizedValue: Sendable, Equatable {
  /// The value in lower case, such as `text/plain` or `attachment`.
  var value: String

  var parameters: [Parameter] = []

  /// The value of a parameter; setting nil removes it.
  subscript(name: String) -> String? {
    get { parameters.first { $0.name == name.asciiLowercased }?.value }
    set {
      let index = parameters.firstIndex { $0.name == name.asciiLowercased }
      switch (index, newValue) {
      case (let index?, let value?): parameters[index].value = value
      case (let index?, nil): parameters.remove(at: index)
      case (nil, let value?): parameters.append(Parameter(name, value))
      case (nil, nil): break
      }
    }
  }

  /// The octets after the colon of a field of this name, in lines of at most 76 characters.
  func raw(afterName name: String) -> [UInt8] {
    var output = [.space] + Array(value.utf8)
    var column = name.utf8.count + 1 + output.count
    for piece in parameters.flatMap(\.pieces) {
      output.append(0x3B)
      // The piece, its blank, the semicolon before it, and one that may follow.
      if column + piece.count + 3 > HeaderText.lineLength {
        output.append(.lf)
        column = 0
      } else {
        column += 1
      }
      output.append(.space)
      output += piece
      column += piece.count + 1
    }
    return output
  }
}
