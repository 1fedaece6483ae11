internal import CCrypto
internal import Posix

/// A key with its certificate in a file under a passphrase, for the stores of mail clients.
///
/// RFC 7292.
public enum PKCS12 {
  /// How the file is encrypted.
  public enum Strength: Sendable {
    /// PBES2 with PBKDF2, HMAC-SHA-256 and AES-256; RFC 8018.
    case strong
    /// Triple DES and SHA-1, for programs that know nothing else; RFC 7292 appendix C.
    case old

    var algorithm: Int32 {
      self == .strong ? NID_aes_256_cbc : NID_pbe_WithSHA1And3_Key_TripleDES_CBC
    }
  }

  /// The iterations that OWASP asks for with HMAC-SHA-256.
  private static let iterations: Int32 = 600_000
  private static let name = "memo"

  /// The file's octets.
  ///
  /// - Parameters:
  ///   - info: The key, DER of a PrivateKeyInfo.
  ///   - certificate: DER.
  ///   - passphrase: Without NUL, as the library takes it for a C string.
  ///   - strength: How it is encrypted.
  ///   - library: Does the work.
  /// - Returns: DER of a PFX.
  /// - Throws: `certificateUnreadable`; `library`.
  static func encode(
    _ info: borrowing SecretBytes, _ certificate: [UInt8], passphrase: borrowing SecretBytes,
    _ strength: Strength, using library: borrowing Library
  ) throws(SealingError) -> [UInt8] {
    let key = try LibraryKey(der: info, library)
    let certificate = try LibraryCertificate(certificate, library)
    var terminated = SecretBytes(capacity: passphrase.count + 1)
    passphrase.withBytes { terminated.append($0) }
    terminated.append(0)
    let file = try terminated.withBytes { (bytes) throws(SealingError) in
      try LibraryPKCS12(key, certificate, bytes, strength, library)
    }
    return try file.der()
  }

  /// A PFX as the library holds it.
  @safe fileprivate struct LibraryPKCS12: ~Copyable {
    private let file: OpaquePointer

    /// The corresponding C functions are `PKCS12_create(3)` and `PKCS12_set_mac(3)`.
    init(
      _ key: borrowing LibraryKey, _ certificate: borrowing LibraryCertificate,
      _ passphrase: Span<UInt8>, _ strength: Strength, _ library: borrowing Library
    ) throws(SealingError) {
      let (key, certificate) = unsafe (key.key, certificate.certificate)
      let context = unsafe library.context
      let file = unsafe passphrase.withUnsafeBytes { passphrase -> OpaquePointer? in
        let word = unsafe passphrase.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard
          let file = unsafe PKCS12_create_ex(
            word, name, key, certificate, nil, strength.algorithm, strength.algorithm,
            iterations, -1, 0, context, nil)
        else { return nil }
        let digest = unsafe strength == .strong ? EVP_sha256() : EVP_sha1()
        guard unsafe PKCS12_set_mac(file, word, -1, nil, 0, iterations, digest) == 1 else {
          unsafe PKCS12_free(file)
          return nil
        }
        return unsafe file
      }
      guard let file = unsafe file else { throw .library }
      unsafe self.file = file
    }

    deinit { unsafe PKCS12_free(file) }

    borrowing func der() throws(SealingError) -> [UInt8] {
      let count = unsafe i2d_PKCS12(file, nil)
      guard count > 0 else { throw .library }
      var bytes = [UInt8](repeating: 0, count: Int(count))
      let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
        var start = buffer.baseAddress
        return unsafe i2d_PKCS12(file, &start)
      }
      guard written == count else { throw .library }
      return bytes
    }
  }
}

/// A certificate as the library holds it.
@safe private struct LibraryCertificate: ~Copyable {
  let certificate: OpaquePointer

  init(_ der: [UInt8], _ library: borrowing Library) throws(SealingError) {
    var certificate = unsafe X509_new_ex(library.context, nil)
    let read = unsafe der.withUnsafeBufferPointer { der in
      var start = der.baseAddress
      return unsafe d2i_X509(&certificate, &start, der.count) != nil
    }
    // A failure has freed what was made, and left no pointer.
    guard read, let certificate = unsafe certificate else {
      ERR_clear_error()
      throw .certificateUnreadable
    }
    unsafe self.certificate = certificate
  }

  deinit { unsafe X509_free(certificate) }
}
