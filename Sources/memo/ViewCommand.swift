import Configuration
import History
import MessageStore
import Posix
import Wording

// Design: what can be refused is refused before a note is opened, and whatever happens after that,
// the notes in clear are removed: at the end, after a signal, and at the next run after a kill -9.

/// What `memo view` is asked for.
struct ViewOptions {
  /// Who is to see the notes.
  enum Viewer {
    /// A program, with arguments in which `{}` stands for the folder of the notes.
    case client(String, [String])
    /// Any client, by IMAP.
    case mailboxServer
  }

  /// Only so many of the newest.
  var count: Int?
  var viewer = Viewer.client("", [])

  init(_ rest: inout Arguments) throws(CommandError) {
    while let word = rest.next() {
      switch word {
      case "-n": count = try rest.number(for: word)
      case "--imap":
        viewer = .mailboxServer
        guard rest.next() == nil else { throw rest.unexpected }
        return
      case "--": viewer = .client(rest.next() ?? "", rest.takeAll())
      case _ where word.utf8.first == UInt8(ascii: "-"): throw rest.unexpected
      default: viewer = .client(word, rest.takeAll())
      }
    }
    guard case .client(let client, let arguments) = viewer, !client.isEmpty else {
      throw .usage(.noClientGiven, first: rest.verb)
    }
    guard arguments.contains(where: { $0.pieces(around: "{}").count > 1 }) else {
      throw .usage(.noPlaceholder(client), first: rest.verb)
    }
  }
}

/// Opens the history in a mail client.
struct ViewCommand {
  private let home: Home
  private let options: ViewOptions
  private var language: any Language { home.language }

  init(_ home: Home, _ options: ViewOptions) {
    self.home = home
    self.options = options
  }

  func run() throws(ExitStatus) -> ExitStatus {
    let program = try program()
    home.removeAbandoned()
    let stopping = try orNotLaidOut { () throws(Errno) in try StopRequest() }
    let held = try orNotLaidOut { () throws(Errno) in try heldFolder() }
    let folder = held.folder
    let outcome: Result<ChildProcess.End, ExitStatus>
    do throws(ExitStatus) {
      outcome = .success(try view(by: program, in: folder, stopping))
    } catch {
      outcome = .failure(error)
    }
    do throws(Errno) {
      try held.remove()
    } catch {
      home.say(language.text(.folderLeft(path: folder.path, error)))
    }
    try outcome.get().exit()
  }

  private func view(
    by program: String, in folder: PrivateFolder, _ stopping: borrowing StopRequest
  ) throws(ExitStatus) -> ChildProcess.End {
    let (notes, temporary) = (folder.path + "/notes", folder.path + "/tmp")
    if !folder.isInMemory { home.say(language.text(.onDisk(path: folder.path))) }
    try layOut(in: notes, temporary)
    let environment = home.memo.environment.setting("TMPDIR", to: temporary)
    guard !StopRequest.isMade else { return .interrupted }
    switch options.viewer {
    case .client(_, let arguments):
      let arguments = arguments.map { $0.pieces(around: "{}").joined(separator: notes) }
      return try run(program, arguments, environment, stopping)
    case .mailboxServer:
      let server = try mailboxServer(program, folder, notes)
      let end = try run(program, ["-F", "-c", server.configuration], environment, stopping)
      if end != .exited(0) { home.say(language.text(.serverFailed(server.lastWords))) }
      return end
    }
  }

  private func run(
    _ program: String, _ arguments: [String], _ environment: ProcessEnvironment,
    _ stopping: borrowing StopRequest
  ) throws(ExitStatus) -> ChildProcess.End {
    do throws(Errno) {
      ChildProcess.ignoreTerminalKeys()
      let child = try ChildProcess.startInForeground(program, arguments, environment: environment)
      return try child.wait(stopping: stopping)
    } catch {
      home.say(language.text(.clientNotStarted(program, error)))
      throw .unavailable
    }
  }
}

// MARK: - Before anything is opened

extension ViewCommand {
  /// The path of the program that is to see the notes.
  private func program() throws(ExitStatus) -> String {
    let environment = home.memo.environment
    switch options.viewer {
    case .client(let name, _):
      if let path = Executable.find(name, environment: environment) { return path }
      home.say(language.text(.noClient(name)))
    case .mailboxServer:
      // Debian keeps it where only root's PATH leads.
      let places = ["dovecot", "/usr/sbin/dovecot", "/usr/local/sbin/dovecot"]
      let path = places.lazy.compactMap { Executable.find($0, environment: environment) }.first
      guard let path else {
        home.say(language.text(.noMailboxServer))
        home.hint(language.text(.mailboxServerHint))
        throw .unavailable
      }
      if Machine.user != 0 { return path }
      home.say(language.text(.noMailboxServerForRoot))
    }
    throw .unavailable
  }

  private func heldFolder() throws(Errno) -> HeldFolder {
    try HeldFolder.make(
      runtimeFolder: home.paths.runtime, stateFolder: home.paths.state, random: home.memo.random)
  }

  private func orNotLaidOut<Made: ~Copyable>(
    _ make: () throws(Errno) -> Made
  ) throws(ExitStatus) -> Made {
    do throws(Errno) {
      return try make()
    } catch {
      home.say(language.text(.notLaidOut(error)))
      throw .tryAgain
    }
  }
}

// MARK: - What the viewer gets

extension ViewCommand {
  private func layOut(in notes: String, _ temporary: String) throws(ExitStatus) {
    let history = try home.history(opening: true)
    let entries = try home.entries(of: history, in: Set(MailStore.FolderName.allCases))
    let report: ClearReport
    do throws(Errno) {
      _ = try Directory.making(path: temporary)
      report = try history.layOut(
        options.count.map { Array(entries.prefix($0)) } ?? entries, at: notes,
        until: { StopRequest.isMade })
    } catch {
      home.say(language.text(.notLaidOut(error)))
      home.hint(language.text(.fewerNotesHint))
      throw .tryAgain
    }
    if report.unopened > 0 { home.say(language.text(.unopened(report.unopened))) }
    if report.unreadable > 0 { home.say(language.text(.unreadable(report.unreadable))) }
  }

  /// Prepares the server, and tells what to type in a client.
  private func mailboxServer(
    _ program: String, _ folder: PrivateFolder, _ notes: String
  ) throws(ExitStatus) -> MailboxServer {
    guard
      let its = MailboxServer.Surroundings(dovecot: program, environment: home.memo.environment)
    else {
      home.say(language.text(.serverFailed("")))
      throw .unavailable
    }
    let server = try orNotLaidOut { () throws(Errno) in
      let server = try MailboxServer(folder, notes: notes, random: home.memo.random)
      try server.prepare(for: its)
      return server
    }
    let settings = language.text(.serverSettings(port: server.port, password: server.password))
    _ = try home.memo.write(settings + "\n")
    return server
  }
}

extension Home {
  /// Removes notes in clear that a run that was killed left behind.
  func removeAbandoned() {
    HeldFolder.removeAbandoned(runtimeFolder: paths.runtime, stateFolder: paths.state)
  }
}

extension String {
  /// What is left of it between the places where another string stands.
  fileprivate func pieces(around other: String) -> [String] {
    let (octets, mark) = (Array(utf8), Array(other.utf8))
    var pieces: [[UInt8]] = [[]]
    var position = 0
    while position < octets.count {
      if octets[position...].starts(with: mark) {
        pieces.append([])
        position += mark.count
      } else {
        pieces[pieces.count - 1].append(octets[position])
        position += 1
      }
    }
    return pieces.map { String(decoding: $0, as: UTF8.self) }
  }
}
