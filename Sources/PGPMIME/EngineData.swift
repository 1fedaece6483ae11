internal import CGPGME

/// Octets on their way to or from gpg.
///
/// The corresponding C type is `gpgme_data_t`.
@safe struct EngineData: ~Copyable {
  /// The object itself, for a call that uses it.
  let object: gpgme_data_t

  /// An empty buffer that gpg's output goes into.
  init() throws(OpenPGPFailure) {
    var object: gpgme_data_t?
    let error = unsafe gpgme_data_new(&object)
    guard error == 0, let object = unsafe object else { throw OpenPGPFailure(error) }
    unsafe self.object = object
  }

  /// Octets for gpg, copied.
  init(_ octets: [UInt8]) throws(OpenPGPFailure) {
    var object: gpgme_data_t?
    let error = unsafe octets.withUnsafeBytes { buffer in
      unsafe gpgme_data_new_from_mem(
        &object, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count, 1)
    }
    guard error == 0, let object = unsafe object else { throw OpenPGPFailure(error) }
    unsafe self.object = object
  }

  deinit { unsafe gpgme_data_release(object) }

  /// All that is in it, which ends it.
  consuming func octets() -> [UInt8] {
    let object = unsafe object
    discard self
    var count = 0
    guard let memory = unsafe gpgme_data_release_and_get_mem(object, &count) else { return [] }
    defer { unsafe gpgme_free(memory) }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: memory, count: count))
  }
}
