import MessageFormat
import Sealing

/// The SHA-256 digest of a certificate in DER.
public struct CertificateFingerprint: Sendable, Hashable {
  private let octets: [UInt8]

  /// The fingerprint written as 64 hexadecimal digits; `nil` for anything else.
  public init?(hexadecimal: String) {
    let digits = Array(hexadecimal.utf8)
    guard digits.count == 64, digits.allSatisfy(\.isHexDigit) else { return nil }
    octets = stride(from: 0, to: 64, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
    }
  }

  /// The fingerprint of the first certificate of a text; `nil` when there is none to be had.
  ///
  /// RFC 7468 §5.
  init?(ofPEM text: [UInt8]) {
    let lines = text.split(separator: UInt8(ascii: "\n"))
      .drop { !$0.starts(with: "-----BEGIN CERTIFICATE-----".utf8) }.dropFirst()
      .prefix { $0.first != UInt8(ascii: "-") }
    guard let der = Base64.decode(Array(lines.joined()), garbage: .refused), !der.isEmpty,
      let digest = try? Digest.sha256.of(der)
    else { return nil }
    octets = digest
  }

  /// How the fingerprint found differs from this one, in a few words.
  func difference(from found: CertificateFingerprint?) -> String {
    let told = found.map { "its fingerprint begins with \($0.beginning)" } ?? "none was shown"
    return "\(told), the configured one with \(beginning)"
  }

  /// The first four octets, as people compare them.
  private var beginning: String {
    octets.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
  }
}
