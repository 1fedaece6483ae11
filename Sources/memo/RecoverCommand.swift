import Configuration
import MessageFormat
import MessageStore
import Outbox
import Posix
import Sealing
import Wording

// Design: for the day when there is a backup and a key, and nothing else: neither folders nor
// names of memo's are relied on, and one bad file keeps nobody from the others.

/// Takes the messages out of sealed files.
struct RecoverCommand {
  private let home: Home
  private let options: RecoverOptions
  private var language: any Language { home.language }
  private static let sizeLimit = 64 << 20

  init(_ home: Home, _ options: RecoverOptions) {
    self.home = home
    self.options = options
  }

  func run() throws(ExitStatus) -> ExitStatus {
    let files = SourceFiles(options.paths)
    guard options.folder != nil || files.isOneAtMost else {
      throw home.stop(.recoverNeedsFolder, .usage)
    }
    let opener = try opener()
    guard let path = options.folder else { return try print(files, opener) }
    return try recover(files, opener, into: try folder(path))
  }

  private func opener() throws(ExitStatus) -> Opener {
    guard let path = options.key else {
      return try home.withIdentity { (identity) throws(IdentityFolder.Failure) in
        try identity.opener(home.passphraseSource)
      }
    }
    let pem: SecretBytes
    do throws(Errno) { pem = try SecretBytes.content(of: path, limit: 1 << 16) } catch {
      throw home.stop(.passphraseFile(path: path, error), .noInput)
    }
    do throws(SealingError) {
      return try Opener(privateKey: pem)
    } catch .keyLocked {
      return try opener(pem, path)
    } catch {
      throw home.stop(.keyOption(path: path, error), .configuration)
    }
  }

  private func opener(
    _ pem: borrowing SecretBytes, _ path: String
  ) throws(ExitStatus) -> Opener {
    let passphrase =
      if let file = options.passphraseFile { try home.passphrase(inFile: file) } else {
        try home.ask(.ask(path: path))
      }
    do throws(SealingError) {
      return try Opener(privateKey: pem, passphrase: passphrase)
    } catch {
      throw home.stop(
        .keyOption(path: path, error),
        error == .passphraseWrong ? .noPermission : .configuration)
    }
  }

  private func folder(_ path: String) throws(ExitStatus) -> MaildirFolder {
    let (parent, name) = PrivateOutput.split(path)
    let directory: Directory
    do throws(Errno) { directory = try Directory(parent) } catch {
      throw home.stop(.notWritten(path: parent, error), .cannotCreate)
    }
    do throws(MessageStoreError) {
      return try MaildirFolder(name, in: directory, at: parent)
    } catch {
      home.say(language.text(error))
      throw .cannotCreate
    }
  }
}

// MARK: - File by file

extension RecoverCommand {
  /// Why a file gives no message.
  private enum Trouble: Error {
    case unreadable(Errno)
    case sealing(SealingError)
    case isOpenPGP
    case isNoNote
    case folder(MessageStoreError)
    case otherFileThere(path: String)
  }

  private func text(_ trouble: Trouble) -> String {
    switch trouble {
    case .unreadable(let error): error.text
    case .sealing(let error): language.text(error)
    case .isOpenPGP: language.text(KeySentence.isOpenPGP)
    case .isNoNote: language.text(KeySentence.isNoNote)
    case .folder(let error): language.text(error)
    case .otherFileThere(let path): language.text(.otherFileThere(path: path))
    }
  }

  private func print(
    _ files: SourceFiles, _ opener: borrowing Opener
  ) throws(ExitStatus) -> ExitStatus {
    guard let path = files.paths.first else { throw .noInput }
    do throws(Trouble) {
      let message = try message(inFile: path, opener)
      return output(message)
    } catch {
      home.say(language.text(.notRecovered(path: path, why: text(error))))
      if case .unreadable = error { throw .noInput }
      throw .badData
    }
  }

  private func recover(
    _ files: SourceFiles, _ opener: borrowing Opener, into folder: borrowing MaildirFolder
  ) throws(ExitStatus) -> ExitStatus {
    var (new, present, bad) = (0, 0, 0)
    let progress = Progress()
    files.forEach { path in
      do throws(Trouble) {
        let message = try message(inFile: path, opener)
        if try keep(message, from: path, in: folder) { new += 1 } else { present += 1 }
        progress.step()
      } catch {
        bad += 1
        progress.clear()
        home.say(language.text(.notRecovered(path: path, why: text(error))))
      }
    }
    progress.clear()
    home.say(language.text(.recovered(new, present: present, bad: bad)))
    if bad > 0 { throw .badData }
    return .success
  }

