import Posix

// Design: graphical clients open no folder of files but speak IMAP. Dovecot, which Debian has, speaks
// it for them, as a process of the user's own that listens on the loopback interface only. TLS would
// add nothing there: whoever can read loopback traffic can read this user's files. The password is
// new each time, since other users of the machine reach the port too.

/// A Dovecot of the user's own, for the notes in one folder.
struct MailboxServer {
  /// Where it listens, on 127.0.0.1.
  let port: Int
  /// What the client logs in with, besides the name `memo`.
  let password: String
  private let folder: PrivateFolder
  private let notes: String

  /// Who it runs as, and what Dovecot it is.
  struct Surroundings {
    let user: String
    let group: String
    let groupNumber: String
    let isOld: Bool

    /// Asks the system, by the shell; nil when it does not say.
    init?(dovecot path: String, environment: ProcessEnvironment) {
      let command = "echo $(id -un) $(id -gn) $(id -g) $('\(path)' --version)"
      guard
        let line = try? ShellCommand.firstLine(
          of: command, environment: environment, timeoutSeconds: 30)
      else { return nil }
      let words = line.withBytes { bytes in
        String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
          .split(separator: " ").map(String.init)
      }
      guard words.count >= 4 else { return nil }
      (user, group, groupNumber) = (words[0], words[1], words[2])
      isOld = ["2.2.", "2.3."].contains { words[3].hasPrefix($0) }
    }
  }

  init(_ folder: PrivateFolder, notes: String, random: Randomness) throws(Errno) {
    let bytes = try random.bytes(18)
    let letters = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
    // Above the range from which the kernel takes ports for connections.
    port = 61000 + (Int(bytes[0]) << 8 | Int(bytes[1])) % 4500
    password = String(decoding: bytes.dropFirst(2).map { letters[Int($0 & 31)] }, as: UTF8.self)
    self.folder = folder
    self.notes = notes
  }

  /// The settings file's path.
  var configuration: String { folder.path + "/dovecot.conf" }
  private static let log = "dovecot.log"

  /// Writes the settings, and the password.
  func prepare(for surroundings: Surroundings) throws(Errno) {
    _ = try Directory.making(path: folder.path + "/home")
    try folder.write(Array("memo:{PLAIN}\(password)\n".utf8), to: "users")
    let settings = surroundings.isOld ? settings23(surroundings) : settings24(surroundings)
    try folder.write(Array((common(surroundings) + settings).utf8), to: "dovecot.conf")
  }

  /// The last line that it logged, empty if there is none.
  var lastWords: String {
    let bytes = (try? folder.read(Self.log, limit: 1 << 20)) ?? []
    let line = bytes.split(separator: UInt8(ascii: "\n")).last.map(Array.init) ?? []
    return String(decoding: line, as: UTF8.self)
  }
}

// MARK: - Settings

extension MailboxServer {
  /// Settings that need their version first, in 2.4, come after it.
  private func common(_ its: Surroundings) -> String {
    (its.isOld ? "" : "dovecot_config_version = 2.4.0\ndovecot_storage_version = 2.4.0\n") + """
      base_dir = \(folder.path)/run
      state_dir = \(folder.path)/run
      log_path = \(folder.path)/\(Self.log)
      listen = 127.0.0.1
      ssl = no
      default_internal_user = \(its.user)
      default_internal_group = \(its.group)
      default_login_user = \(its.user)
      mail_uid = \(Machine.user)
      mail_gid = \(its.groupNumber)
      first_valid_uid = 1
      namespace inbox {
        inbox = yes
      }
      service imap-login {
        chroot =
        inet_listener imap {
          port = \(port)
        }
        inet_listener imaps {
          port = 0
        }
      }
      service anvil {
        chroot =
      }
      service stats {
        chroot =
      }

      """
  }

  private func settings23(_ its: Surroundings) -> String {
    """
    protocols = imap
    disable_plaintext_auth = no
    mail_location = maildir:\(notes):LAYOUT=fs
    passdb {
      driver = passwd-file
      args = \(folder.path)/users
    }
    userdb {
      driver = static
      args = uid=\(Machine.user) gid=\(its.groupNumber) home=\(folder.path)/home
    }

    """
  }

  private func settings24(_ its: Surroundings) -> String {
    """
    protocols {
      imap = yes
    }
    auth_allow_cleartext = yes
    mail_driver = maildir
    mail_path = \(notes)
    mail_inbox_path = \(notes)
    mailbox_list_layout = fs
    passdb passwd-file {
      passwd_file_path = \(folder.path)/users
    }
    userdb static {
      fields {
        uid = \(Machine.user)
        gid = \(its.groupNumber)
        home = \(folder.path)/home
      }
    }

    """
  }
}
