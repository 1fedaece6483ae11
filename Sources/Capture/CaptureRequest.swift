// Design: options end at the first word, so that `memo tar -xf x` is a note. Arguments are
// octets, as the kernel gave them: a note need not be UTF-8 to be kept.

/// What the command line asks a capture to do.
public struct CaptureRequest: Sendable, Equatable {
  /// The words, joined by single spaces; nil when there are none.
  public var words: [UInt8]?
  /// Whether standard input is read, in addition to the words: `-` at the end.
  public var readsInput = false
  /// The subject, instead of the first line.
  public var subject: String?
  /// The paths of the files to attach.
  public var attachments: [String] = []
  /// The account, instead of the default one.
  public var account: String?
  /// Whether an editor is opened on the text.
  public var edits = false
  /// Whether the note's id is printed.
  public var isVerbose = false
  /// Whether the message is printed and nothing kept.
  public var isDryRun = false
  /// Whether the composer stays open after sending.
  public var stays = false

  /// A capture of nothing yet.
  public init() {}
}

/// What is wrong with the arguments.
public enum UsageError: Error, Equatable, Sendable {
  /// An option nobody knows, before the first word.
  case unknownOption(String)
  /// An option that needs a value, without one.
  case missingValue(String)
  /// An option that takes no value, with one.
  case unexpectedValue(String)
  /// A value that is not UTF-8, or holds what cannot be in it.
  case badValue(String)
}

extension CaptureRequest {
  /// Reads the arguments of a capture, without the program's name.
  public init(parsing arguments: [[UInt8]]) throws(UsageError) {
    self.init()
    var rest = arguments[...]
    while let argument = rest.first, argument.count > 1, argument[0] == UInt8(ascii: "-") {
      rest.removeFirst()
      if argument == Array("--".utf8) {
        takeWords(rest, dashIsInput: false)
        return
      }
      try take(try Option(argument), &rest)
    }
    takeWords(rest, dashIsInput: true)
  }

  private mutating func takeWords(_ arguments: ArraySlice<[UInt8]>, dashIsInput: Bool) {
    var words = arguments
    if dashIsInput, words.last == [UInt8(ascii: "-")] {
      readsInput = true
      words.removeLast()
    }
    if !words.isEmpty { self.words = Array(words.joined(separator: [UInt8(ascii: " ")])) }
  }

  /// Takes an option, and those that are grouped behind it.
  ///
  /// `-vn` is `-v -n`; a value may follow its letter at once, as `-sTEXT`.
  private mutating func take(
    _ option: Option, _ rest: inout ArraySlice<[UInt8]>
  ) throws(UsageError) {
    var next: Option? = option
    while var option = next {
      try apply(&option, &rest)
      next = try option.following()
    }
  }

  private mutating func apply(
    _ option: inout Option, _ rest: inout ArraySlice<[UInt8]>
  ) throws(UsageError) {
    switch option.name {
    case "-s", "--subject": subject = try option.value(&rest)
    case "-a", "--attach": attachments.append(try option.value(&rest))
    case "-A", "--account": account = try option.value(&rest)
    case "-e", "--editor": edits = true
    case "-v", "--verbose": isVerbose = true
    case "-n", "--dry-run": isDryRun = true
    case "--stay": stays = true
    default: throw .unknownOption(option.name)
    }
  }
}

/// An option as it stands in an argument.
struct Option {
  /// `-x` or `--long`.
  let name: String
  /// What follows `-x` in the same argument, or the `=` of `--long=value`.
  private var attached: [UInt8]?

  init(_ argument: [UInt8]) throws(UsageError) {
    guard argument.count > 1 else { throw .unknownOption("-") }
    if argument[1] == UInt8(ascii: "-") {
      let parts = argument.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      name = String(decoding: parts[0], as: UTF8.self)
      attached = parts.count == 2 ? Array(parts[1]) : nil
    } else {
      let text = String(decoding: argument, as: UTF8.self)
      name = String(text.unicodeScalars.prefix(2))
      let rest = Array(argument.dropFirst(name.utf8.count))
      attached = rest.isEmpty ? nil : rest
    }
  }

  private var isLong: Bool { name.utf8.count > 2 }

  /// The option's value: attached, or the next argument.
  mutating func value(_ rest: inout ArraySlice<[UInt8]>) throws(UsageError) -> String {
    guard let bytes = attached ?? rest.popFirst() else { throw .missingValue(name) }
    attached = nil
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw .badValue(name)
    }
    return text
  }

  /// The next letter of a group such as `-vn`, nil when there is none.
  func following() throws(UsageError) -> Option? {
    guard let attached else { return nil }
    guard !isLong else { throw .unexpectedValue(name) }
    return try Option([UInt8(ascii: "-")] + attached)
  }
}
