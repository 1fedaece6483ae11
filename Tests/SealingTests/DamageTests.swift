import Sealing
import Testing

/// What is not whole, or not ours, is refused, and nothing of its content given out.
@Suite struct DamageTests {
  private let sealed: [UInt8]
  private let content: [UInt8]
  private let key: [UInt8]
  private let certificate: [UInt8]

  init() throws {
    var random = FixedRandom(seed: 11)
    let identity = try Identity()
    content = random.octets(1024)
    certificate = identity.certificate
    key = identity.key
    sealed = try Recipient(certificate: certificate).seal(content)
  }

  private func opener() throws(SealingError) -> Keyholder {
    try Keyholder(key: key, certificate: certificate)
  }

  @Test func everyFlippedBitIsRefused() throws {
    let opener = try opener()
    #expect(try opener.open(sealed) == content)
    var refusals: [SealingError: Int] = [:]
    for index in sealed.indices {
      for bit in 0..<8 {
        var flipped = sealed
        flipped[index] ^= 1 << bit
        do throws(SealingError) {
          _ = try opener.open(flipped)
          Issue.record("octet \(index), bit \(bit)")
        } catch {
          refusals[error, default: 0] += 1
        }
      }
    }
    // The 20 octets of the key identifier name another key.
    #expect(refusals[.otherRecipient] ?? 0 >= 160)
    #expect(refusals[.otherRecipient] ?? 0 < 200)
    #expect(Set(refusals.keys) == [.damaged, .notSealed, .otherRecipient])
  }

  @Test func everyOctetThatFollowsTheHeaderIsDamaged() throws {
    let opener = try opener()
    for index in sealed.count - content.count - 18..<sealed.count {
      var flipped = sealed
      flipped[index] ^= 0x20
      #expect(throws: SealingError.damaged) { _ = try opener.open(flipped) }
    }
  }

  @Test func everyTruncationIsRefused() throws {
    let opener = try opener()
    for count in sealed.indices {
      let error = #expect(throws: SealingError.self) {
        _ = try opener.open(Array(sealed.prefix(count)))
      }
      #expect(error == (count < 17 ? .notSealed : .damaged), "\(count)")
    }
  }

  @Test func anythingAddedIsRefused() throws {
    let opener = try opener()
    #expect(throws: SealingError.damaged) { _ = try opener.open(sealed + [0]) }
    #expect(throws: SealingError.damaged) { _ = try opener.open(sealed + sealed) }
    #expect(throws: SealingError.notSealed) { _ = try opener.open([0] + sealed) }
  }

  @Test func whatIsSealedForAnotherKeyIsTold() throws {
    let other = try Identity()
    #expect(throws: SealingError.otherRecipient) {
      _ = try Keyholder(key: other.key).open(sealed)
    }
  }

  @Test func whatIsNotSealedIsTold() throws {
    let opener = try opener()
    let data = hex("300D 0609 2A864886F70D010701 A000")
    let enveloped = hex("300D 0609 2A864886F70D010703 A000")
    for other in [[], [0x30], data, enveloped, Array("Date: ".utf8), hex("30FF"), hex("3080")] {
      #expect(throws: SealingError.notSealed) { _ = try opener.open(other) }
    }
  }

  @Test func mutationsNeverCrashNorChangeTheContent() throws {
    let opener = try opener()
    var random = FixedRandom(seed: 2_026)
    var refused = 0
    for _ in 0..<20_000 {
      let mutant = mutated(sealed, &random)
      do throws(SealingError) {
        #expect(try opener.open(mutant) == content)
      } catch {
        refused += 1
      }
    }
    #expect(refused > 19_000)
  }

  @Test func mutatedCertificatesAreRefusedOrSealable() throws {
    let der = PEM.decode(.certificate, in: certificate.span)?.copy() ?? []
    var random = FixedRandom(seed: 5)
    var refused = 0
    for _ in 0..<5_000 {
      let pem = PEM.encode(.certificate, mutated(der, &random).span).copy()
      do throws(SealingError) {
        _ = try Recipient(certificate: pem).seal([1])
      } catch {
        #expect(error == .certificateUnreadable)
        refused += 1
      }
    }
    #expect(refused > 1_000)
  }

  @Test func mutatedKeysAreRefusedOrOtherKeys() throws {
    var random = FixedRandom(seed: 6)
    for _ in 0..<500 {
      let pem = mutated(key, &random)
      do throws(SealingError) {
        _ = try Keyholder(key: pem).open(sealed)
      } catch {
        #expect([.keyUnreadable, .keyLocked, .otherRecipient].contains(error))
      }
    }
  }

  /// One to four changes: octets set, put in, taken out; the end cut off.
  private func mutated(_ bytes: [UInt8], _ random: inout FixedRandom) -> [UInt8] {
    var bytes = bytes
    for _ in 0...Int.random(in: 0..<4, using: &random) where !bytes.isEmpty {
      let limit = Bool.random(using: &random) ? bytes.count : min(bytes.count, 280)
      let index = Int.random(in: 0..<limit, using: &random)
      let likely: [UInt8] = [0, 0x7F, 0x80, 0x84, 0x88, 0xFF, random.octets(1)[0]]
      let octet = likely[Int.random(in: likely.indices, using: &random)]
      switch Int.random(in: 0..<8, using: &random) {
      case 0: bytes.insert(octet, at: index)
      case 1: bytes.remove(at: index)
      case 2: bytes.removeSubrange(index...)
      default: bytes[index] = octet
      }
    }
    return bytes
  }
}