  /// The message as it was composed, with the From and To that stand outside.
  private func message(
    inFile path: String, _ opener: borrowing Opener
  ) throws(Trouble) -> Message {
    let bytes = try content(ofFile: path)
    // Perhaps saved from a mail client: what is inside the message, alone.
    if bytes.first == 0x30, let inside = try? opener.open(bytes),
      let message = try? Message(parsing: inside)
    {
      return message.unprotected()
    }
    guard let outer = try? Message(parsing: bytes) else { throw .isNoNote }
    guard SealedMessage.isSealed(outer) else {
      if outer.contentType.mediaType == "multipart/encrypted" { throw .isOpenPGP }
      guard outer.noteID != nil else { throw .isNoNote }
      return outer
    }
    do throws(SealingError) {
      var message = try opener.open(outer, expecting: nil)
      for name in ["To", "From"] where message.header.first(named: name) == nil {
        if let field = outer.header.first(named: name) {
          message.header.insert(field, after: "Date")
        }
      }
      return message
    } catch {
      throw .sealing(error)
    }
  }

  private func content(ofFile path: String) throws(Trouble) -> [UInt8] {
    do throws(Errno) {
      let file = try FileDescriptor(path, .read)
      guard try file.status().isRegularFile else { throw Errno.wrongKind }
      return try file.readAll(limit: Self.sizeLimit)
    } catch {
      throw .unreadable(error)
    }
  }

  private func output(_ message: Message) -> ExitStatus {
    do throws(ExitStatus) { return try home.memo.write(message.bytes(lineEnds: .lf)) } catch {
      return error
    }
  }

  /// Puts a message into the folder; `false` when it lies there already.
  private func keep(
    _ message: Message, from path: String, in folder: borrowing MaildirFolder
  ) throws(Trouble) -> Bool {
    let bytes = message.bytes(lineEnds: .lf)
    let source = NoteFileName(PrivateOutput.split(path).name)
    var name = NoteFileName(id: try id(of: message, bytes), host: source?.host ?? "recovered")
    name.flags = "S"
    do throws(MessageStoreError) {
      try folder.publish(bytes, as: name, in: .cur)
      return true
    } catch .file(_, .fileExists) {
      let there = MaildirFolder.Entry(part: .cur, fileName: name.description)
      let known = try? folder.read(there, limit: Self.sizeLimit)
      guard known == bytes else { throw .otherFileThere(path: folder.path(of: there)) }
      return false
    } catch {
      throw .folder(error)
    }
  }

  /// The note's id, else one that is made of the message, so that it gets the same name each time.
  private func id(of message: Message, _ bytes: [UInt8]) throws(Trouble) -> NoteID {
    if let id = message.noteID ?? message.idOfMessageID { return id }
    do throws(SealingError) {
      return NoteID(
        milliseconds: (message.date?.secondsSinceEpoch ?? 0) * 1000,
        random: try Digest.sha256.of(bytes))
    } catch {
      throw .sealing(error)
    }
  }
}

/// The files that are named on the command line, and those in folders that are.
struct SourceFiles {
  let paths: [String]
  private static let deepest = 16

  init(_ paths: [String]) { self.paths = paths }

  /// Whether there is one file at most, and no folder.
  var isOneAtMost: Bool { paths.count == 1 && paths.allSatisfy { (try? Directory($0)) == nil } }

  /// Calls `body` with each file's path; links in folders are not followed, and what lies in a
  /// `tmp` was never whole.
  func forEach(_ body: (String) -> Void) {
    for path in paths { visit(path, depth: 0, body) }
  }

  private func visit(_ path: String, depth: Int, _ body: (String) -> Void) {
    guard depth < Self.deepest, let folder = try? Directory(path) else { return body(path) }
    var names: [String] = []
    try? folder.forEachName { if !$0.hasPrefix(".") && $0 != "tmp" { names.append($0) } }
    for name in names.sorted() {
      guard let status = try? folder.status(of: name) else { continue }
      if status.isDirectory || status.isRegularFile {
        visit(path + "/" + name, depth: depth + 1, body)
      }
    }
  }
}
