internal import Posix
internal import CCrypto

/// A private key as the library holds it: for the rare forms of a key file, and for signing.
@safe struct LibraryKey: ~Copyable {
  let key: OpaquePointer

  /// Reads a key in whatever PEM the library knows.
  ///
  /// - Throws: `locked` when it is encrypted and the passphrase, which may be empty for none, does
  ///   not open it; else `keyUnreadable`.
  init(
    pem: borrowing SecretBytes, passphrase: borrowing SecretBytes, lockedAs locked: SealingError,
    _ library: borrowing Library
  ) throws(SealingError) {
    var wasAsked = false
    let key = unsafe pem.withBytes { pem in
      unsafe passphrase.withBytes { passphrase in
        unsafe Self.decode(pem, passphrase, &wasAsked, library)
      }
    }
    guard let key = unsafe key else {
      ERR_clear_error()
      throw wasAsked ? locked : .keyUnreadable
    }
    unsafe self.key = key
  }

  /// Reads PKCS#8 in DER.
  init(der: borrowing SecretBytes, _ library: borrowing Library) throws(SealingError) {
    let key = unsafe der.withBytes { der in
      unsafe der.withUnsafeBufferPointer { der in
        var start = der.baseAddress
        return unsafe d2i_AutoPrivateKey_ex(nil, &start, der.count, library.context, nil)
      }
    }
    guard let key = unsafe key else { throw .library }
    unsafe self.key = key
  }

  deinit { unsafe EVP_PKEY_free(key) }
}

// MARK: - Reading

extension LibraryKey {
  private static func decode(
    _ pem: Span<UInt8>, _ passphrase: Span<UInt8>, _ wasAsked: inout Bool,
    _ library: borrowing Library
  ) -> OpaquePointer? {
    unsafe pem.withUnsafeBufferPointer { pem in
      guard let source = unsafe BIO_new_mem_buf(pem.baseAddress, Int32(clamping: pem.count)) else {
        return nil
      }
      defer { unsafe BIO_free(source) }
      return unsafe passphrase.withUnsafeBufferPointer { passphrase in
        var question = unsafe Question(answer: UnsafeRawBufferPointer(passphrase))
        defer { wasAsked = unsafe question.wasAsked }
        return unsafe PEM_read_bio_PrivateKey_ex(
          source, nil, answer, &question, library.context, nil)
      }
    }
  }

  /// The number, in 32 octets.
  borrowing func privateOctets() throws(SealingError) -> SecretBytes {
    // OSSL_PKEY_PARAM_PRIV_KEY
    var number: OpaquePointer?
    defer { unsafe BN_clear_free(number) }
    guard unsafe EVP_PKEY_get_bn_param(key, "priv", &number) == 1, isOnP256() else {
      ERR_clear_error()
      throw .keyUnreadable
    }
    var octets = SecretBytes(capacity: Curve.scalarSize)
    try unsafe octets.fillWhole { (buffer) throws(SealingError) in
      let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      guard unsafe BN_bn2binpad(number, start, Int32(buffer.count)) == Int32(buffer.count) else {
        ERR_clear_error()
        throw .keyUnreadable
      }
    }
    return octets
  }

  private borrowing func isOnP256() -> Bool {
    var name = [CChar](repeating: 0, count: 32)
    var count = 0
    guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return false }
    return name.prefix(count).elementsEqual("prime256v1".utf8.map { CChar($0) })
  }
}

/// What the library asks while it reads an encrypted key, and the answer.
@unsafe private struct Question {
  let answer: UnsafeRawBufferPointer
  var wasAsked = false
}

/// Gives the passphrase, the corresponding C type is `pem_password_cb`.
private func answer(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32,
  _ user: UnsafeMutableRawPointer?
) -> Int32 {
  guard let buffer = unsafe buffer, let user = unsafe user else { return -1 }
  let question = unsafe user.assumingMemoryBound(to: Question.self)
  unsafe question.pointee.wasAsked = true
  let passphrase = unsafe question.pointee.answer
  guard unsafe !passphrase.isEmpty, passphrase.count <= Int(size) else { return -1 }
  unsafe UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)).copyMemory(from: passphrase)
  return Int32(passphrase.count)
}

// MARK: - Signing

extension LibraryKey {
  /// An ECDSA signature with SHA-256, in DER, RFC 5758 §3.2.
  borrowing func sign(
    _ bytes: Span<UInt8>, using library: borrowing Library
  ) throws(SealingError) -> [UInt8] {
    guard let context = unsafe EVP_MD_CTX_new() else { throw .library }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard
      unsafe EVP_DigestSignInit_ex(context, nil, "SHA256", library.context, nil, key, nil) == 1
    else { throw .library }
    var signature = [UInt8](repeating: 0, count: Int(unsafe EVP_PKEY_get_size(key)))
    var count = signature.count
    let status = unsafe bytes.withUnsafeBufferPointer {
      unsafe EVP_DigestSign(context, &signature, &count, $0.baseAddress, $0.count)
    }
    guard status == 1 else { throw .library }
    return Array(signature.prefix(count))
  }
}
