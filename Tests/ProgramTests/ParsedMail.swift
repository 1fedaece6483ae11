import Foundation
import TestSupport
import Testing

/// A message as Python's `email` reads it: a reader that shares no line with ours.
struct ParsedMail: Decodable {
  /// The header fields, decoded, in their order.
  let fields: [[String]]
  /// The text, line ends as LF.
  let text: String
  /// Each attachment: name, content type, content in base64.
  let attachments: [[String]]
  /// What Python found wrong.
  let defects: [String]
  /// The addresses of From, as name and address.
  let from: [[String]]
  /// The addresses of To, as name and address.
  let to: [[String]]

  /// The values of a field.
  func values(_ name: String) -> [String] {
    fields.filter { $0[0].lowercased() == name.lowercased() }.map { $0[1] }
  }

  /// The subject; empty when there is none.
  var subject: String { values("Subject").first ?? "" }
  /// The Message-ID; empty when there is none.
  var messageID: String { values("Message-ID").first ?? "" }
  /// The names of the attachments.
  var names: [String] { attachments.map { $0[0] } }

  /// The text without the line end that a message always has.
  var note: String { text.hasSuffix("\n") ? String(text.dropLast()) : text }

  /// The octets of an attachment.
  func content(of index: Int) -> [UInt8] {
    Array(Data(base64Encoded: attachments[index][2]) ?? Data())
  }

  /// Reads messages, with LF or CRLF, dots not stuffed.
  static func parse(_ messages: [[UInt8]]) throws -> [ParsedMail] {
    guard !messages.isEmpty else { return [] }
    let input = messages.map { Data($0).base64EncodedString() + "\n" }.joined()
    let result = try run("/usr/bin/python3", ["-c", script], stdin: Array(input.utf8))
    try #require(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode([ParsedMail].self, from: Data(result.stdout))
  }

  /// Reads one message.
  static func parse(_ message: [UInt8]) throws -> ParsedMail {
    try #require(try parse([message]).first)
  }

  private static let script = """
    import base64, email, email.policy, json, sys

    def addresses(message, name):
        field = message[name]
        return [[a.display_name, a.addr_spec] for a in field.addresses] if field else []

    def parsed(octets):
        message = email.message_from_bytes(octets, policy=email.policy.default)
        body = message.get_body(preferencelist=("plain",))
        text = body.get_content().replace("\\r\\n", "\\n") if body else ""
        attachments = [
            [part.get_filename(), part.get_content_type(),
             base64.b64encode(part.get_payload(decode=True)).decode()]
            for part in message.iter_attachments()]
        defects = [repr(d) for part in message.walk() for d in part.defects]
        defects += [repr(d) for value in message.values() for d in value.defects]
        return {"fields": [[k, str(v)] for k, v in message.items()], "text": text,
                "attachments": attachments, "defects": defects,
                "from": addresses(message, "From"), "to": addresses(message, "To")}

    print(json.dumps([parsed(base64.b64decode(line)) for line in sys.stdin]))
    """
}

/// A message as it came over the wire, dots unstuffed as RFC 5321 §4.5.2 says.
func unstuffed(_ wire: [UInt8]) -> [UInt8] {
  var result: [UInt8] = []
  var isLineStart = true
  for octet in wire {
    if isLineStart, octet == UInt8(ascii: ".") {
      isLineStart = false
      continue
    }
    result.append(octet)
    isLineStart = result.suffix(2) == [0x0d, 0x0a]
  }
  return result
}
