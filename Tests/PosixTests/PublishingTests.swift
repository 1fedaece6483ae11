import Foundation
import TestSupport
import Testing

@testable import Posix

@Suite final class PublishingTests {
  let sandbox: Sandbox
  let target: Directory
  let staging: Directory

  init() throws {
    sandbox = try Sandbox()
    target = try sandbox.directory("target")
    staging = try sandbox.directory("staging")
  }

  @Test func aPublishedFileIsThereAloneAndPrivate() throws {
    try target.publish(octets("note").span, as: "n", staging: staging, stagingName: "s")
    #expect(try sandbox.content("target/n") == octets("note"))
    #expect(try sandbox.names("staging") == [])
    #expect(try sandbox.mode("target/n") == 0o600)
    // The second name is gone too.
    #expect(
      try FileManager.default.attributesOfItem(atPath: sandbox.root + "/target/n")[.referenceCount]
        as? NSNumber == 1)
  }

  @Test func publishingNeverReplaces() throws {
    try target.publish(octets("first").span, as: "n", staging: staging, stagingName: "s")
    var error: Directory.PublishingError?
    do throws(Directory.PublishingError) {
      try target.publish(octets("second").span, as: "n", staging: staging, stagingName: "s")
    } catch let caught {
      error = caught
    }
    #expect(error == .exists)
    #expect(try sandbox.content("target/n") == octets("first"))
    #expect(try sandbox.names("staging") == [])
  }

  @Test func aSymbolicLinkIsNotWrittenThrough() throws {
    try sandbox.link("target/n", to: sandbox.root + "/elsewhere")
    try sandbox.link("staging/s", to: sandbox.root + "/elsewhere")
    #expect(throws: Directory.PublishingError.self) {
      try target.publish(octets("x").span, as: "n", staging: staging, stagingName: "s")
    }
    #expect(throws: Directory.PublishingError.exists) {
      try target.publish(octets("x").span, as: "n", staging: staging, stagingName: "other")
    }
    #expect(!FileManager.default.fileExists(atPath: sandbox.root + "/elsewhere"))
  }

  @Test func aFailedPublishingLeavesNothing() throws {
    // The name is too long for the link, not for the staging file.
    let name = String(repeating: "n", count: 256)
    #expect(throws: Directory.PublishingError.notPublished(.nameTooLong)) {
      try target.publish(octets("x").span, as: name, staging: staging, stagingName: "s")
    }
    #expect(try sandbox.names("staging") == [])
    #expect(try sandbox.names("target") == [])
  }

  @Test func replacingPutsTheNewContentInPlace() throws {
    try target.publish(octets("old").span, as: "n", staging: staging, stagingName: "s")
    let old = try target.status(of: "n").inode
    try target.replace("n", with: octets("new").span, staging: staging, stagingName: "s")
    #expect(try sandbox.content("target/n") == octets("new"))
    #expect(try sandbox.names("staging") == [])
    // Never in place: a mail client's hard link keeps the old octets.
    #expect(try target.status(of: "n").inode != old)
  }

  @Test func aFailedReplacementKeepsTheOldFileAndLeavesNothing() throws {
    try FileManager.default.createDirectory(
      atPath: sandbox.root + "/target/n/full", withIntermediateDirectories: true)
    #expect(throws: Errno.self) {
      try target.replace("n", with: octets("new").span, staging: staging, stagingName: "s")
    }
    #expect(try sandbox.names("target") == ["n"])
    #expect(try sandbox.names("staging") == [])
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 300_000])
  func everySizeIsWrittenWhole(size: Int) throws {
    var random = SeededGenerator(seed: UInt64(size))
    let bytes = random.bytes(size)
    try target.publish(bytes.span, as: "n", staging: staging, stagingName: "s")
    #expect(try target.read("n", limit: size) == bytes)
  }
}
