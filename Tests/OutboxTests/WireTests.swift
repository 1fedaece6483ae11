import MessageFormat
import TestSupport
import Testing

@testable import Outbox

@Suite struct WireTests {
  private func header(_ delivery: Delivery) throws -> Header {
    try Message(parsing: delivery.message).header
  }

  @Test func theMessageTellsTheServerWhatItMayKnowAndNoMore() throws {
    let scene = try Scene()
    let id = try scene.capture("buy milk\nand bread", account: "work")
    let work = Sender.Account(
      name: "work", isDefault: false, from: try Mailbox(displayName: "Ö", address: "w@example.net"),
      to: try Mailbox(displayName: nil, address: "inbox@example.net"))
    let delivery = try #require(try scene.run(.accepts(), for: work).first)
    let header = try header(delivery)
    #expect(header.all(named: "From").map(\.decodedText) == ["Ö <w@example.net>"])
    #expect(header.all(named: "To").map(\.decodedText) == ["inbox@example.net"])
    #expect(header.all(named: "Subject").map(\.decodedText) == ["buy milk"])
    #expect(
      header.all(named: "Date").map(\.decodedText) == ["Tue, 14 Nov 2023 22:56:40 +0100"])
    #expect(
      header.all(named: "Message-ID").map(\.decodedText) == ["<\(id)@memo.invalid>"])
    #expect(header.first(named: "Memo-Account") == nil)
    #expect(header.first(named: "HP-Outer") == nil)
    #expect(!delivery.text.contains("hp="))
    #expect(!delivery.text.contains("Memo-Status"))
    #expect(try Message(parsing: delivery.message).text == "buy milk\nand bread\n")
  }

  // C01, C02: line ends are ours, dots are the agent's.
  @Test(
    arguments: [
      ".first\nhello\n.\n..\n.hidden\nworld\n.", "one\ntwo\n.\nthree", "one\r\ntwo\r\n",
      "a\rb\r\r\nc\n\r", "\n\n\nx", "caf\u{E9}\n-- \nend\t\nlast ",
      "https://example.org/?q=" + String(repeating: "a", count: 3000),
    ])
  func everyLineEndsInCRLFAndNothingElse(text: String) throws {
    let scene = try Scene()
    try scene.capture(text)
    let wire = try #require(try scene.run(.accepts()).first).message
    #expect(wire.suffix(2) == [13, 10])
    for (position, octet) in wire.enumerated() {
      if octet == 10 { #expect(position > 0 && wire[position - 1] == 13) }
      if octet == 13 { #expect(position + 1 < wire.count && wire[position + 1] == 10) }
      #expect(octet < 0x80 && octet != 0)
    }
    let lines = wire.split(separator: 10, omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 998 })
  }

  // C14.
  @Test func aRetryIsTheSameOctetForOctet() throws {
    let scene = try Scene()
    try scene.capture("Grüße\n" + String(repeating: "x", count: 5000))
    let first = try scene.run(.refusesMessage(451, "4.3.0"))
    scene.now += 86_400
    let second = try scene.run(.answersNothing)
    scene.now += 86_400
    let third = try scene.run(.accepts())
    #expect(first.map(\.message) == second.map(\.message))
    #expect(first.map(\.message) == third.map(\.message))
  }

  @Test func aCorrectedAddressMendsWhatWaits() throws {
    let scene = try Scene()
    try scene.capture()
    let first = try scene.run(.refusesRecipient(450, "4.2.1 later"))
    scene.now += 86_400
    let corrected = Sender.Account(
      name: nil, isDefault: true, from: scene.account.from,
      to: try Mailbox(displayName: nil, address: "right@example.org"))
    let second = try scene.run(.accepts(), for: corrected)
    #expect(
      second.map(\.text)
        == first.map { $0.text.replacing("\r\nTo: me@", with: "\r\nTo: right@") })
  }
}
