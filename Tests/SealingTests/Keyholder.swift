import Posix
import Sealing

// Both are of copyable types, since `#expect` captures what stands in it.

/// An opener that a test can hand about.
final class Keyholder {
  private let opener: Opener

  init(key: [UInt8], certificate: [UInt8]? = nil) throws(SealingError) {
    opener = try Opener(privateKey: SecretBytes(copying: key.span), certificate: certificate)
  }

  init(key: [UInt8], passphrase: String) throws(SealingError) {
    opener = try Opener(
      privateKey: SecretBytes(copying: key.span),
      passphrase: SecretBytes(copying: Array(passphrase.utf8).span))
  }

  func open(_ der: [UInt8]) throws(SealingError) -> [UInt8] { try opener.open(der) }
}

/// A new key and its certificate, in PEM.
struct Identity {
  let key: [UInt8]
  let certificate: [UInt8]

  init(notBefore: Int64 = 0) throws(SealingError) {
    let material = try IdentityMaterial.makeIdentity(notBefore: notBefore)
    key = material.privateKey.copy()
    certificate = material.certificate
  }

  func seal(_ content: [UInt8]) throws(SealingError) -> [UInt8] {
    try Recipient(certificate: certificate).seal(content)
  }
}
