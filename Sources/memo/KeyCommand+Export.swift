import Configuration
import Posix
import Sealing
import Wording

extension KeyCommand {
  func export(_ options: KeyExportOptions) throws(ExitStatus) -> ExitStatus {
    if let path = options.pkcs12 { return try exportPKCS12(to: path, options) }
    if options.isCertificateOnly { return try exportCertificate(to: options.pem ?? "-") }
    return try exportPEM(to: options.pem)
  }

  private func exportCertificate(to path: String) throws(ExitStatus) -> ExitStatus {
    let certificate = try home.withIdentity { (identity) throws(IdentityFolder.Failure) in
      try identity.certificateFile()
    }
    guard path != "-" else { return try home.memo.write(certificate) }
    try PrivateOutput(path: path).write(certificate.span, home)
    return .success
  }

  /// The key as it lies there, its passphrase with it, and then the certificate.
  private func exportPEM(to path: String?) throws(ExitStatus) -> ExitStatus {
    if path == nil, StandardStream.output.isTerminal {
      home.say(language.text(.notOnTerminal))
      home.hint(language.text(.notOnTerminalHint))
      throw .usage
    }
    let both = try home.withIdentity {
      (identity) throws(IdentityFolder.Failure) -> SecretBytes in
      try identity.keyFile().joined(try identity.certificateFile())
    }
    let target = path ?? "-"
    if target == "-" {
      do throws(Errno) { try StandardStream.output.write(both) } catch {
        throw home.stop(.notWritten(path: target, error), .ioError)
      }
    } else {
      try both.withBytes { (bytes: Span<UInt8>) throws(ExitStatus) in
        try PrivateOutput(path: target).write(bytes, home)
      }
      try warn(target)
    }
    try tellOldKeys()
    return .success
  }

  private func warn(_ path: String) throws(ExitStatus) {
    let isLocked = try home.withIdentity { (identity) throws(IdentityFolder.Failure) in
      try identity.isLocked()
    }
    if !isLocked { home.say(language.text(.writtenInClear(path: path))) }
  }

  private func tellOldKeys() throws(ExitStatus) {
    let count = try home.withIdentity { (identity) throws(IdentityFolder.Failure) in
      try identity.oldKeyNames().count
    }
    if count > 0 {
      home.say(language.text(.oldKeysApart(count, folder: home.paths.identity + "/old")))
    }
  }

  private func exportPKCS12(
    to path: String, _ options: KeyExportOptions
  ) throws(ExitStatus) -> ExitStatus {
    let file = try home.withIdentity {
      (identity) throws(IdentityFolder.Failure) -> PKCS12Source in
      PKCS12Source(
        key: try identity.unlocked(home.passphraseSource),
        certificate: try identity.certificateFile())
    }
    let passphrase =
      if let given = options.passphraseFile { try home.passphrase(inFile: given) } else {
        try home.askNewPassphrase(of: path)
      }
    let bytes: [UInt8]
    do throws(SealingError) {
      bytes = try file.key.pkcs12(
        certificate: file.certificate, passphrase: passphrase, options.isOld ? .old : .strong)
    } catch {
      throw home.stop(.keyOption(path: home.paths.identity, error), .configuration)
    }
    try PrivateOutput(path: path).write(bytes.span, home)
    try tellOldKeys()
    return .success
  }
}

/// What a PKCS#12 file is made of.
private struct PKCS12Source: ~Copyable {
  let key: UnlockedKey
  let certificate: [UInt8]
}
