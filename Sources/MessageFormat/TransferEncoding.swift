/// How a body is made fit for transport.
///
/// RFC 2045 §6.
enum TransferEncoding: String {
  case sevenBit = "7bit"
  case eightBit = "8bit"
  case binary
  case quotedPrintable = "quoted-printable"
  case base64

  // encoding := "Content-Transfer-Encoding" ":" mechanism                          RFC 2045 §6.1
  /// The encoding that a header names; one that is not known is taken for none.
  init(of header: Header) {
    let body = header.first(named: "Content-Transfer-Encoding")?.body ?? []
    let name = ParameterizedValue(parsing: body).value
    self = TransferEncoding(rawValue: name) ?? .eightBit
  }

  /// The octets of an encoded body.
  func decode(_ body: ArraySlice<UInt8>, lineEnds: LineEnds = .lf) -> [UInt8] {
    switch self {
    case .base64: Base64.decode(body.span)
    case .quotedPrintable: QuotedPrintable.decode(body.span, lineEnds: lineEnds)
    case .sevenBit, .eightBit, .binary: Array(body)
    }
  }
}
