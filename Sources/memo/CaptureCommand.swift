import Capture
import Configuration
import MessageFormat
import MessageStore
import Outbox
import Posix
import Sealing
import Wording

// Design: everything that can refuse a note is asked before the note is: the account, the files
// to attach, the folders, the key. Then nobody types what cannot be kept.

/// Makes a note of what the user gives.
struct CaptureCommand {
  private let home: Home
  private let request: CaptureRequest
  private let account: Account?
  private var language: any Language { home.language }
  private static let soon: Int64 = 60
  private var limit: Int { home.settings.delivery.maxSize.bytes }

  init(_ memo: Memo, _ request: CaptureRequest) throws(ExitStatus) {
    home = try memo.home()
    self.request = request
    account = home.settings.account(named: request.account)
  }

  func run() throws(ExitStatus) -> ExitStatus {
    try checkAccount()
    let attachments = try readAttachments()
    if request.isDryRun {
      let draft = try readText(attachments)
      return try print(try makeNote(draft.text, attachments))
    }
    let outbox = try home.openOutbox()
    let began = home.memo.clock.seconds
    let recipient = try home.recipient()
    let draft = try readText(attachments)
    let note = try keeping(draft) { () throws(ExitStatus) in
      let note = try makeNote(draft.text, attachments)
      let correspondents = Correspondents(account)
      // The key may have been replaced while somebody wrote.
      if home.memo.clock.seconds - began > Self.soon {
        try home.enqueue(note, outbox, try home.recipient(), from: correspondents)
      } else {
        try home.enqueue(note, outbox, recipient, from: correspondents)
      }
      return note
    }
    draft.discard(home)
    printID(note)
    SenderStart(home, account).run()
    return .success
  }

  private func stop(_ sentence: CaptureSentence, _ status: ExitStatus) -> ExitStatus {
    home.stop(sentence, status)
  }
}

// MARK: - Before the text

extension CaptureCommand {
  private func checkAccount() throws(ExitStatus) {
    guard let name = request.account, account == nil else { return }
    // With settings that cannot be read nobody knows: the note is kept, and names its account.
    if case .broken = home.loaded { return }
    let known = home.settings.accounts.compactMap(\.name)
    home.say(language.text(.unknownAccount(name, known: known)))
    throw .usage
  }

  private func readAttachments() throws(ExitStatus) -> [Attachment] {
    var attachments: [Attachment] = []
    var rest = limit
    for path in request.attachments {
      do throws(AttachedFile.Failure) {
        let attachment = try AttachedFile.read(path, limit: rest)
        rest -= attachment.content.count
        attachments.append(attachment)
      } catch {
        if case .tooLarge(let path, _) = error {
          throw stop(.attachment(.tooLarge(path: path, limit: limit)), .badData)
        }
        throw stop(.attachment(error), .noInput)
      }
    }
    return attachments
  }
}

// MARK: - The text

extension CaptureCommand {
  private func readText(_ attachments: [Attachment]) throws(ExitStatus) -> Draft {
    let room = limit - attachments.reduce(0) { $0 + $1.content.count }
    var draft = Draft(text: NoteSource.joined(words: request.words, input: try input(room)))
    draft.isRetyped = request.words == nil || request.readsInput
    if request.edits { draft = try edited(draft, room) }
    guard draft.text.count <= room else {
      throw keep(draft, stop(.tooLarge(limit: limit), .badData))
    }
    guard !NoteSource.isBlank(draft.text) || !attachments.isEmpty else {
      draft.discard(home)
      throw stop(.empty, .badData)
    }
    return draft
  }

  private func input(_ room: Int) throws(ExitStatus) -> [UInt8]? {
    guard readsInput else { return nil }
    if StandardStream.input.isTerminal { home.say(language.text(.typingHint)) }
    do throws(NoteSource.Failure) {
      return try NoteSource.readInput(limit: room)
    } catch {
      switch error {
      case .tooLarge: throw stop(.tooLarge(limit: limit), .badData)
      case .input(let error): throw stop(.inputUnreadable(error), .tryAgain)
      }
    }
  }

  /// With words, an editor or files alone, standard input is left to whoever else reads it.
  private var readsInput: Bool {
    if request.readsInput { return true }
    guard request.words == nil, !request.edits else { return false }
    return request.attachments.isEmpty || !StandardStream.input.isTerminal
  }

  private func edited(_ draft: Draft, _ room: Int) throws(ExitStatus) -> Draft {
    do throws(EditorSession.Failure) {
      let session = try EditorSession(text: draft.text, in: try editorFolder())
      if !session.folder.isInMemory {
        home.say(language.text(.editorFolderOnDisk(path: session.folder.path)))
      }
      let text = try session.run(environment: home.memo.environment, limit: room)
      return Draft(text: text, session: session)
    } catch {
      if case .tooLarge(_, let file) = error {
        throw stop(.editor(.tooLarge(limit: limit, file: file)), .badData)
      }
      throw stop(.editor(error), .tryAgain)
    }
  }

  private func editorFolder() throws(EditorSession.Failure) -> PrivateFolder {
    home.removeAbandoned()
    do throws(Errno) {
      return try home.privateFolder()
    } catch {
      throw .folder(error)
    }
  }

  private func keep(_ draft: Draft, _ status: ExitStatus) -> ExitStatus {
    draft.keep(home)
    return status
  }

  /// Does what may fail; then the text stays within the user's reach.
  private func keeping<Result>(
    _ draft: Draft, _ body: () throws(ExitStatus) -> Result
  ) throws(ExitStatus) -> Result {
    do throws(ExitStatus) {
      return try body()
    } catch {
      // A note that is queued is in reach already.
      throw error == .ioError ? error : keep(draft, error)
    }
  }
}

// MARK: - The note

extension CaptureCommand {
  private func makeNote(
    _ text: [UInt8], _ attachments: [Attachment]
  ) throws(ExitStatus) -> Note {
    let (id, date) = try home.newIdentity()
    return Note(
      id: id, date: date, subject: request.subject, text: text, attachments: attachments,
      account: request.account)
  }

  private func printID(_ note: Note) {
    guard request.isVerbose else { return }
    do throws(Errno) {
      try StandardStream.output.write(Array("\(note.id)\n".utf8))
    } catch {
      home.say(language.text(.idNotPrinted(error)))
    }
  }

  private func print(_ note: Note) throws(ExitStatus) -> ExitStatus {
    let message = Message(composing: note, for: Correspondents(account))
    do throws(Errno) {
      try StandardStream.output.write(message.bytes(lineEnds: .lf))
      return .success
    } catch {
      throw stop(.notPrinted(error), .ioError)
    }
  }
}
