internal import Posix
internal import CCrypto

/// A digest algorithm of the default provider, `provider-digest(7)`.
package enum Digest: Sendable, CaseIterable {
  /// For key identifiers, and for reading what others seal; not where strength counts.
  case sha1
  /// FIPS 180-4 §6.2.
  case sha256

  /// How many octets it gives.
  package var size: Int { self == .sha1 ? 20 : 32 }

  private var name: StaticString { self == .sha1 ? "SHA1" : "SHA2-256" }
}

extension Digest {
  /// The digest of a secret, itself one.
  func of(_ secret: borrowing SecretBytes, using library: borrowing Library) throws(SealingError)
    -> SecretBytes
  {
    let context = try DigestContext(name, library)
    try context.start()
    try secret.withBytes { (bytes) throws(SealingError) in try context.update(bytes) }
    return try context.finish(size)
  }

  /// The digest of what is no secret.
  func of(_ bytes: Span<UInt8>, using library: borrowing Library) throws(SealingError) -> [UInt8] {
    let context = try DigestContext(name, library)
    try context.start()
    try context.update(bytes)
    return try context.finish(size).copy()
  }
}

/// One computation of a digest.
@safe private struct DigestContext: ~Copyable {
  private let functions: Functions
  private let context: UnsafeMutableRawPointer

  init(_ name: StaticString, _ library: borrowing Library) throws(SealingError) {
    let functions = try library.functions(OSSL_OP_DIGEST, name)
    guard let make = unsafe OSSL_FUNC_digest_newctx(functions[OSSL_FUNC_DIGEST_NEWCTX]),
      let context = unsafe make(library.providerContext)
    else { throw .library }
    self.functions = functions
    unsafe self.context = context
  }

  deinit {
    guard let free = unsafe OSSL_FUNC_digest_freectx(functions[OSSL_FUNC_DIGEST_FREECTX]) else {
      return
    }
    unsafe free(context)
  }

  borrowing func start() throws(SealingError) {
    guard let start = unsafe OSSL_FUNC_digest_init(functions[OSSL_FUNC_DIGEST_INIT]),
      unsafe start(context, nil) == 1
    else { throw .library }
  }

  borrowing func update(_ bytes: Span<UInt8>) throws(SealingError) {
    guard let update = unsafe OSSL_FUNC_digest_update(functions[OSSL_FUNC_DIGEST_UPDATE]) else {
      throw .library
    }
    let status = unsafe bytes.withUnsafeBufferPointer {
      unsafe update(context, $0.baseAddress, $0.count)
    }
    guard status == 1 else { throw .library }
  }

  borrowing func finish(_ size: Int) throws(SealingError) -> SecretBytes {
    guard let final = unsafe OSSL_FUNC_digest_final(functions[OSSL_FUNC_DIGEST_FINAL]) else {
      throw .library
    }
    var digest = SecretBytes(capacity: size)
    try unsafe digest.fillWhole { (buffer) throws(SealingError) in
      var written = 0
      let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      guard unsafe final(context, start, &written, buffer.count) == 1, written == size else {
        throw .library
      }
    }
    return digest
  }
}

extension SecretBytes {
  /// The octets as an array, for what turned out to be no secret.
  package borrowing func copy() -> [UInt8] {
    withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }
}

extension Digest {
  /// The digest of what is no secret, for those who need nothing else of the library.
  package func of(_ bytes: [UInt8]) throws(SealingError) -> [UInt8] {
    try of(bytes.span, using: try Library())
  }
}
