import Foundation
import TestSupport
import Testing

@testable import Posix

@Suite struct MachineTests {
  @Test(
    arguments: [
      ("me:x:UID:100:Me:/home/me:/bin/sh\n", "/home/me"),
      ("root:x:99999999:0::/root:/bin/sh\nme:x:UID:1::/home/me:/bin/sh", "/home/me"),
      ("first:x:UID:1::/first:/bin/sh\nsecond:x:UID:1::/second:\n", "/first"),
      ("me:x:UID:100::/home/me:\n", "/home/me"),
      ("me:x:UID:1:,,,:/home/m é:/bin/sh\n", "/home/m é"),
      ("short:x:UID:1\nme:x:UID:1::/home/me:/bin/sh\n", "/home/me"),
      ("relative:x:UID:1::home/me:/bin/sh\n", nil),
      ("none:x:UID:1:::/bin/sh\n", nil),
      ("other:x:99999999:1::/other:/bin/sh\n", nil),
      ("me:UID:x:1::/home/me:/bin/sh\n", nil),
      ("+::::::\n\n\0\n", nil),
      ("", nil),
    ] as [(String, String?)])
  func theHomeIsThatOfTheUsersLine(passwd: String, home: String?) throws {
    let sandbox = try Sandbox()
    let text = passwd.replacingOccurrences(of: "UID", with: "\(getuid())")
    try sandbox.write(octets(text), to: sandbox.root + "/passwd")
    #expect(Machine.homeFromPasswordFile(sandbox.root + "/passwd") == home)
  }

  @Test func withoutAPasswordFileThereIsNoHome() {
    #expect(Machine.homeFromPasswordFile("/no/such/file") == nil)
  }

  @Test func onlyProgramsAreExecutable() {
    #expect(Machine.isExecutable("/bin/sh"))
    #expect(!Machine.isExecutable("/etc/passwd"))
    #expect(!Machine.isExecutable("/no/such"))
  }

  // strerror(3) in the C locale.
  @Test(
    arguments: [
      (Errno.noSuchFile, "No such file or directory"), (.fileExists, "File exists"),
      (.accessDenied, "Permission denied"), (Errno(ENOSPC), "No space left on device"),
      (Errno(0), "Success"), (Errno(99_999), "Unknown error"), (Errno(-1), "Unknown error"),
    ])
  func errorsHaveTheSystemsWords(error: Errno, text: String) {
    #expect(error.text == text)
  }

  @Test func anInterruptedCallIsMadeAgain() throws {
    var calls = 0
    let result = try check { () -> Int32 in
      calls += 1
      guard calls == 3 else {
        errno = EINTR
        return -1
      }
      return 7
    }
    #expect(result == 7)
    #expect(throws: Errno(EIO)) {
      _ = try check { () -> Int32 in
        errno = EIO
        return -1
      }
    }
  }

  @Test(arguments: [(-1, -1), (-1000, -1), (-1001, -2), (0, 0), (999, 0), (1000, 1), (1999, 1)])
  func secondsAreRoundedDown(milliseconds: Int64, seconds: Int64) {
    let clock = Clock(milliseconds: { milliseconds }, zoneOffset: { _ in 0 }, wait: { _ in })
    #expect(clock.seconds == seconds)
  }

  @Test func anEmptyVariableCountsAsMissing() {
    let environment = ProcessEnvironment(["EMPTY": "", "SET": "x"])
    #expect(environment["EMPTY"] == nil)
    #expect(environment["NONE"] == nil)
    #expect(environment["SET"] == "x")
    #expect(environment.entries.sorted() == ["EMPTY=", "SET=x"])
  }

  @Test func aVariableIsFoundByItsWholeName() {
    let environment = ProcessEnvironment(["HOME": "a=b", "HOMES": "c", "OLDHOME": "d"])
    #expect(environment["HOME"] == "a=b")
    #expect(environment["HOM"] == nil)
    #expect(environment["HOME=a"] == nil)
    #expect(environment.variables == ["HOME": "a=b", "HOMES": "c", "OLDHOME": "d"])
  }

  @Test func theEnvironmentIsThatOfTheProcess() {
    let path = ProcessInfo.processInfo.environment["PATH"]
    #expect(ProcessEnvironment.current.variables["PATH"] == path)
  }

  @Test func theKernelGivesDifferentOctetsEachTime() throws {
    let (one, other) = (try Randomness.system.bytes(32), try Randomness.system.bytes(32))
    #expect(one.count == 32 && other.count == 32 && one != other)
    #expect(try Randomness.system.bytes(0) == [])
  }
}
