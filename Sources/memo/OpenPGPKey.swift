import Posix
import Sealing

// Design: gpg is asked, and nothing else: what it can decrypt is its own affair. It answers from
// its key ring alone, with no look at the network.

/// A secret key of gpg's that can encrypt.
struct OpenPGPKey: Equatable {
  let fingerprint: String
  let user: String

  private static let timeoutSeconds = 10

  /// All of them, as `gpg --list-secret-keys` tells.
  static func all(
    _ gpg: String, environment: ProcessEnvironment
  ) throws(ShellCommand.Failure) -> [OpenPGPKey] {
    let output = try ShellCommand.output(
      of: gpg, ["--batch", "--no-tty", "--with-colons", "--list-secret-keys"],
      environment: environment, timeoutSeconds: timeoutSeconds)
    return parsed(String(decoding: output.copy(), as: UTF8.self))
  }

  // sec:VALIDITY:...:CAPABILITIES (field 12), then fpr (field 10), then uid (field 10).
  /// The keys in gpg's machine-readable list, as its file doc/DETAILS tells.
  static func parsed(_ list: String) -> [OpenPGPKey] {
    var keys: [OpenPGPKey] = []
    var fingerprint: String?
    var isUsable = false
    for line in list.split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      switch fields.first {
      case "sec":
        isUsable = fields.count > 11 && canEncrypt(validity: fields[1], capabilities: fields[11])
        fingerprint = nil
      case "fpr" where isUsable && fingerprint == nil && fields.count > 9:
        fingerprint = String(fields[9])
      case "uid" where isUsable && fields.count > 9:
        guard let known = fingerprint else { continue }
        keys.append(OpenPGPKey(fingerprint: known, user: unescaped(fields[9])))
        isUsable = false
      default: continue
      }
    }
    return keys
  }

  /// An `E` says it of the whole key, a `D` that its owner switched it off.
  private static func canEncrypt(validity: Substring, capabilities: Substring) -> Bool {
    !["r", "e", "d", "i"].contains(validity) && capabilities.contains("E")
      && !capabilities.contains("D")
  }

  /// The user's name, in which gpg writes some octets as `\xHH`.
  private static func unescaped(_ text: Substring) -> String {
    var octets: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let octet = rest.popFirst() {
      let digits = rest.dropFirst().prefix(2)
      guard octet == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x"), digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else {
        octets.append(octet)
        continue
      }
      octets.append(value)
      rest = rest.dropFirst(3)
    }
    return String(decoding: octets, as: UTF8.self)
  }
}
