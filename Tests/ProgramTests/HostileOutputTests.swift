import Foundation
import TestSupport
import Testing

/// What others wrote never reaches a terminal as it is, whatever command tells of it.
///
/// Hostile are a message's header, text and file names, a server's reply, names of files in the
/// folders, the settings, and the arguments themselves.
@Suite struct HostileOutputTests {
  /// Every C0 and C1 control, DEL, the marks that turn the direction of text, and what lies between
  /// lines, around commands that a terminal would obey.
  static let hostile: String = {
    let controls = (Array(0x01...0x1F) + Array(0x7F...0x9F)).filter { $0 != 0x0A && $0 != 0x0D }
    let marks = Array(0x202A...0x202E) + Array(0x2066...0x2069) + [0x2028, 0x2029, 0x200E, 0x061C]
    let scalars = (controls + marks).compactMap { Unicode.Scalar(UInt32($0)) }
    return "pwn \u{1B}[2J\u{1B}]0;title\u{7}\u{1B}]52;c;cHdu\u{7}\u{1B}P1$r\u{1B}\\\rSENT "
      + String(String.UnicodeScalarView(scalars)) + " end"
  }()

  private let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox.quiet()
    try fill()
  }

  private func fill() throws {
    try sandbox.memo("-", stdin: Array(Self.hostile.utf8))
    for (number, folder) in ["sent", "failed"].enumerated() {
      try sandbox.write(
        Self.message(number), to: sandbox.data + "/mail/\(folder)/cur/\(Self.id(number)).vm:2,S")
    }
    // As mail clients, or somebody else, may leave them there.
    let cur = sandbox.data + "/mail/sent/cur/"
    for name in ["-rf\u{1B}]0;x\u{7}", "a\nb", "\u{202E}gpj", String(repeating: "x", count: 255)] {
      try sandbox.write(Self.message(7), to: cur + name)
    }
    let made = try run(
      "/bin/sh",
      [
        "-c", "cd \"$1\" && mkdir \"$(printf 'd\\033[31m')\" && mkfifo f && ln -s /etc/passwd l",
        "sh", cur,
      ])
    try #require(made.status == 0)
  }

  private static func id(_ number: Int) -> String {
    "01890a5d-ac96-774b-bcce-b302099a800\(number)"
  }

  /// A message with raw octets, encoded-words and percent-encoding, each of which hides the same.
  private static func message(_ number: Int) -> [UInt8] {
    let octets = Array(hostile.utf8)
    let encoded = Data(octets).base64EncodedString()
    let percent = octets.map { String(format: "%%%02X", $0) }.joined()
    let raw = octets.filter { $0 != 0x0D } + [0x9B, 0x33, 0x31, 0x6D, 0xFF, 0xC0, 0x80]
    let header =
      "Message-ID: <\(id(number))@memo.invalid>\nDate: Sat, 31 Dec 2011 12:00:00 +0000\n"
      + "Subject: =?utf-8?B?\(encoded)?= \n"
      + "Memo-Status: rejected rcpt 550\nMemo-Reply: 5.1.1 "
    let parts =
      "\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n"
      + "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
    let file =
      "\n--x\nContent-Type: application/octet-stream\n"
      + "Content-Disposition: attachment; filename*=utf-8''\(percent)\n\nfile\n--x--\n"
    return Array(header.utf8) + raw + Array(parts.utf8) + raw + Array(file.utf8)
  }

  /// What a command writes on a terminal is text, and nothing that the terminal would obey.
  private func expectHarmless(
    _ arguments: [String], _ program: String = Programs.memo,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let session = try TerminalSession(program, arguments, environment: sandbox.environment)
    _ = try session.finish(sourceLocation: sourceLocation)
    let what = Comment(rawValue: arguments.debugDescription)
    var screen = session.screen
    // Asking the terminal for its clipboard is what copy does; the text is in Base64.
    if arguments.first == "copy", screen.starts(with: Array("\u{1B}]52;c;".utf8)),
      let end = screen.firstIndex(of: 7)
    {
      screen.removeFirst(end + 1)
    }
    guard let text = String(validating: screen, as: UTF8.self) else {
      Issue.record("\(what): not UTF-8: \(session.text.debugDescription)")
      return
    }
    let harmful = text.replacing("\r\n", with: "\n").unicodeScalars.filter(Self.isHarmful)
    #expect(
      harmful.isEmpty, "\(what): \(text.debugDescription)", sourceLocation: sourceLocation)
  }

  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A: false
    case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  // MARK: - Each command

  static let commands: [[String]] = [
    ["log"], ["log", "--json"], ["log", "--failed"], ["log", "--sent"],
    ["show", "8000"], ["show", "8001"], ["show", "@1"], ["show", "8000", "--raw"],
    ["show", "8001", "--headers"], ["show", "8001", "--json"], ["search", "pwn"],
    ["search", "pwn", "--json"], ["status"], ["status", "--json"], ["copy", "8000"],
    ["resend", "8000"], ["resend", "8001"], ["cancel", "@1"], ["cancel", "8000"],
    ["view", "-n", "1", "--", "true", "{}"], ["flush", "-n"], ["flush", "-v"], ["key", "show"],
    ["doctor"], ["-n", "-s", hostile, hostile], ["-v", "--", hostile],
  ]

  @Test(arguments: commands)
  func nothingThatATerminalObeysComesThrough(command: [String]) throws {
    try expectHarmless(command)
  }

  @Test func theNamesOfSavedFilesAreHarmless() throws {
    let folder = sandbox.root + "/saved"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false)
    try expectHarmless(["show", "8000", "--save", folder])
    #expect(try sandbox.everything(below: folder).count == 1)
    try expectHarmless(["show", "8000", "--save", folder + "/" + Self.hostile])
  }

  // MARK: - Arguments and settings

  static let verbs = [
    [], ["log"], ["show"], ["search"], ["copy"], ["resend"], ["cancel"], ["status"], ["view"],
    ["flush"], ["watch"], ["help"], ["key"], ["-A"], ["-a"], ["show", "--save"], ["log", "-n"],
    ["view", "-n"], ["search", "--"],
  ]

  @Test(arguments: verbs)
  func argumentsAreToldHarmlessly(verb: [String]) throws {
    for argument in [Self.hostile, "-" + Self.hostile, "--\(Self.hostile)=x"] {
      try expectHarmless(verb + [argument])
    }
  }

  @Test func whatTheSettingsSayIsToldHarmlessly() throws {
    let settings = [
      "[account]\nser\(Self.hostile) = x\n", "[\(Self.hostile)]\n", "[account \(Self.hostile)]\n",
      "[account]\nserver = \(Self.hostile)\n", "\(Self.hostile)\n", "x\u{85}\u{9B}y = z\n",
      "[account]\nfr\u{202E}om = x\n", "[account a\u{2028}b]\nto = x\n",
      "[account]\nto = \u{202E}me@test.example\nfrom = \u{2067}x\n",
    ]
    for text in settings {
      try sandbox.configure(text)
      for command in [["x"], ["status"], ["status", "--json"], ["flush"], ["resend", "8001"]] {
        try expectHarmless(command)
      }
    }
  }

  @Test(arguments: ["dot=esc", "dot=esc4", "dot=esc5", "rcpt=esc5"])
  func whatAServerSaysIsToldHarmlessly(plan: String) throws {
    let server = try FaultyServer(in: sandbox)
    try sandbox.configure(server.configuration())
    try server.plan(plan)
    for command in [["flush", "-v"], ["log"], ["status"], ["show", "@1"], ["log", "--json"]] {
      try expectHarmless(command)
    }
  }
}
