import Foundation
import TestSupport
import Testing

@testable import Posix

// C17, RELIABILITY row 23.
@Suite final class FileLockTests {
  let sandbox: Sandbox
  let directory: Directory

  init() throws {
    sandbox = try Sandbox()
    directory = try sandbox.directory()
  }

  @Test func aSecondTakerGetsNothingUntilTheFirstLetsGo() throws {
    guard let first = try FileLock.take(".lock", in: directory) else {
      Issue.record("nobody holds it")
      return
    }
    #expect(try !take())
    #expect(FileLock.isHeld(".lock", in: directory) == true)
    first.release()
    try wait(for: "the release") { FileLock.isHeld(".lock", in: directory) == false }
    try wait(for: "the lock") { try take() }
    // Given back as soon as it went out of use.
    try wait(for: "the lock") { try take() }
  }

  @Test func theFileAloneMeansNothing() throws {
    try sandbox.write(octets("\(getpid())\n"), to: sandbox.root + "/d/.lock")
    try wait(for: "the release") { FileLock.isHeld(".lock", in: directory) == false }
    try wait(for: "the lock") { try take() }
  }

  @Test func anotherProcessIsKeptOut() throws {
    let first = try FileLock.take(".lock", in: directory)
    #expect(first != nil ? true : false)
    #expect(try python(Self.attempt).status == 3)
    first?.release()
    #expect(try python(Self.attempt).status == 0)
  }

  @Test func aKilledHolderLeavesNoLock() throws {
    let child = try ChildProcess.spawn(
      "/usr/bin/python3", ["-c", Self.holding, sandbox.root + "/d"], plainEnvironment,
      (-1, -1, 2), directory: nil, newSession: true)
    try wait(for: "the child's lock") {
      FileManager.default.fileExists(atPath: sandbox.root + "/d/ready")
    }
    #expect(FileLock.isHeld(".lock", in: directory) == true)
    #expect(try !take())
    #expect(kill(child.id, SIGKILL) == 0)
    #expect(try child.wait() == .signalled(SIGKILL))
    try wait(for: "the lock") { try take() }
  }

  @Test func aLockFileThatIsALinkIsRefused() throws {
    try sandbox.link("d/.lock", to: sandbox.root + "/elsewhere")
    #expect(throws: Errno.isLink) { _ = try take() }
    #expect(!FileManager.default.fileExists(atPath: sandbox.root + "/elsewhere"))
  }

  /// Takes the lock and lets it go at once; false when somebody holds it.
  private func take() throws(Errno) -> Bool {
    let lock = try FileLock.take(".lock", in: directory)
    return lock != nil ? true : false
  }

  private func python(_ script: String) throws -> ProgramResult {
    try run("/usr/bin/python3", ["-c", script, sandbox.root + "/d"])
  }

  // struct flock on 64-bit Linux; 37 is F_OFD_SETLK.                             fcntl(2)
  private static let attempt = """
    import fcntl, struct, sys
    f = open(sys.argv[1] + "/.lock", "r+")
    try:
        fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
    except OSError:
        sys.exit(3)
    """

  private static let holding = """
    import fcntl, os, struct, sys, time
    f = os.open(sys.argv[1] + "/.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
    open(sys.argv[1] + "/ready", "w").close()
    time.sleep(600)
    """
}
