// Design: a message is held with LF line ends, as its file has them; CR LF is made on the way to
// the wire or into an encryption. A message and a part of one are the same: an entity.

/// A message or a part of one: its header and its body.
///
/// RFC 5322 §2.1, RFC 2045 §2.4.
public struct Message: Sendable, Equatable {
  /// The fields.
  public var header: Header

  /// All after the empty line that ends the header, still encoded, lines ended with LF.
  public var body: [UInt8]

  /// A message of a header and of a body whose lines end with LF.
  public init(header: Header, body: [UInt8]) {
    self.header = header
    self.body = body
  }

  /// A part with the fields that describe its body.
  init(type: ContentType, encoding: TransferEncoding, body: [UInt8]) {
    header = Header([
      type.field,
      HeaderField("Content-Transfer-Encoding", structured: encoding.rawValue),
    ])
    self.body = body
  }

  /// Reads a message whose lines end with LF or CR LF.
  ///
  /// The body is kept as it is; its parts are taken apart when they are asked for.
  ///
  /// - Throws: When there is nothing, no header, or one that no program would write.
  public init(parsing octets: [UInt8]) throws(MessageFormatError) {
    guard !octets.isEmpty else { throw .empty }
    guard let (header, start) = Header.read(octets.span) else { throw .tooManyFields }
    guard !header.fields.isEmpty else { throw .noHeader }
    self.init(header: header, body: Self.withLFs(octets, from: start))
  }

  /// The message as octets.
  ///
  /// With `crlf` there is no bare CR and no bare LF: a CR that ends no line ends one then. memo
  /// itself writes none. Lines that begin with a dot are left to whoever speaks SMTP (case C01).
  public func bytes(lineEnds: LineEnds) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(body.count + 2048)
    write(to: &output)
    return lineEnds == .lf ? output : Self.withCRLFs(output, endingLinesAtBareCR: true)
  }

  /// Appends the message with LF line ends.
  func write(to output: inout [UInt8]) {
    header.write(to: &output)
    output.append(.lf)
    output.append(contentsOf: body)
  }
}

/// Why octets are no message.
public enum MessageFormatError: Error, Sendable, Equatable {
  /// There are no octets.
  case empty
  /// The first line is no header field.
  case noHeader
  /// There are more than 10,000 header fields.
  case tooManyFields
}

// MARK: - Line ends

extension Message {
  /// The octets from a position on, with LF for CR LF; any other CR stays.
  static func withLFs(_ octets: [UInt8], from start: Int = 0) -> [UInt8] {
    guard octets[start...].contains(.cr) else {
      return start == 0 ? octets : Array(octets[start...])
    }
    return [UInt8](capacity: octets.count - start) { output in
      let octets = octets.span
      for position in start..<octets.count {
        let isEnd =
          octets[position] == .cr && position + 1 < octets.count && octets[position + 1] == .lf
        if !isEnd { output.append(octets[position]) }
      }
    }
  }

  /// The octets with CR LF for LF, and for a CR where lines end at that, too.
  static func withCRLFs(_ octets: [UInt8], endingLinesAtBareCR: Bool = false) -> [UInt8] {
    let octets = octets.span
    var ends = 0
    for position in 0..<octets.count where octets[position] == .lf || octets[position] == .cr {
      ends += 1
    }
    return [UInt8](capacity: octets.count + ends) { output in
      for position in 0..<octets.count {
        let octet = octets[position]
        if octet == .lf || octet == .cr && endingLinesAtBareCR {
          output.append(.cr)
          output.append(.lf)
        } else {
          output.append(octet)
        }
      }
    }
  }
}
