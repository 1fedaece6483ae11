import Configuration
import History
import MessageStore
import Posix
import Wording

// Design: what can be refused is refused before a note is opened, and whatever happens after that,
// the notes in clear are removed: at the end, after a signal, and at the next run after a kill -9.

/// What `memo view` is asked for.
struct ViewOptions {
  /// Stands for the folder of the notes in the client's arguments.
  static let placeholder = "{}"
  /// Only so many of the newest.
  var count: Int?
  var client = ""
  var arguments: [String] = []

  init(_ rest: inout Arguments) throws(CommandError) {
    while let word = rest.next() {
      switch word {
      case "-n": count = try rest.number(for: word)
      case "--imap": throw .notBuilt("view --imap")
      case "--":
        client = rest.next() ?? ""
        arguments = rest.takeAll()
      case _ where word.utf8.first == UInt8(ascii: "-"): throw rest.unexpected
      default:
        client = word
        arguments = rest.takeAll()
      }
    }
    guard !client.isEmpty else { throw .usage(.noClientGiven, first: rest.verb) }
    guard arguments.contains(where: { $0.pieces(around: Self.placeholder).count > 1 }) else {
      throw .usage(.noPlaceholder(client), first: rest.verb)
    }
  }

  /// The client's arguments, with the folder's path for each `{}`.
  func arguments(for path: String) -> [String] {
    arguments.map { $0.pieces(around: Self.placeholder).joined(separator: path) }
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
    guard let client = Executable.find(options.client, environment: home.memo.environment)
    else {
      home.say(language.text(.noClient(options.client)))
      throw .unavailable
    }
    home.removeAbandoned()
    let stopping = try orNotLaidOut { () throws(Errno) in try StopRequest() }
    let held = try orNotLaidOut { () throws(Errno) in try heldFolder() }
    let folder = held.folder
    let outcome: Result<ChildProcess.End, ExitStatus>
    do throws(ExitStatus) {
      outcome = .success(try view(client, in: folder, stopping))
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

  private func view(
    _ client: String, in folder: PrivateFolder, _ stopping: borrowing StopRequest
  ) throws(ExitStatus) -> ChildProcess.End {
    let (notes, temporary) = (folder.path + "/notes", folder.path + "/tmp")
    if !folder.isInMemory { home.say(language.text(.onDisk(path: folder.path))) }
    try layOut(in: notes, temporary)
    guard !StopRequest.isMade else { return .interrupted }
    do throws(Errno) {
      ChildProcess.ignoreTerminalKeys()
      let child = try ChildProcess.startInForeground(
        client, options.arguments(for: notes),
        environment: home.memo.environment.setting("TMPDIR", to: temporary))
      return try child.wait(stopping: stopping)
    } catch {
      home.say(language.text(.clientNotStarted(options.client, error)))
      throw .unavailable
    }
  }

  private func layOut(in notes: String, _ temporary: String) throws(ExitStatus) {
    let history = try home.history()
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
