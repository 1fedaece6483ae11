import MessageFormat

// Design: a server refuses a token in two turns. It sends its reasons as a JSON object in a
// challenge, waits for an empty answer, and only then says 535, which tells nothing more. libcurl
// gives up at the challenge of XOAUTH2 already, so its words are kept when they pass.

/// Why a server does not take an access token, from the challenge in which it says so.
///
/// RFC 7628 §3.2.2; for XOAUTH2 the same with other members, as Google and Microsoft document it.
struct TokenRefusal: Equatable {
  /// The members told, as `status 401, scope https://mail.google.com/`.
  let words: String

  /// The members that tell something, in the order in which they are told.
  private static let members = ["status", "error", "error_description", "schemes", "scope"]
  private static let longestValue = 200
  private static let longestChallenge = 6000

  /// `nil` when the text of a 334 reply is no such object in Base64, or tells nothing.
  init?(challenge: [UInt8]) {
    guard !challenge.isEmpty, challenge.count <= Self.longestChallenge,
      let octets = Base64.decode(challenge, garbage: .refused), let object = FlatObject(octets)
    else { return nil }
    let told = Self.members.compactMap { name in
      object.members[name].map { "\(name) \(Self.cleaned($0))" }
    }
    guard !told.isEmpty else { return nil }
    words = told.joined(separator: ", ")
  }

  private static func cleaned(_ value: String) -> String {
    let scalars = value.unicodeScalars.prefix(longestValue).map { scalar in
      scalar.properties.generalCategory == .control ? " " : scalar
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
