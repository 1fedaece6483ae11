internal import Posix
internal import CCrypto

/// One run of a cipher of the default provider, `provider-cipher(7)`.
@safe struct Cipher: ~Copyable {
  /// Which cipher.
  enum Algorithm {
    /// NIST SP 800-38D.
    case aes256GCM
    /// RFC 3394.
    case aes256Wrap
    /// NIST SP 800-38A §6.2; whoever uses it pads.
    case aes256CBC

    var name: StaticString {
      switch self {
      case .aes256GCM: "AES-256-GCM"
      case .aes256Wrap: "AES-256-WRAP"
      case .aes256CBC: "AES-256-CBC"
      }
    }
  }

  /// Which way.
  enum Direction {
    case encrypt
    case decrypt
  }

  private let functions: Functions
  private let context: UnsafeMutableRawPointer

  init(_ algorithm: Algorithm, _ library: borrowing Library) throws(SealingError) {
    let functions = try library.functions(OSSL_OP_CIPHER, algorithm.name)
    guard let make = unsafe OSSL_FUNC_cipher_newctx(functions[OSSL_FUNC_CIPHER_NEWCTX]),
      let context = unsafe make(library.providerContext)
    else { throw .library }
    self.functions = functions
    unsafe self.context = context
  }

  // The provider wipes the key schedule.
  deinit {
    guard let free = unsafe OSSL_FUNC_cipher_freectx(functions[OSSL_FUNC_CIPHER_FREECTX]) else {
      return
    }
    unsafe free(context)
  }
}

// MARK: - Steps

extension Cipher {
  /// Sets direction, key and nonce; an empty nonce leaves the cipher's own initial value.
  borrowing func start(
    _ direction: Direction, key: borrowing SecretBytes, nonce: Span<UInt8>
  ) throws(SealingError) {
    let start =
      switch direction {
      case .encrypt: unsafe OSSL_FUNC_cipher_encrypt_init(functions[OSSL_FUNC_CIPHER_ENCRYPT_INIT])
      case .decrypt: unsafe OSSL_FUNC_cipher_decrypt_init(functions[OSSL_FUNC_CIPHER_DECRYPT_INIT])
      }
    guard let start = unsafe start else { throw .library }
    let status = key.withBytes { key in
      unsafe key.withUnsafeBufferPointer { key in
        unsafe nonce.withUnsafeBufferPointer { nonce in
          let initial = nonce.isEmpty ? nil : nonce.baseAddress
          return unsafe start(context, key.baseAddress, key.count, initial, nonce.count, nil)
        }
      }
    }
    guard status == 1 else { throw .library }
  }

  /// Transforms the input whole; nil when the cipher refuses it.
  borrowing func update(
    _ input: Span<UInt8>, into output: UnsafeMutableRawBufferPointer
  ) throws(SealingError) -> Int? {
    guard let update = unsafe OSSL_FUNC_cipher_update(functions[OSSL_FUNC_CIPHER_UPDATE]) else {
      throw .library
    }
    var written = 0
    let start = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let status = unsafe input.withUnsafeBufferPointer {
      unsafe update(context, start, &written, output.count, $0.baseAddress, $0.count)
    }
    guard status == 1 else {
      ERR_clear_error()
      return nil
    }
    return written
  }

  /// Ends the run; `false` when the tag does not fit what was decrypted.
  borrowing func finish() throws(SealingError) -> Bool {
    guard let final = unsafe OSSL_FUNC_cipher_final(functions[OSSL_FUNC_CIPHER_FINAL]) else {
      throw .library
    }
    var written = 0
    var none: UInt8 = 0
    guard unsafe final(context, &none, &written, 0) == 1 else {
      ERR_clear_error()
      return false
    }
    return true
  }
}

// MARK: - The tag of GCM

extension Cipher {
  /// Reads the tag, after the end of encryption.
  borrowing func readTag(_ size: Int) throws(SealingError) -> [UInt8] {
    guard
      let read = unsafe OSSL_FUNC_cipher_get_ctx_params(functions[OSSL_FUNC_CIPHER_GET_CTX_PARAMS])
    else { throw .library }
    var tag = [UInt8](repeating: 0, count: size)
    let status = unsafe tag.withUnsafeMutableBytes { buffer in
      var parameters = unsafe Self.parameters(tag: buffer)
      return unsafe read(context, &parameters)
    }
    guard status == 1 else { throw .library }
    return tag
  }

  /// Sets the tag that is to fit, before the end of decryption.
  borrowing func expect(tag: Span<UInt8>) throws(SealingError) {
    guard
      let set = unsafe OSSL_FUNC_cipher_set_ctx_params(functions[OSSL_FUNC_CIPHER_SET_CTX_PARAMS])
    else { throw .library }
    let status = unsafe tag.withUnsafeBufferPointer { tag in
      // The provider only reads what it is given to set.
      let buffer = unsafe UnsafeMutableRawBufferPointer(mutating: UnsafeRawBufferPointer(tag))
      let parameters = unsafe Self.parameters(tag: buffer)
      return unsafe set(context, parameters)
    }
    guard status == 1 else { throw .library }
  }

  private static func parameters(tag: UnsafeMutableRawBufferPointer) -> [OSSL_PARAM] {
    // OSSL_CIPHER_PARAM_AEAD_TAG, as a pointer that stays valid.
    let name: StaticString = "tag"
    return unsafe name.utf8Start.withMemoryRebound(to: CChar.self, capacity: 4) { name in
      unsafe [
        OSSL_PARAM_construct_octet_string(name, tag.baseAddress, tag.count),
        OSSL_PARAM_construct_end(),
      ]
    }
  }
}
