import Foundation
import TestSupport
import Testing

/// Notes taken out of what a disaster left: files and a key.
@Suite struct RecoveryTests {
  /// A home with some notes, and the path of a copy of its key elsewhere.
  private func backup(_ texts: [String]) throws -> (Sandbox, folder: String, key: String) {
    let sandbox = try Sandbox.quiet()
    let folder = sandbox.root + "/backup"
    for (number, text) in texts.enumerated() {
      try sandbox.memo("--", text)
      let file = try #require(try sandbox.files(in: .outbox).first)
      try sandbox.write(try file.bytes(), to: "\(folder)/any name \(number)")
      try FileManager.default.removeItem(atPath: file.path)
    }
    let key = sandbox.root + "/copy.pem"
    try FileManager.default.moveItem(
      atPath: sandbox.data + "/identity", toPath: sandbox.root + "/i")
    try FileManager.default.copyItem(atPath: sandbox.root + "/i/key.pem", toPath: key)
    return (sandbox, folder, key)
  }

  @Test func aMessageIsPrintedWithNothingButAKey() throws {
    let (sandbox, folder, key) = try backup(["buy milk"])
    let result = try sandbox.memo("key", "recover", "--key", key, folder + "/any name 0")
    #expect(result.status == 0 && result.errors == "")
    let mail = try ParsedMail.parse(result.stdout)
    #expect(mail.note == "buy milk")
    #expect(mail.values("From") == ["Jane Doe <me@test.example>"])
    #expect(!result.output.contains("HP-Outer"))
  }

  @Test func aFolderIsRecoveredIntoAMaildirAndNothingReplaced() throws {
    let (sandbox, folder, key) = try backup((0..<5).map { "note \($0)" })
    let target = sandbox.root + "/recovered"
    try sandbox.write(Array("From: a\n\nnothing\n".utf8), to: folder + "/stranger")
    var damaged = try StoredFile(path: folder + "/any name 2").bytes()
    damaged[damaged.count - 40] ^= 1
    try sandbox.write(damaged, to: folder + "/any name 2")
    let result = try sandbox.memo("key", "recover", "--key", key, folder, "--to", target)
    #expect(result.status == 65)
    #expect(result.errors.contains("any name 2: damaged\n"))
    #expect(result.errors.contains("stranger: not a note of memo's\n"))
    #expect(result.errors.hasSuffix("memo: 4 notes recovered, 2 not\n"))
    let names = try FileManager.default.contentsOfDirectory(atPath: target + "/cur").sorted()
    let mails = try ParsedMail.parse(
      names.map { try StoredFile(path: target + "/cur/" + $0).bytes() })
    #expect(mails.map(\.note) == ["note 0", "note 1", "note 3", "note 4"])
    let own = target + "/cur/" + names[0]
    try sandbox.write(Array("mine".utf8), to: own)
    let again = try sandbox.memo("key", "recover", "--key", key, folder, "--to", target)
    #expect(again.errors.contains("is another file, and stays"))
    #expect(again.errors.hasSuffix("memo: 0 notes recovered, 3 there already, 3 not\n"))
    #expect(try StoredFile(path: own).bytes() == Array("mine".utf8))
  }

  /// RELIABILITY row 20, by the whole program: nothing of an altered file is printed.
  @Test func nothingOfAnAlteredFileIsPrinted() throws {
    let (sandbox, folder, key) = try backup(["CANARY text"])
    let path = folder + "/any name 0"
    let whole = try StoredFile(path: path).bytes()
    let text = String(decoding: whole, as: UTF8.self)
    let body = whole.count - (text.components(separatedBy: "\n\n").last?.utf8.count ?? 0)
    var tried = 0
    for index in stride(from: body, to: whole.count, by: 29) where whole[index] != 0x0a {
      var altered = whole
      altered[index] = altered[index] == 0x41 ? 0x42 : 0x41
      try sandbox.write(altered, to: path)
      let result = try sandbox.memo("key", "recover", "--key", key, path)
      #expect(result.status == 65, "\(index)")
      #expect(result.stdout.isEmpty)
      try sandbox.write(Array(whole.prefix(index)), to: path)
      #expect(try sandbox.memo("key", "recover", "--key", key, path).stdout.isEmpty)
      tried += 1
    }
    #expect(tried > 10)
  }

