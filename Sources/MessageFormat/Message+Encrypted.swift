// Design: built and read here, where the rest of MIME is; what encrypts and decrypts is elsewhere, so
// that the program that only reads needs no OpenPGP library.

extension Message {
  /// Whether it is encrypted with OpenPGP.
  ///
  /// RFC 3156 §4.
  public var isOpenPGP: Bool {
    let type = contentType
    return type.mediaType == "multipart/encrypted"
      && type["protocol"]?.asciiLowercased == "application/pgp-encrypted"
  }

  // multipart/encrypted = application/pgp-encrypted application/octet-stream         RFC 3156 §4
  /// The message around an encrypted one.
  ///
  /// - Parameters:
  ///   - armor: ASCII armor, lines ended with LF or CR LF. RFC 4880 §6.2.
  ///   - header: The fields that stay readable, without those that describe the body.
  ///   - id: The note, for the boundary.
  public init(openPGP armor: [UInt8], header: Header, id: NoteID?) {
    let boundary = "=_pgp-" + (id?.description ?? "memo")
    let type = ContentType(
      "multipart/encrypted",
      [Parameter("protocol", "application/pgp-encrypted"), Parameter("boundary", boundary)])
    var header = header
    header.append(HeaderField("MIME-Version", structured: "1.0"))
    header.append(type.field)
    self.init(header: header, body: Self.openPGPBody(armor, boundary))
  }

  private static func openPGPBody(_ armor: [UInt8], _ boundary: String) -> [UInt8] {
    var body: [UInt8] = []
    body.reserveCapacity(armor.count + 512)
    // Version: 1 is all the first part may say. RFC 3156 §4.
    body.append(
      text: """
        --\(boundary)
        Content-Type: application/pgp-encrypted

        Version: 1

        --\(boundary)
        Content-Type: application/octet-stream; name="encrypted.asc"
        Content-Disposition: inline; filename="encrypted.asc"


        """)
    body += withLFs(armor)
    if body.last != .lf { body.append(.lf) }
    body.append(text: "\n--\(boundary)--\n")
    return body
  }

  /// The ASCII armor of a message encrypted with OpenPGP, nil when it is none.
  public var openPGPArmor: [UInt8]? {
    guard isOpenPGP else { return nil }
    return parts.first { $0.contentType.mediaType == "application/octet-stream" }?.decodedContent
  }
}
