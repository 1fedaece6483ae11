import Foundation
import TestSupport
import Testing

/// The sender that a capture starts: it stays while something falls due soon, and then leaves.
@Suite struct LingerTests {
  private let sandbox: Sandbox
  private let server: FaultyServer

  init() throws {
    sandbox = try Sandbox()
    server = try FaultyServer(in: sandbox)
    try sandbox.configure(
      server.configuration().replacing("after-capture = no", with: "after-capture = yes"))
  }

  @Test func itStaysForWhatFallsDueSoonAndLeavesThen() throws {
    try server.plan("rcpt=450", "data=451")
    try sandbox.memo("buy milk")
    try wait(for: "the first refusal") { try server.connections().count == 1 }
    #expect(try sandbox.isLocked(".waiting"))
    // Nobody asks, and it goes all the same: after 2 to 3 s, and 4 to 6 s.
    try wait(for: "the note in sent/", seconds: 40) { try sandbox.files(in: .sent).count == 1 }
    try wait(for: "its end") { try !sandbox.isLocked(".waiting") }
    #expect(try server.accepted().count == 1)
  }

  @Test func itLeavesWhenNothingFallsDueSoon() throws {
    try server.plan("dot=drop")
    try sandbox.memo("buy milk")
    // Sent without an answer: due in 15 min.
    try wait(for: "the drop") { try server.connections().count == 1 }
    try wait(for: "its end") { try !sandbox.isLocked(".waiting") }
    #expect(try sandbox.waitingNames().map { $0.contains(",A=1") } == [true])
    let status = try sandbox.memo("status")
    #expect(status.output.contains("nothing tries again by itself"), "\(status.output)")
  }

  @Test func itLeavesForGoodWhenTheAccountIsOnHold() throws {
    // Settings of the second in which a hold begins may be newer than the hold.
    try sandbox.age(StoredFile(path: sandbox.configuration), by: 10)
    try server.plan("auth=535")
    try sandbox.memo("buy milk")
    try wait(for: "the refusal") { try server.connections().count == 1 }
    try wait(for: "its end") { try !sandbox.isLocked(".waiting") }
    // A note that was never tried lies there still, and must not bring it back.
    for _ in 0..<100 { #expect(try !sandbox.isLocked(".waiting")) }
    #expect(try sandbox.waitingNames().count == 1)
    #expect(try server.connections().count == 1)
  }

  @Test func itTakesWhatIsCapturedWhileItStays() throws {
    try server.plan("rcpt=450")
    try sandbox.memo("the first")
    try wait(for: "the refusal") { try server.connections().count == 1 }
    try sandbox.memo("the second")
    try wait(for: "both notes in sent/") { try sandbox.files(in: .sent).count == 2 }
    #expect(try server.accepted().count == 2)
    try wait(for: "its end") { try !sandbox.isLocked(".waiting") }
  }
}
