// swift-tools-version: 6.3

import PackageDescription

// Design: the stage folders under Sources follow a note's life (Capture, MessageFormat, Sealing,
// MessageStore, Outbox, Submission); each C library has one door, the only target that imports it.
// `memo` reads keystrokes and holds no network code; `memo-send` delivers.

/// What every Swift target is compiled with.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
]

/// A module under Sources.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A program under Sources, with the flags of its release link.
func program(_ name: String, _ dependencies: [Target.Dependency], link flags: [String]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, swiftSettings: strict,
    linkerSettings: [.unsafeFlags(flags, .when(platforms: [.linux], configuration: .release))])
}

/// The tests of a module, in Tests/<Module>Tests, where they read the excluded files by path.
func tests(
  of name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: [.target(name: name), "TestSupport"] + dependencies,
    exclude: exclude, swiftSettings: strict)
}

let package = Package(
  name: "memo",
  targets: [
    // The C libraries.
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CGPGME", pkgConfig: "gpgme", providers: [.apt(["libgpgme-dev"])]),
    .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
    .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
    .target(name: "CLinux"),

    // The platform, and what every stage may use.
    module("Posix", ["CLinux"]),
    module("Characters", ["CUTF8Proc"]),
    module("Configuration", ["MessageFormat", "Posix"]),

    // A note's life, stage by stage.
    module("Capture", ["MessageFormat", "Posix"]),
    module("MessageFormat"),
    module("Sealing", ["CCrypto", "MessageFormat", "Posix"]),
    module("MessageStore", ["MessageFormat", "Posix"]),
    module("Outbox", ["MessageFormat", "MessageStore", "Posix", "Sealing"]),
    module("PGPMIME", ["CGPGME", "MessageFormat", "Posix"]),
    module(
      "Submission", ["CIDN2", "MessageFormat", "Outbox", "Posix", "Sealing", "Transfer"]),
    module("Transfer", ["CCurl"]),
    module(
      "History", ["Characters", "MessageFormat", "MessageStore", "Outbox", "Posix", "Sealing"]),

    // Every sentence a person sees, made of the data of all the others.
    module(
      "Wording",
      [
        "Capture", "Characters", "Configuration", "History", "MessageFormat", "MessageStore",
        "Outbox", "Posix", "Sealing",
      ]),

    // The two programs.
    program(
      "memo",
      [
        "Capture", "Characters", "Configuration", "History", "MessageFormat", "MessageStore",
        "Outbox", "Posix", "Sealing", "Wording",
      ],
      // The last two are for Debian 13, where libcrypto.a needs them; elsewhere they add nothing.
      link: [
        "-static-executable", "-use-ld=lld", "-Xlinker", "-s", "-Xlinker", "--gc-sections",
        "-Xlinker", "-lz", "-Xlinker", "-lzstd",
      ]),
    program(
      "memo-send",
      [
        "Characters", "Configuration", "History", "MessageFormat", "MessageStore", "Outbox",
        "PGPMIME", "Posix", "Sealing", "Submission", "Wording",
      ],
      link: ["-static-stdlib", "-use-ld=lld", "-Xlinker", "-s", "-Xlinker", "--gc-sections"]),

    // The tests: a target each module; whole programs in ProgramTests.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    tests(of: "Posix"),
    tests(of: "Characters"),
    tests(of: "Configuration", ["MessageFormat", "Posix"]),
    tests(of: "Capture", ["MessageFormat", "Posix"]),
    tests(of: "MessageFormat"),
    tests(of: "Sealing", ["MessageFormat", "Posix"]),
    tests(of: "MessageStore", ["MessageFormat", "Posix"]),
    tests(of: "Outbox", ["MessageFormat", "MessageStore", "Posix", "Sealing"]),
    tests(of: "PGPMIME", ["MessageFormat", "Posix"]),
    tests(
      of: "Submission", ["MessageFormat", "Outbox", "Posix", "Transfer"], exclude: ["Fixtures"]),
    tests(
      of: "History",
      ["Characters", "MessageFormat", "MessageStore", "Outbox", "Posix", "Sealing"]),
    tests(
      of: "Wording",
      [
        "Capture", "Configuration", "History", "MessageFormat", "MessageStore", "Outbox", "Posix",
        "Sealing",
      ]),
    .testTarget(name: "ProgramTests", dependencies: ["TestSupport"], swiftSettings: strict),
  ]
)
