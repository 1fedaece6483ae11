import Configuration
import History
import MessageFormat
import MessageStore
import Posix
import Wording

// Design: the text goes to the desktop's own program on its standard input, never as an argument,
// which others could read. Without a desktop the terminal is asked, which may be on another
// machine: whether it does it, it does not say.

/// Puts the text of a note on the clipboard.
struct CopyCommand {
  private let home: Home
  private let name: NoteName
  private var language: any Language { home.language }
  private var environment: ProcessEnvironment { home.memo.environment }

  init(_ home: Home, _ name: NoteName) {
    self.home = home
    self.name = name
  }

  func run() throws(ExitStatus) -> ExitStatus {
    let history = try home.history(opening: true)
    let entries = try home.entries(of: history, in: Set(MailStore.FolderName.allCases))
    let entry = try home.note(name, of: history, among: entries)
    var text = Array(try home.content(of: entry, in: history).message.text.utf8)
    // The line end is the message's: pasted into a shell it would run what was noted.
    if text.last == UInt8(ascii: "\n") { text.removeLast() }
    if let program = copyByProgram(text) {
      tell(.copied(by: program))
      return .success
    }
    try copyByTerminal(text)
    tell(.copiedByTerminal)
    return .success
  }

  private func tell(_ sentence: VerbSentence) {
    if StandardStream.messages.isTerminal { home.say(language.text(sentence)) }
  }
}

// MARK: - By a program

extension CopyCommand {
  private static let timeoutSeconds = 10

  /// The name of the first program that took it, nil if none did.
  private func copyByProgram(_ text: [UInt8]) -> String? {
    for (name, arguments) in programs {
      guard let path = Executable.find(name, environment: environment) else { continue }
      do throws(ShellCommand.Failure) {
        try ChildProcess.run(
          path, arguments, reading: text, environment: environment,
          timeoutSeconds: Self.timeoutSeconds)
        return name
      } catch {
        // There may be another way.
      }
    }
    return nil
  }

  private var programs: [(String, [String])] {
    var programs: [(String, [String])] = []
    if environment["WAYLAND_DISPLAY"] != nil {
      programs.append(("wl-copy", ["--type", "text/plain"]))
    }
    if environment["DISPLAY"] != nil {
      programs.append(("xclip", ["-selection", "clipboard"]))
      programs.append(("xsel", ["--clipboard", "--input"]))
    }
    // Its own clipboard, and by its own means that of the terminal it is on.
    if environment["TMUX"] != nil { programs.append(("tmux", ["load-buffer", "-w", "-"])) }
    programs.append(("pbcopy", []))
    return programs
  }
}

// MARK: - By the terminal

extension CopyCommand {
  private func copyByTerminal(_ text: [UInt8]) throws(ExitStatus) {
    guard let kind = environment["TERM"], kind != "dumb", kind != "linux",
      let terminal = try? FileDescriptor("/dev/tty", .readWrite)
    else {
      home.say(language.text(.noClipboard))
      home.hint(language.text(.clipboardHint))
      throw .unavailable
    }
    guard text.count <= ClipboardSequence.limit else {
      home.say(language.text(.tooLongForTerminal(text.count, limit: ClipboardSequence.limit)))
      throw .badData
    }
    do throws(Errno) {
      try terminal.write(ClipboardSequence.bytes(text, inside: multiplexer).span)
    } catch {
      home.say(language.text(.outputFailed(error.text)))
      throw .ioError
    }
  }

  private var multiplexer: ClipboardSequence.Multiplexer {
    if environment["TMUX"] != nil { return .tmux }
    return environment["STY"] != nil ? .screen : .none
  }
}

/// The control sequence by which a terminal is asked to take a text on its clipboard.
///
/// OSC 52, "Manipulate Selection Data" of xterm's control sequences.
enum ClipboardSequence {
  /// What lies between the program and the terminal.
  enum Multiplexer { case none, tmux, screen }

  /// The octets of the longest text: terminals that limit it take 100,000 of the whole sequence.
  static let limit = 74_994
  /// The octets of a string that screen passes on.
  private static let screenLimit = 240

  /// The sequence, wrapped so that a multiplexer passes it on.
  static func bytes(_ text: [UInt8], inside multiplexer: Multiplexer) -> [UInt8] {
    let sequence =
      Array("\u{1B}]52;c;".utf8) + Base64.encode(text, lineLength: 0) + Array("\u{7}".utf8)
    switch multiplexer {
    case .none: return sequence
    case .tmux:
      let doubled = sequence.flatMap { $0 == 0x1B ? [$0, $0] : [$0] }
      return wrapped(Array("tmux;".utf8) + doubled)
    case .screen:
      return stride(from: 0, to: sequence.count, by: screenLimit).flatMap { start in
        wrapped(Array(sequence[start..<min(start + screenLimit, sequence.count)]))
      }
    }
  }

  // DCS … ST
  private static func wrapped(_ octets: [UInt8]) -> [UInt8] {
    Array("\u{1B}P".utf8) + octets + Array("\u{1B}\\".utf8)
  }
}
