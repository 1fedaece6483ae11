// Design: libcurl sends the message without a login when the server offers none. So the offer is
// read here first. Keywords are case-insensitive (RFC 5321 §4.1.1.1), but libcurl before 8.17
// knows them in capitals only: what it cannot see counts as not offered, or it would go on
// without login.

/// What a server said it can do, in its answer to EHLO.
///
/// RFC 5321 §4.1.1.1.
struct Capabilities: Equatable {
  /// The words of every AUTH line, as sent, at most 16 of at most 32 octets.
  private(set) var offered: [String] = []

  /// The mechanisms that libcurl sees.
  private(set) var mechanisms: Set<String> = []

  /// The most octets of a message the server takes; `nil` where it names no limit.
  ///
  /// RFC 1870 §3.
  private(set) var sizeLimit: Int?

  /// Whether addresses may hold other letters than those of ASCII.
  ///
  /// RFC 6531 §3.1.
  private(set) var takesUTF8 = false

  // ehlo-line = ehlo-keyword *( SP ehlo-param )                               RFC 5321 §4.1.1.1
  /// Notes the text of a line, after its code.
  mutating func read(_ text: [UInt8]) {
    let words = text.prefix(512).split(separator: UInt8(ascii: " "))
      .map { String(decoding: $0, as: UTF8.self) }
    guard let keyword = words.first else { return }
    let upper = keyword.uppercased()
    if keyword == "SMTPUTF8" { takesUTF8 = true }
    if upper == "AUTH" { readMechanisms(words.dropFirst(), isVisible: keyword == "AUTH") }
    if upper.hasPrefix("AUTH=") { readMechanisms(words[...], isVisible: false) }
    if upper == "SIZE", words.count > 1, let limit = Int(words[1]), limit > 0 { sizeLimit = limit }
  }

  private mutating func readMechanisms(_ words: ArraySlice<String>, isVisible: Bool) {
    if isVisible { mechanisms.formUnion(words) }
    for word in words where offered.count < 16 {
      let printable = word.utf8.prefix(32).filter { (0x21...0x7E).contains($0) }
      offered.append(String(decoding: printable, as: UTF8.self))
    }
  }

  /// Whether the server offers a login that the account may use.
  func allows(_ mechanism: SubmissionSettings.Mechanism) -> Bool {
    !mechanisms.isDisjoint(with: mechanism.names)
  }
}

extension SubmissionSettings.Mechanism {
  /// The names of the mechanisms, in no order: libcurl tries PLAIN before LOGIN, and OAUTHBEARER before XOAUTH2.
  var names: [String] {
    switch self {
    case .automatic: ["PLAIN", "LOGIN"]
    case .plain: ["PLAIN"]
    case .login: ["LOGIN"]
    case .token: ["OAUTHBEARER", "XOAUTH2"]
    case .xoauth2: ["XOAUTH2"]
    case .oauthbearer: ["OAUTHBEARER"]
    }
  }

  /// Whether the secret is an access token and no password.
  var takesToken: Bool {
    switch self {
    case .automatic, .plain, .login: false
    case .token, .xoauth2, .oauthbearer: true
    }
  }

  /// The form that libcurl takes, which rules out every mechanism not named.
  var loginOptions: String {
    names.map { "AUTH=" + $0 }.joined(separator: ";")
  }
}
