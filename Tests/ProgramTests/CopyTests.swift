import Foundation
import TestSupport
import Testing

/// `memo copy`, with stand-ins for the programs of a desktop, and a terminal.
@Suite struct CopyTests {
  /// A home with a note, and a stand-in that keeps what it reads and what it was called with.
  private func home(_ text: String = "buy milk") throws -> Sandbox {
    let sandbox = try Sandbox.quiet()
    try sandbox.memo("-", stdin: Array(text.utf8))
    return sandbox
  }

  private func standIn(_ name: String, _ sandbox: Sandbox, _ more: String = "") throws {
    try FileManager.default.createDirectory(
      atPath: sandbox.root + "/bin", withIntermediateDirectories: true)
    let root = sandbox.root
    _ = try sandbox.script(
      "bin/\(name)",
      "\(more)\necho \"$@\" >\(root)/arguments; cat >\(root)/clipboard; echo \(name) >\(root)/which"
    )
  }

  private func environment(_ sandbox: Sandbox, _ variables: [String: String]) -> [String: String] {
    variables.merging(["PATH": "\(sandbox.root)/bin:/usr/bin:/bin"]) { $1 }
  }

  @Test(
    arguments: [
      ("wl-copy", ["WAYLAND_DISPLAY": "w0", "DISPLAY": ":0"], "--type text/plain"),
      ("xclip", ["DISPLAY": ":0"], "-selection clipboard"),
      ("xsel", ["DISPLAY": ":0"], "--clipboard --input"),
      ("tmux", ["TMUX": "/tmp/x,1,0"], "load-buffer -w -"), ("pbcopy", [:], ""),
    ])
  func theDesktopsProgramGetsTheText(
    name: String, variables: [String: String], arguments: String
  ) throws {
    let sandbox = try home("buy milk $(touch x)\n\tand ü\n\n")
    try standIn(name, sandbox)
    let result = try sandbox.memo("copy", environment: environment(sandbox, variables))
    #expect(result.status == 0 && result.output + result.errors == "")
    // Without the line end that a shell would take for Return.
    #expect(try sandbox.content("clipboard") == Array("buy milk $(touch x)\n\tand ü\n".utf8))
    #expect(try sandbox.content("arguments") == Array((arguments + "\n").utf8))
  }

  @Test func theNextOneIsTriedAndAPersonIsToldWhich() throws {
    let sandbox = try home()
    try standIn("wl-copy", sandbox, "exit 1")
    try standIn("xsel", sandbox)
    let session = try TerminalSession(
      Programs.memo, ["copy", "@1"],
      environment: sandbox.environment.merging(
        environment(sandbox, ["WAYLAND_DISPLAY": "w0", "DISPLAY": ":0"])
      ) { $1 })
    #expect(try session.finish() == .exited(0))
    #expect(session.text == "memo: copied with xsel\r\n")
    #expect(try sandbox.content("clipboard") == Array("buy milk".utf8))
  }

  /// A program for a clipboard stays to give the text away; nobody waits for that.
  @Test(.timeLimit(.minutes(1))) func whatStaysBehindHoldsNobodyUp() throws {
    let sandbox = try home()
    try standIn("xclip", sandbox, "sleep 30 &")
    let result = try run(
      "/bin/sh", ["-c", "x=$(memo copy 2>&1); echo done $x"],
      environment: sandbox.environment.merging(
        ["DISPLAY": ":0", "PATH": "\(sandbox.root)/bin:\(Programs.folder):/usr/bin:/bin"]) { $1 },
      timeout: 20)
    #expect(result.output == "done\n")
    #expect(try sandbox.content("clipboard") == Array("buy milk".utf8))
  }

  @Test(
    arguments: [
      ([:], "\u{1B}]52;c;YnV5IG1pbGs=\u{7}"),
      (["TMUX": "/x,1,0"], "\u{1B}Ptmux;\u{1B}\u{1B}]52;c;YnV5IG1pbGs=\u{7}\u{1B}\\"),
      (["STY": "1.x"], "\u{1B}P\u{1B}]52;c;YnV5IG1pbGs=\u{7}\u{1B}\\"),
    ] as [([String: String], String)])
  func aTerminalIsAsked(variables: [String: String], sequence: String) throws {
    let sandbox = try home()
    try standIn("nothing", sandbox)
    let path = ["PATH": sandbox.root + "/bin"]
    let session = try TerminalSession(
      Programs.memo, ["copy"],
      environment: sandbox.environment.merging(variables.merging(path) { $1 }) { $1 })
    #expect(try session.finish() == .exited(0))
    #expect(session.text.hasPrefix(sequence), "\(session.text.debugDescription)")
    #expect(session.text.contains("OSC 52"))
  }

  @Test func aLongTextGoesInPiecesOrIsRefused() throws {
    let sandbox = try home(String(repeating: "x", count: 1000))
    try standIn("nothing", sandbox)
    let environment = sandbox.environment.merging(["PATH": sandbox.root + "/bin", "STY": "1"]) {
      $1
    }
    let session = try TerminalSession(Programs.memo, ["copy"], environment: environment)
    #expect(try session.finish() == .exited(0))
    let pieces = session.text.components(separatedBy: "\u{1B}\\").dropLast()
    #expect(
      pieces.count > 5 && pieces.allSatisfy { $0.hasPrefix("\u{1B}P") && $0.utf8.count < 256 })
    try sandbox.memo("-", stdin: Array(repeating: 0x79, count: 80_000))
    let refused = try TerminalSession(Programs.memo, ["copy"], environment: environment)
    #expect(try refused.finish() == .exited(65))
    #expect(refused.text.contains("more than a terminal takes"))
    #expect(!refused.screen.contains(0x1B))
  }

  @Test func withoutAnyOfThemItSaysSo() throws {
    let sandbox = try home()
    try standIn("nothing", sandbox)
    let path = ["PATH": sandbox.root + "/bin"]
    for kind in ["dumb", "linux"] {
      let session = try TerminalSession(
        Programs.memo, ["copy"],
        environment: sandbox.environment.merging(path) { $1 }.merging(["TERM": kind]) { $1 })
      #expect(try session.finish() == .exited(69))
      #expect(session.text.contains("no clipboard") && !session.screen.contains(0x1B))
    }
    let result = try run(
      "/usr/bin/setsid", ["-w", Programs.memo, "copy"],
      environment: sandbox.environment.merging(path) { $1 })
    #expect(result.status == 69)
    #expect(try sandbox.memo("copy", "@2", environment: path).status == 66)
    #expect(try sandbox.memo("copy", "that", environment: path).status == 64)
    #expect(try sandbox.memo("copy", "@1", "@1", environment: path).status == 64)
  }
}
