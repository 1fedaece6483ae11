internal import CGPGME
internal import Posix

/// gpg, as gpgme runs it: one context for many operations, one gpg process for each.
///
/// The corresponding C type is `gpgme_ctx_t`. To make one takes longer than to encrypt.
@safe struct Engine: ~Copyable {
  private let context: gpgme_ctx_t
  private let loop = EngineLoop()
  private let timeoutSeconds: Int

  /// Prepares gpgme for OpenPGP, with ASCII armor.
  ///
  /// - Parameters:
  ///   - isAttended: Whether a person is at the terminal, who may be asked for a passphrase.
  ///   - timeoutSeconds: How long each operation may take.
  ///   - keyringHome: The folder of the keyring; nil for the one that gpg uses by itself.
  /// - Returns: A context that is ready.
  /// - Throws: `notInstalled`, or gpgme's failure.
  static func make(
    isAttended: Bool, timeoutSeconds: Int, keyringHome: String?
  ) throws(OpenPGPFailure) -> Engine {
    // Without this call first nothing works: gpgme_check_version(3).
    guard unsafe gpgme_check_version(nil) != nil else { throw .notInstalled }
    try check(gpgme_engine_check_version(GPGME_PROTOCOL_OpenPGP))
    var context: gpgme_ctx_t?
    try check(unsafe gpgme_new(&context))
    guard let context = unsafe context else { throw .notInstalled }
    let engine = unsafe Engine(context, timeoutSeconds)
    try engine.configure(isAttended, keyringHome)
    return engine
  }

  private init(_ context: gpgme_ctx_t, _ timeoutSeconds: Int) {
    unsafe self.context = context
    self.timeoutSeconds = timeoutSeconds
  }

  deinit { unsafe gpgme_release(context) }

  private func configure(_ isAttended: Bool, _ home: String?) throws(OpenPGPFailure) {
    try Self.check(unsafe gpgme_set_protocol(context, GPGME_PROTOCOL_OpenPGP))
    if let home {
      try Self.check(
        unsafe gpgme_ctx_set_engine_info(context, GPGME_PROTOCOL_OpenPGP, nil, home))
    }
    unsafe gpgme_set_armor(context, 1)
    unsafe gpgme_set_offline(context, 1)
    // A key that is not here is missing: nobody is asked for it, by whatever name.
    for (flag, value) in [("auto-key-locate", "clear"), ("auto-key-retrieve", "0")] {
      try Self.check(unsafe gpgme_set_ctx_flag(context, flag, value))
    }
    let mode = isAttended ? GPGME_PINENTRY_MODE_DEFAULT : GPGME_PINENTRY_MODE_ERROR
    try Self.check(unsafe gpgme_set_pinentry_mode(context, mode))
    var callbacks = unsafe loop.callbacks
    unsafe gpgme_set_io_cbs(context, &callbacks)
  }

  private static func check(_ error: gpgme_error_t) throws(OpenPGPFailure) {
    guard error == 0 else { throw OpenPGPFailure(error) }
  }
}

// MARK: - Operations

extension Engine {
  /// The ASCII armor of octets encrypted to a key.
  ///
  /// - Parameters:
  ///   - octets: The plaintext.
  ///   - fingerprint: The key, which is trusted whatever the keyring says of it.
  ///   - signer: Who signs it, inside; nil for nobody.
  /// - Returns: What gpg wrote, not yet looked at.
  /// - Throws: Why gpg wrote nothing that could be used.
  borrowing func encrypt(
    _ octets: [UInt8], to fingerprint: String, signer: KeyHandle?
  ) throws(OpenPGPFailure) -> [UInt8] {
    let plain = try EngineData(octets)
    let cipher = try EngineData()
    let flags = gpgme_encrypt_flags_t(
      GPGME_ENCRYPT_ALWAYS_TRUST.rawValue | GPGME_ENCRYPT_NO_ENCRYPT_TO.rawValue)
    // "--" ends the options: what follows are recipients, one a line.
    let recipients = "--\n" + fingerprint + "\n"
    unsafe gpgme_signers_clear(context)
    try perform { () -> gpgme_error_t in
      guard let signer else {
        return unsafe gpgme_op_encrypt_ext_start(
          context, nil, recipients, flags, plain.object, cipher.object)
      }
      let error = unsafe gpgme_signers_add(context, signer.object)
      guard error == 0 else { return error }
      return unsafe gpgme_op_encrypt_sign_ext_start(
        context, nil, recipients, flags, plain.object, cipher.object)
    }
    if let refused = unsafe gpgme_op_encrypt_result(context)?.pointee.invalid_recipients {
      throw OpenPGPFailure(unsafe refused.pointee.reason)
    }
    return cipher.octets()
  }

  /// A key of the keyring by its fingerprint.
  ///
  /// - Throws: `keyMissing`, or why gpg could not tell.
  borrowing func key(_ fingerprint: String, secret: Bool) throws(OpenPGPFailure) -> KeyHandle {
    try perform { unsafe gpgme_op_keylist_start(context, fingerprint, secret ? 1 : 0) }
    guard let key = loop.keys.first else { throw secret ? .cannotSign : .keyMissing }
    return key
  }

  private borrowing func perform(
    _ start: () -> gpgme_error_t
  ) throws(OpenPGPFailure) {
    loop.begin()
    let deadline = ContinuousClock.now + .seconds(timeoutSeconds)
    try Self.check(start())
    guard let result = loop.run(until: deadline) else {
      // gpgme lets go of a gpg that is cancelled, which would then wait for its agent for ever.
      PipePeers.kill(holding: loop.pipes)
      unsafe gpgme_cancel(context)
      throw .timedOut(seconds: timeoutSeconds)
    }
    try Self.check(result)
  }
}
