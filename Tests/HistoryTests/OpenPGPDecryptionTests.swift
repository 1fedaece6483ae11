import Foundation
import History
import MessageFormat
import Posix
import TestSupport
import Testing

/// gpg(1) with a keyring of the test's own, as a reader of notes asks it.
@Suite struct OpenPGPDecryptionTests {
  private func decryption(_ keyring: Keyring, seconds: Int = 30) -> OpenPGPDecryption {
    OpenPGPDecryption(
      environment: ProcessEnvironment(keyring.environment), terminal: nil,
      timeoutSeconds: seconds)
  }

  private func armor(_ keyring: Keyring, _ text: String) throws -> [UInt8] {
    let key = try keyring.makeKey()
    return try keyring.gpg(
      ["--armor", "--trust-model", "always", "--recipient", key, "--encrypt"],
      stdin: Array(text.utf8)
    ).stdout
  }

  @Test(.timeLimit(.minutes(1))) func anAgentThatHangsIsGivenUpAndItsGPGEnded() throws {
    let keyring = try Keyring(in: Sandbox())
    let armor = try armor(keyring, "Subject: secret\r\n\r\nbuy milk\r\n")
    let agent = try keyring.agentProcess()
    kill(agent, SIGSTOP)
    defer { kill(agent, SIGCONT) }
    try wait(for: "the agent's halt") {
      try String(contentsOfFile: "/proc/\(agent)/stat", encoding: .utf8).contains(") T ")
    }
    #expect(throws: OpenPGPDecryption.Failure.timedOut(seconds: 1)) {
      try decryption(keyring, seconds: 1).message(in: armor)
    }
    kill(agent, SIGCONT)
    #expect(try decryption(keyring).message(in: armor).subject == "secret")
  }

  @Test func anArmorForAnotherKeyIsToldSo() throws {
    let (keyring, other) = (try Keyring(in: Sandbox()), try Keyring(in: Sandbox()))
    let armor = try armor(other, "Subject: secret\r\n\r\nbuy milk\r\n")
    #expect(throws: OpenPGPDecryption.Failure.noSecretKey) {
      try decryption(keyring).message(in: armor)
    }
  }
}
