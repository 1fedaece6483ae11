/// What the body of a message or part is.
///
/// RFC 2045 §5, parameters also after RFC 2231.
public struct ContentType: Sendable, Equatable {
  private var content: ParameterizedValue

  /// What a body without a Content-Type is.
  ///
  /// RFC 2045 §5.2.
  public static let plainText = Self("text/plain", [Parameter("charset", "us-ascii")])

  static let octets = Self("application/octet-stream")

  /// A media type and its parameters.
  ///
  /// - Parameters:
  ///   - mediaType: Type and subtype, such as `text/plain`; `application/octet-stream` is taken
  ///     for what is no media type.
  ///   - parameters: The parameters in their order.
  public init(_ mediaType: String, _ parameters: [Parameter] = []) {
    let value = mediaType.asciiLowercased
    let isValid = Self.isMediaType(value)
    content = ParameterizedValue(
      value: isValid ? value : "application/octet-stream", parameters: parameters)
  }

  // content := "Content-Type" ":" type "/" subtype *(";" parameter)              RFC 2045 §5.1
  /// The content type in a field's body; nil when it names no media type.
  public init?(parsing body: String) { self.init(parsing: Array(body.utf8)) }

  init?(parsing body: [UInt8]) {
    content = ParameterizedValue(parsing: body)
    guard Self.isMediaType(content.value) else { return nil }
  }

  /// The content type that a header names, plain text when it names none.
  init(of header: Header) {
    let field = header.first(named: "Content-Type")
    self = field.flatMap { ContentType(parsing: $0.body) } ?? .plainText
  }

  /// Type and subtype in lower case, such as `text/plain`.
  public var mediaType: String { content.value }

  /// The type in lower case, such as `text`.
  public var type: String { String(repairing: content.value.utf8.prefix { $0 != 0x2F }) }

  /// The subtype in lower case, such as `plain`.
  public var subtype: String {
    String(repairing: content.value.utf8.drop { $0 != 0x2F }.dropFirst())
  }

  /// The parameters in their order.
  public var parameters: [Parameter] { content.parameters }

  /// The value of a parameter, whatever the case of its name; setting nil removes it.
  public subscript(name: String) -> String? {
    get { content[name] }
    set { content[name] = newValue }
  }

  /// The field that says so.
  public var field: HeaderField {
    HeaderField(name: "Content-Type", raw: content.raw(afterName: "Content-Type"))
  }

  private static func isMediaType(_ value: String) -> Bool {
    let parts = value.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
    return parts.count == 2
      && parts.allSatisfy { !$0.isEmpty && $0.count <= 127 && $0.allSatisfy(\.isTokenText) }
  }
}
