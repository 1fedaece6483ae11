import TestSupport
import Testing

@testable import Configuration

@Suite struct PathsTests {
  @Test func theDefaultsAreUnderHome() throws {
    let paths = try Paths(environment: ["HOME": "/home/me"], homeFromPasswd: "/other")
    #expect(paths.home == "/home/me")
    #expect(paths.mail == "/home/me/.local/share/memo/mail")
    #expect(paths.outbox == "/home/me/.local/share/memo/mail/outbox")
    #expect(paths.sent == "/home/me/.local/share/memo/mail/sent")
    #expect(paths.failed == "/home/me/.local/share/memo/mail/failed")
    #expect(paths.identity == "/home/me/.local/share/memo/identity")
    #expect(paths.configurationFile == "/home/me/.config/memo/config")
    #expect(paths.state == "/home/me/.local/state/memo")
    #expect(paths.cache == "/home/me/.cache/memo")
    #expect(paths.runtime == nil)
  }

  @Test func theVariablesAreHeeded() throws {
    let paths = try Paths(
      environment: [
        "HOME": "/h", "XDG_DATA_HOME": "/d//", "XDG_CONFIG_HOME": "/c x", "XDG_STATE_HOME": "/s",
        "XDG_CACHE_HOME": "/", "XDG_RUNTIME_DIR": "/run/user/1000",
      ], homeFromPasswd: nil)
    #expect(paths.mail == "/d/memo/mail")
    #expect(paths.identity == "/d/memo/identity")
    #expect(paths.configurationFile == "/c x/memo/config")
    #expect(paths.state == "/s/memo")
    #expect(paths.cache == "/memo")
    #expect(paths.runtime == "/run/user/1000/memo")
  }

  // XDG Base Directory Specification: "All paths set in these environment variables must be
  // absolute", and an empty one is as if not set.
  @Test(arguments: ["", "relative/data", "./x", "~/x"])
  func aRelativeOrEmptyVariableIsIgnored(value: String) throws {
    let names = [
      "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
    ]
    var environment = Dictionary(uniqueKeysWithValues: names.map { ($0, value) })
    environment["HOME"] = "/home/me"
    #expect(
      try Paths(environment: environment, homeFromPasswd: nil)
        == Paths(environment: ["HOME": "/home/me"], homeFromPasswd: nil))
  }

  @Test(arguments: [nil, "", "home/me"])
  func withoutHomeThePasswdFileIsHeeded(home: String?) throws {
    let environment = home.map { ["HOME": $0] } ?? [:]
    #expect(try Paths(environment: environment, homeFromPasswd: "/root/").home == "/root")
    #expect(throws: ConfigurationError.noHome) {
      try Paths(environment: environment, homeFromPasswd: nil)
    }
    #expect(throws: ConfigurationError.noHome) {
      try Paths(environment: environment, homeFromPasswd: "")
    }
  }

  @Test func theRootCanBeHome() throws {
    let paths = try Paths(environment: ["HOME": "/"], homeFromPasswd: nil)
    #expect(paths.mail == "/.local/share/memo/mail")
  }
}

@Suite struct FilePermissionsTests {
  @Test(
    arguments: [
      (0o100600, nil), (0o100400, nil), (0o100700, nil), (0o100000, nil), (0o100711, nil),
      (0o100644, .readableByOthers), (0o100640, .readableByOthers), (0o100604, .readableByOthers),
      (0o100666, .readableByOthers), (0o100620, .writableByOthers), (0o100602, .writableByOthers),
    ] as [(UInt32, FilePermissions.Fault?)])
  func aModeIsJudged(mode: UInt32, fault: FilePermissions.Fault?) {
    #expect(FilePermissions.fault(mode: mode, owner: 1000, user: 1000) == fault)
  }

  @Test func anotherUsersFileIsRefused() {
    #expect(FilePermissions.fault(mode: 0o600, owner: 1001, user: 1000) == .ownedByAnother)
    #expect(FilePermissions.fault(mode: 0o600, owner: 1000, user: 0) == .ownedByAnother)
    #expect(FilePermissions.fault(mode: 0o600, owner: 0, user: 1000) == nil)
    #expect(FilePermissions.fault(mode: 0o644, owner: 0, user: 1000) == .readableByOthers)
  }
}
