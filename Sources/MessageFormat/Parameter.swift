/// A parameter of a Content-Type or Content-Disposition field.
///
/// RFC 2045 §5.1.
public struct Parameter: Sendable, Equatable {
  /// The name in lower case, without the marks of RFC 2231.
  public let name: String

  /// The value as text.
  public var value: String

  /// A parameter; a name is written in lower case, and without what may not stand in one.
  public init(_ name: String, _ value: String) {
    self.name = String(repairing: name.utf8.filter(\.isTokenText).map(\.lowercased))
    self.value = value
  }
}

extension Parameter {
  /// The most characters of a piece, which has a line of its own: a blank before, `;` after.
  private static let pieceLength = HeaderText.lineLength - 2

  // parameter := attribute "=" value    value := token / quoted-string           RFC 2045 §5.1
  // extended-parameter := (extended-initial-name "=" extended-value) /              RFC 2231 §7
  //                       (extended-other-names "=" extended-other-values)
  /// The parameter as pieces that each fit on a line, to be set apart by semicolons.
  ///
  /// One piece where the value is short ASCII. Quotes, backslashes and what looks like an
  /// encoded-word go the way of non-ASCII: readers disagree about them in a quoted-string.
  var pieces: [[UInt8]] {
    let octets = Array(HeaderText.cleaned(value).utf8)
    let plain = Array(text: name + "=") + Self.plain(octets)
    if Self.isPlain(octets), plain.count <= Self.pieceLength { return [plain] }
    return extendedPieces(of: HeaderText.cleaned(value))
  }

  private static func isPlain(_ octets: [UInt8]) -> Bool {
    octets.allSatisfy { ($0.isVisible || $0 == .space) && $0 != .quote && $0 != .backslash }
      && !octets.containsPair(.equals, .question)
  }

  private static func plain(_ octets: [UInt8]) -> [UInt8] {
    let isToken = !octets.isEmpty && octets.allSatisfy(\.isTokenText)
    return isToken ? octets : [.quote] + octets + [.quote]
  }

  private func extendedPieces(of text: String) -> [[UInt8]] {
    let whole = Array(text: name + "*=utf-8''") + text.unicodeScalars.flatMap(Self.extended)
    if whole.count <= Self.pieceLength { return [whole] }
    var pieces: [[UInt8]] = []
    var piece = Array(text: name + "*0*=utf-8''")
    for scalar in text.unicodeScalars.map(Self.extended) {
      if piece.count + scalar.count > Self.pieceLength {
        pieces.append(piece)
        piece = Array(text: name + "*\(pieces.count)*=")
      }
      piece += scalar
    }
    return pieces + [piece]
  }

  // attribute-char := <any (US-ASCII) CHAR except SPACE, CTLs, "*", "'", "%", or tspecials>
  //                                                                               RFC 2231 §7
  private static func extended(_ scalar: Unicode.Scalar) -> [UInt8] {
    var output: [UInt8] = []
    for octet in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
      if octet.isTokenText, octet != 0x2A, octet != 0x27, octet != .percent {
        output.append(octet)
      } else {
        output.append(.percent, hexOf: octet)
      }
    }
    return output
  }
}
