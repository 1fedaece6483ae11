internal import Posix

// Design: a note names its key, and an old key's file is named after it, so that none is opened
// that no note asks for: each costs a fifth of a second when it has a passphrase.

/// A key that was an identity's before, at work.
final class OldKey {
  let opener: Opener
  init(_ opener: consuming Opener) { self.opener = opener }
}

/// The keys that were an identity's before, each opened when a note first asks for it.
final class OldKeys {
  private let folder: Directory
  /// The identifiers in hexadecimal digits, of which the files' names are made.
  private let names: [String]
  private let passphrase: SecretBytes?
  private var opened: [String: OldKey] = [:]

  init(_ folder: consuming Directory, _ names: [String], _ passphrase: consuming SecretBytes?) {
    self.folder = folder
    self.names = names
    self.passphrase = passphrase
  }

  /// Whether the key with this identifier is one of them.
  func holds(_ identifier: [UInt8]) -> Bool { names.contains(hexadecimal(identifier)) }

  /// The one whom a recipient identifier means.
  func key(namedBy recipient: [UInt8]) -> OldKey? {
    let exact = names.filter {
      recipient == RecipientIdentifier.keyIdentifier(octets(hexadecimal: $0))
    }
    // By issuer and serial number, only the certificates kept beside the keys can tell.
    for name in exact.isEmpty ? names : exact {
      if let key = key(name), key.opener.isNamed(by: recipient) { return key }
    }
    return nil
  }

  private func key(_ name: String) -> OldKey? {
    if let key = opened[name] { return key }
    guard let opener = opener(name) else { return nil }
    let key = OldKey(opener)
    opened[name] = key
    return key
  }

  /// One that does not open with the passphrase at hand is as good as not there.
  private func opener(_ name: String) -> Opener? {
    guard let pem = try? SecretFile.read(name + ".pem", in: folder) else { return nil }
    let certificate = try? folder.read(name + ".certificate.pem", limit: SecretFile.sizeLimit)
    switch passphrase {
    case .none: return try? Opener(privateKey: pem, certificate: certificate)
    case .some(let passphrase):
      return try? Opener(privateKey: pem, passphrase: passphrase, certificate: certificate)
    }
  }
}

/// Octets as lower-case hexadecimal digits.
func hexadecimal(_ octets: [UInt8]) -> String {
  octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// The octets of hexadecimal digits, none where they are not that.
func octets(hexadecimal text: String) -> [UInt8] {
  let digits = text.compactMap { $0.hexDigitValue.map { UInt8($0) } }
  guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return [] }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
