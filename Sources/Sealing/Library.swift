internal import CCrypto
internal import Glibc

// Design: the provider's functions are called as `provider-base(7)` tells the library's own core
// to call them, instead of through EVP. The first fetch of an EVP cipher makes every cipher the
// provider has, three million instructions in a process that lives four milliseconds; looking up
// the one table that is wanted takes seven thousand. The implementations, with AES-NI, are the
// same. The context is our own, so that neither openssl.cnf nor another user of the library in
// this process changes what we get, and we change nothing for them.

/// A library context of libcrypto with its default provider.
@safe package struct Library: ~Copyable {
  /// For the functions that take an `OSSL_LIB_CTX`.
  let context: OpaquePointer
  private let provider: OpaquePointer

  package init() throws(SealingError) {
    guard let context = unsafe OSSL_LIB_CTX_new() else { throw .library }
    guard let provider = unsafe OSSL_PROVIDER_load(context, "default") else {
      unsafe OSSL_LIB_CTX_free(context)
      throw .library
    }
    unsafe self.context = context
    unsafe self.provider = provider
  }

  deinit {
    _ = unsafe OSSL_PROVIDER_unload(provider)
    unsafe OSSL_LIB_CTX_free(context)
  }

  /// What the functions that make a context of an algorithm are given.
  var providerContext: UnsafeMutableRawPointer? {
    unsafe OSSL_PROVIDER_get0_provider_ctx(provider)
  }

  /// The functions of one algorithm, valid as long as the library.
  borrowing func functions(_ operation: Int32, _ name: StaticString) throws(SealingError)
    -> Functions
  {
    var mayNotBeKept: Int32 = 0
    let algorithms = unsafe OSSL_PROVIDER_query_operation(provider, operation, &mayNotBeKept)
    guard var algorithm = unsafe algorithms else { throw .library }
    defer { unsafe OSSL_PROVIDER_unquery_operation(provider, operation, algorithms) }
    while let names = unsafe algorithm.pointee.algorithm_names {
      if unsafe Self.isOne(name, of: names), let table = unsafe algorithm.pointee.implementation {
        return unsafe Functions(table: table)
      }
      unsafe algorithm += 1
    }
    throw .library(code: 0)
  }

  /// Whether it is one of the names, which are parted by colons.
  private static func isOne(_ name: StaticString, of names: UnsafePointer<CChar>) -> Bool {
    var start = unsafe names
    while true {
      var count = 0
      while unsafe start[count] != 0, unsafe start[count] != colon { count += 1 }
      if count == name.utf8CodeUnitCount, unsafe memcmp(start, name.utf8Start, count) == 0 {
        return true
      }
      guard unsafe start[count] == colon else { return false }
      unsafe start += count + 1
    }
  }

  private static let colon: CChar = 0x3A
}

/// The table of an algorithm's functions, `openssl-core_dispatch.h(7)`.
@safe struct Functions {
  fileprivate let table: UnsafePointer<OSSL_DISPATCH>

  /// The entry with that number, or the one that ends the table, whose function is null.
  subscript(_ identity: Int32) -> UnsafePointer<OSSL_DISPATCH> {
    var entry = unsafe table
    while unsafe entry.pointee.function_id != 0, unsafe entry.pointee.function_id != identity {
      unsafe entry += 1
    }
    return unsafe entry
  }
}

extension SealingError {
  /// What the library says last, taken out of its queue.
  static var library: SealingError {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    return .library(code: UInt(code))
  }
}