  @Test func theWrongKeyIsTold() throws {
    let (sandbox, folder, _) = try backup(["x"])
    let other = try Sandbox.quiet()
    try other.memo("y")
    let result = try sandbox.memo("key", "recover", "--key", other.key, folder + "/any name 0")
    #expect(result.status == 65)
    expectOneLine(result.errors, "sealed for another key")
    let none = try sandbox.memo("key", "recover", folder + "/any name 0")
    #expect(none.status == 78)
    let several = try sandbox.memo("key", "recover", folder)
    #expect(several.status == 64)
    expectOneLine(several.errors, "--to DIR")
    #expect(try sandbox.memo("key", "recover", "--key", other.key, "/no/such").status == 66)
  }

  /// The README's commands, with openssl(1) and Python's own reader of mail as the only tools.
  ///
  /// 500 notes with files, sealed as they are kept.
  @Test func stockToolsAloneRecoverAHistory() throws {
    let sandbox = try Sandbox.quiet()
    let made = try run(
      "/usr/bin/python3", ["-c", Self.maker, sandbox.root + "/given"], timeout: 300,
      environmentOf: sandbox)
    try #require(made.status == 0, "\(made.errors)")
    let plain = try String(contentsOfFile: Repository.root + "/README.md", encoding: .utf8)
    let section = try #require(plain.components(separatedBy: "All at once, into a folder").last)
    let commands = section.components(separatedBy: "```")[1]
    let recovered = try run("/bin/sh", ["-c", commands], timeout: 300, environmentOf: sandbox)
    try #require(recovered.errors == "", "\(recovered.errors)")
    let judged = try run(
      "/usr/bin/python3",
      ["-c", Self.judge, sandbox.root + "/given", sandbox.data + "/plain"], timeout: 300,
      environmentOf: sandbox)
    #expect(judged.output == "500 notes, 0 bad\n", "\(judged.output)\(judged.errors)")
  }

  /// Random texts and files; each note's id tells which it is.
  private static let maker = """
    import os, random, subprocess, sys
    random.seed(500)
    given = sys.argv[1]
    os.makedirs(given)
    letters = 'abc ÄÖß漢字😀\\n\\t.=-"'
    for number in range(500):
        text = 'x' + ''.join(random.choice(letters) for _ in range(random.randrange(400)))
        arguments = ['memo', '-v']
        for part in range(random.choice([0, 0, 1, 2])):
            path = '%s/%d-%d.bin' % (given, number, part)
            open(path, 'wb').write(random.randbytes(random.randrange(3000)))
            arguments += ['-a', path]
        done = subprocess.run(arguments + ['-'] if len(arguments) == 2 else arguments,
                              input=text.encode(), capture_output=True, check=True)
        name = done.stdout.decode().strip()
        open('%s/%d.txt' % (given, number), 'w', newline='').write(name + '\\n' + text)
    """

  private static let judge = """
    import email, email.policy, os, sys
    given, plain = sys.argv[1:]
    files = {name[:36]: name for name in os.listdir(plain)}
    bad = 0
    for number in range(500):
        name, text = open('%s/%d.txt' % (given, number), newline='').read().split('\\n', 1)
        message = email.message_from_binary_file(
            open(os.path.join(plain, files[name]), 'rb'), policy=email.policy.default)
        parts = [part for part in message.walk() if not part.is_multipart()]
        body = parts[0].get_content().replace('\\r\\n', '\\n')
        wanted = []
        for part in range(2):
            path = '%s/%d-%d.bin' % (given, number, part)
            if os.path.exists(path):
                wanted.append((os.path.basename(path), open(path, 'rb').read()))
        found = [(part.get_filename(), part.get_payload(decode=True)) for part in parts[1:]]
        if body.rstrip('\\n') != text.rstrip('\\n') or found != wanted or message['memo-id'] != name:
            bad += 1
            print(number, repr(body[:60]), repr(text[:60]), [f[0] for f in found])
    print('500 notes, %d bad' % bad)
    """
}

/// Runs a program in a home.
private func run(
  _ program: String, _ arguments: [String], timeout: Double, environmentOf sandbox: Sandbox
) throws -> ProgramResult {
  try TestSupport.run(program, arguments, environment: sandbox.environment, timeout: timeout)
}
