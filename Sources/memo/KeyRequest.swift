import Wording

/// What `memo key` is asked for.
enum KeyRequest {
  case show
  case export(KeyExportOptions)
  case passphrase(isRemoved: Bool)
  case recover(RecoverOptions)
  case rotate
  case rewrap(removesOld: Bool)
}

/// What `memo key export` is asked for.
struct KeyExportOptions {
  /// The file of a PEM export, `-` for standard output.
  var pem: String?
  /// The file of a PKCS#12 export.
  var pkcs12: String?
  /// Only the certificate, which is no secret.
  var isCertificateOnly = false
  /// PKCS#12 in the algorithms of old programs.
  var isOld = false
  /// Where the new file's passphrase is, `-` for standard input; nil to ask for it.
  var passphraseFile: String?
}

/// What `memo key recover` is asked for.
struct RecoverOptions {
  var paths: [String] = []
  /// Another key than the identity's.
  var key: String?
  /// The Maildir to recover into, nil for standard output.
  var folder: String?
  /// Where that other key's passphrase is.
  var passphraseFile: String?
}

extension KeyRequest {
  init(_ rest: inout Arguments) throws(CommandError) {
    switch rest.next() {
    case nil: self = .show
    case "show": self = try rest.end(.show)
    case "export": self = .export(try KeyExportOptions(&rest))
    case "passphrase": self = .passphrase(isRemoved: try Self.flag("--remove", &rest))
    case "recover": self = .recover(try RecoverOptions(&rest))
    case "rotate": self = try rest.end(.rotate)
    case "rewrap": self = .rewrap(removesOld: try Self.flag("--remove-old", &rest))
    default: throw rest.unexpected
    }
  }

  private static func flag(
    _ name: String, _ rest: inout Arguments
  ) throws(CommandError) -> Bool {
    guard let argument = rest.next() else { return false }
    guard argument == name else { throw rest.unexpected }
    return try rest.end(true)
  }
}

extension KeyExportOptions {
  init(_ rest: inout Arguments) throws(CommandError) {
    while let option = rest.next() {
      switch option {
      case "--pem": pem = try rest.value(for: option)
      case "--pkcs12": pkcs12 = try rest.value(for: option)
      case "--certificate": isCertificateOnly = true
      case "--old": isOld = true
      case "--passphrase-file": passphraseFile = try rest.value(for: option)
      default: throw rest.unexpected
      }
    }
    // One file at a time: each has rules of its own.
    let isPKCS12 = pkcs12 != nil
    guard isPKCS12 ? pem == nil && !isCertificateOnly : !isOld && passphraseFile == nil else {
      throw rest.unexpected
    }
  }
}

extension RecoverOptions {
  init(_ rest: inout Arguments) throws(CommandError) {
    while let argument = rest.next() {
      switch argument {
      case "--key": key = try rest.value(for: argument)
      case "--to": folder = try rest.value(for: argument)
      case "--passphrase-file": passphraseFile = try rest.value(for: argument)
      case "--": while let path = rest.next() { paths.append(path) }
      case _ where argument.hasPrefix("-"): throw rest.unexpected
      default: paths.append(argument)
      }
    }
    guard !paths.isEmpty, passphraseFile == nil || key != nil else { throw rest.unexpected }
  }
}
