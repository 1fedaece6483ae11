import Capture
import History
import MessageStore
import Wording

// Design: the verbs are fixed for good, so that no note's first word ever becomes one. Whatever
// follows a verb and cannot be its argument is an error, never a note that silently goes
// elsewhere, and never a command that silently does something else.

/// What the arguments ask for.
enum Command {
  case capture(CaptureRequest)
  /// A verb of memo-send, with its arguments.
  case send([String])
  case log(LogOptions)
  case show(ShowOptions)
  case status(StatusOptions)
  case view(ViewOptions)
  case search(SearchOptions)
  case copy(NoteName)
  case resend(NoteNames)
  case cancel(NoteNames)
  case key(KeyRequest)
  case help(String?)
  case version
}

/// Why arguments ask for nothing that can be done.
enum CommandError: Error {
  /// They are not understood; the words that would follow `--` begin with this one.
  case usage(UsageSentence, first: String)
  /// They ask for what a later version will do.
  case notBuilt(String)
}

/// What `memo log` is asked for.
struct LogOptions {
  var count: Int?
  var folders = Set(MailStore.FolderName.allCases)
  var isJSON = false
}

/// What `memo show` is asked for.
struct ShowOptions {
  enum Form {
    case text, raw, headers, json
    /// Its files, saved in a folder.
    case save(String)
  }
  var name = NoteName.newest
  var form = Form.text
}

/// What `memo status` is asked for.
struct StatusOptions {
  var isJSON = false
}

extension Command {
  private static let senderVerbs = ["flush", "watch"]
  private static let laterVerbs = [
    "init", "verify", "auth", "doctor",
  ]

  /// Every verb there will ever be.
  static let verbs =
    senderVerbs + laterVerbs + [
      "status", "log", "show", "search", "copy", "resend", "cancel", "view", "key",
      "help",
    ]

  /// Understands the arguments, without the program's name.
  init(parsing arguments: [[UInt8]]) throws(CommandError) {
    let words = arguments.map { String(decoding: $0, as: UTF8.self) }
    guard let first = words.first, Self.verbs.contains(first) || first.hasPrefix("--") else {
      self = .capture(try Self.capture(arguments))
      return
    }
    var rest = Arguments(words.dropFirst(), verb: first)
    switch first {
    case "--version": self = try rest.end(.version)
    case "--help": self = try rest.end(.help(nil))
    case "help": self = try Self.help(&rest)
    case "flush": self = try Self.flush(&rest)
    case "watch": self = try rest.end(.send([first]))
    case "log": self = .log(try LogOptions(&rest))
    case "show": self = .show(try ShowOptions(&rest))
    case "status": self = .status(try StatusOptions(&rest))
    case "view": self = .view(try ViewOptions(&rest))
    case "copy": self = .copy(try Self.copy(&rest))
    case "resend": self = .resend(try NoteNames(&rest))
    case "cancel": self = .cancel(try NoteNames(&rest))
    case "search": self = .search(try SearchOptions(&rest))
    case "key": self = .key(try KeyRequest(&rest))
    case _ where Self.laterVerbs.contains(first): throw .notBuilt(first)
    default: self = .capture(try Self.capture(arguments))
    }
  }

  private static func capture(_ arguments: [[UInt8]]) throws(CommandError) -> CaptureRequest {
    let request: CaptureRequest
    do throws(UsageError) {
      request = try CaptureRequest(parsing: arguments)
    } catch {
      throw .usage(.option(error), first: String(decoding: arguments[0], as: UTF8.self))
    }
    guard !request.stays else { throw .notBuilt("--stay") }
    return request
  }

  private static func help(_ rest: inout Arguments) throws(CommandError) -> Command {
    guard let verb = rest.next() else { return .help(nil) }
    guard verbs.contains(verb) else { throw rest.unexpected }
    return try rest.end(.help(verb))
  }

  private static func copy(_ rest: inout Arguments) throws(CommandError) -> NoteName {
    guard let argument = rest.next() else { return .newest }
    let name = try NoteName(argument, after: rest.verb)
    guard rest.next() == nil else { throw rest.unexpected }
    return name
  }

  private static func flush(_ rest: inout Arguments) throws(CommandError) -> Command {
    let options = ["--now", "-v", "--verbose", "-n", "--dry-run"]
    var taken = [rest.verb]
    while let option = rest.next() {
      guard options.contains(option) else { throw rest.unexpected }
      taken.append(option)
    }
    return .send(taken)
  }
}

/// The arguments that follow a verb.
struct Arguments {
  let verb: String
  private var rest: ArraySlice<String>

  init(_ rest: ArraySlice<String>, verb: String) {
    self.rest = rest
    self.verb = verb
  }

  mutating func next() -> String? { rest.popFirst() }

  /// All that is left.
  mutating func takeAll() -> [String] {
    defer { rest = [] }
    return Array(rest)
  }

  /// The value that an option needs.
  mutating func value(for option: String) throws(CommandError) -> String {
    guard let value = next(), !value.isEmpty else {
      throw .usage(.option(.missingValue(option)), first: verb)
    }
    return value
  }

  /// The number that an option needs.
  mutating func number(for option: String) throws(CommandError) -> Int {
    guard let text = next(), let number = Int(text), number > 0 else {
      throw .usage(.notANumber(option: option), first: verb)
    }
    return number
  }

  /// The value that an option needs.
  mutating func value(of option: String) throws(CommandError) -> String {
    guard let value = next(), !value.isEmpty else {
      throw .usage(.option(.missingValue(option)), first: verb)
    }
    return value
  }

  /// What was taken last is no argument of the verb.
  var unexpected: CommandError { .usage(.unexpectedArgument(verb: verb), first: verb) }

  /// The command, when nothing is left.
  func end<Result>(_ command: Result) throws(CommandError) -> Result {
    guard rest.isEmpty else { throw unexpected }
    return command
  }
}

extension LogOptions {
  init(_ rest: inout Arguments) throws(CommandError) {
    while let option = rest.next() {
      switch option {
      case "-n": count = try rest.number(for: option)
      case "--outbox": folders = [.outbox]
      case "--sent": folders = [.sent]
      case "--failed": folders = [.failed]
      case "--json": isJSON = true
      case "-i", "--follow", "--preview", "--since", "--until": throw .notBuilt("log \(option)")
      default: throw rest.unexpected
      }
    }
  }
}

extension ShowOptions {
  init(_ rest: inout Arguments) throws(CommandError) {
    while let argument = rest.next() {
      switch argument {
      case "--raw": form = .raw
      case "--headers": form = .headers
      case "--json": form = .json
      case "--save": form = .save(try rest.value(of: argument))
      default: name = try NoteName(argument, after: rest.verb)
      }
    }
  }
}

extension StatusOptions {
  init(_ rest: inout Arguments) throws(CommandError) {
    while let option = rest.next() {
      switch option {
      case "--json": isJSON = true
      case "--short": throw .notBuilt("status --short")
      default: throw rest.unexpected
      }
    }
  }
}
