import Testing

@testable import PGPMIME

@Suite struct ArmoredMessageTests {
  @Test(arguments: ["", "buy milk\n", "-----BEGIN PGP MESSAGE-----\n", "\n\n"])
  func whatIsNoArmorIsRefused(text: String) {
    #expect(ArmoredMessage(Array(text.utf8)) == nil)
  }
}
