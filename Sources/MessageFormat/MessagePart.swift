/// A part of a message that is not made of parts, such as a text or an attached file.
public struct MessagePart: Sendable {
  /// The fields that describe it.
  public let header: Header

  /// The body as it is in the message, still encoded.
  let body: ArraySlice<UInt8>

  /// What the content is; plain text when nothing says so.
  public let contentType: ContentType

  private let disposition: ParameterizedValue?

  init(header: Header, body: ArraySlice<UInt8>) {
    self.header = header
    self.body = body
    contentType = ContentType(of: header)
    disposition = header.first(named: "Content-Disposition")
      .map { ParameterizedValue(parsing: $0.body) }
  }

  /// The name of the file, without folders or control characters; `attachment` when it has none.
  public var name: String {
    FileName.cleaned(disposition?["filename"] ?? contentType["name"] ?? "")
  }

  /// Whether it is text to be read rather than a file.
  public var isText: Bool {
    contentType.mediaType == "text/plain" && disposition?.value != "attachment"
  }

  /// How many octets the part takes up in the message, still encoded.
  public var encodedCount: Int { body.count }

  /// The content, octet for octet.
  public var decodedContent: [UInt8] { TransferEncoding(of: header).decode(body) }

  /// The content as text, lines ended with LF, invalid sequences repaired.
  public var text: String {
    // Lines that the encoding ends get a CR LF, so that a CR before it stays what it was: data.
    let octets = TransferEncoding(of: header).decode(body, lineEnds: .crlf)
    let lines = Message.withLFs(octets)
    return String(repairing: Charset(label: (contentType["charset"] ?? "").utf8).transcode(lines))
  }
}

/// Takes a message apart, within bounds whatever it holds.
struct PartReader {
  /// How deep parts may lie in parts; deeper ones are not taken apart.
  static let maximumDepth = 16

  /// How many parts there may be; what follows stays with the last one.
  static let maximumCount = 1_000

  private(set) var parts: [MessagePart] = []
  private var readCount = 0

  /// Appends a part, or the parts that it is made of.
  mutating func read(_ part: MessagePart, depth: Int) {
    let type = part.contentType
    guard depth < Self.maximumDepth, type.type == "multipart", let boundary = type["boundary"],
      !boundary.isEmpty
    else { return parts.append(part) }
    var splitter = BoundarySplitter(body: part.body, boundary: Array(text: boundary))
    let pieces = splitter.split(limit: Self.maximumCount - readCount)
    guard !pieces.isEmpty else { return parts.append(part) }
    readCount += pieces.count
    for piece in pieces { read(Self.part(of: piece), depth: depth + 1) }
  }

  private static func part(of piece: ArraySlice<UInt8>) -> MessagePart {
    guard let (header, start) = Header.read(piece.span) else {
      return MessagePart(header: Header(), body: piece)
    }
    return MessagePart(header: header, body: piece.dropFirst(start))
  }
}

/// Finds the parts between the boundaries of a body whose lines end with LF.
struct BoundarySplitter {
  private let body: ArraySlice<UInt8>
  private let delimiter: [UInt8]

  init(body: ArraySlice<UInt8>, boundary: [UInt8]) {
    self.body = body
    delimiter = [0x2D, 0x2D] + boundary
  }

  // delimiter := CRLF "--" boundary    close-delimiter := delimiter "--"         RFC 2046 §5.1.1
  /// The parts, each without the line end that belongs to the boundary after it.
  ///
  /// The last part of a body that is cut short reaches to its end.
  mutating func split(limit: Int) -> [ArraySlice<UInt8>] {
    let text = body.span
    var pieces: [ArraySlice<UInt8>] = []
    var start: Int?
    var line = 0
    while line < text.count {
      let end = Header.endOfLine(text, from: line).next
      if let isClosing = delimits(text, from: line, to: end) {
        if let start { pieces.append(slice(start, max(start, line - 1))) }
        start = isClosing ? nil : end
        if isClosing || pieces.count + 1 >= limit { break }
      }
      line = end
    }
    if let start { pieces.append(slice(start, text.count)) }
    return pieces
  }

  private func slice(_ start: Int, _ end: Int) -> ArraySlice<UInt8> {
    body[(body.startIndex + start)..<(body.startIndex + end)]
  }

  /// Whether the line is a boundary that ends the parts; nil when it is none.
  private func delimits(_ text: Span<UInt8>, from start: Int, to end: Int) -> Bool? {
    guard end - start >= delimiter.count, text[start] == 0x2D else { return nil }
    for (offset, octet) in delimiter.enumerated() where text[start + offset] != octet {
      return nil
    }
    var rest = start + delimiter.count
    let isClosing = rest + 1 < end && text[rest] == 0x2D && text[rest + 1] == 0x2D
    if isClosing { rest += 2 }
    while rest < end, text[rest].isBlank || text[rest] == .cr || text[rest] == .lf { rest += 1 }
    return rest == end ? isClosing : nil
  }
}
