import Posix
import Sealing
import Testing

/// The primitives against the examples of their standards.
@Suite struct PrimitiveTests {
  // RFC 3394 §4.6.
  @Test func wrapsTheExampleOfRFC3394() throws {
    let library = try Library()
    let key = SecretBytes(
      copying: hex("000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F").span)
    let content = hex("00112233445566778899AABBCCDDEEFF000102030405060708090A0B0C0D0E0F")
    let wrapped = hex(
      "28C9F404C4B810F4 CBCCB35CFB87F826 3F5786E2D80ED326 CBC7F0E71A99F43B FB988B9B7A02DD21")
    #expect(
      try KeyWrap.wrap(SecretBytes(copying: content.span), with: key, using: library) == wrapped)
    #expect(try KeyWrap.unwrap(wrapped.span, with: key, using: library).copy() == content)
  }

  @Test func agreesWithWycheproofOnKeyWrap() throws {
    let library = try Library()
    let vectors = wycheproofWrap.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(vectors.count == 16)
    for vector in vectors {
      let key = SecretBytes(copying: hex(vector[2]).span)
      let (content, wrapped) = (hex(vector[3]), hex(vector[4]))
      guard vector[1] == "valid" else {
        #expect(throws: SealingError.damaged, "\(vector[0])") {
          _ = try KeyWrap.unwrap(wrapped.span, with: key, using: library)
        }
        continue
      }
      #expect(try KeyWrap.unwrap(wrapped.span, with: key, using: library).copy() == content)
      let again = try KeyWrap.wrap(SecretBytes(copying: content.span), with: key, using: library)
      #expect(again == wrapped, "\(vector[0])")
    }
  }

  @Test func agreesWithWycheproofOnGCM() throws {
    let library = try Library()
    let vectors = wycheproofGCM.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(vectors.count == 48)
    for vector in vectors {
      let key = SecretBytes(copying: hex(vector[2]).span)
      let (nonce, content) = (hex(vector[3]), hex(vector[4]))
      let (encrypted, tag) = (hex(vector[5]), hex(vector[6]))
      guard vector[1] == "valid" else {
        #expect(throws: SealingError.damaged, "\(vector[0])") {
          _ = try ContentEncryption.decrypt(
            encrypted.span, tag: tag.span, key: key, nonce: nonce.span, using: library)
        }
        continue
      }
      var output: [UInt8] = []
      let made = try ContentEncryption.encrypt(
        content.span, key: key, nonce: nonce.span, appendingTo: &output, using: library)
      #expect(output == encrypted && made == tag, "\(vector[0])")
      let opened = try ContentEncryption.decrypt(
        encrypted.span, tag: tag.span, key: key, nonce: nonce.span, using: library)
      #expect(opened == content, "\(vector[0])")
    }
  }

  // NIST CAVP, ANS X9.63-2001: the first vectors of SHA-1 and SHA-256 with and without SharedInfo.
  @Test(arguments: [
    (
      Digest.sha1, "1c7d7b5f0597b03d06a018466ed1a93e30ed4b04dc64ccdd", "",
      "bf71dffd8f4d99223936beb46fee8ccc"
    ),
    (
      Digest.sha256, "96c05619d56c328ab95fe84b18264b08725b85e33fd34f08", "",
      "443024c3dae66b95e6f5670601558f71"
    ),
    (
      Digest.sha256, "22518b10e70f2a3f243810ae3254139efbee04aa57c7af7d",
      "75eef81aa3041e33b80971203d2c0c52",
      """
      c498af77161cc59f2962b9a713e2b215152d139766ce34a776df11866a69bf2e
      52a13d9c7c6fc878c50c5ea0bc7b00e0da2447cfd874f6cf92f30d0097111485
      500c90c3af8b487872d04685d14c8d1dc8d7fa08beb0ce0ababc11f0bd496269
      142d43525a78e5bc79a17f59676a5706dc54d54d4d1f0bd7e386128ec26afc21
      """
    ),
  ])
  func derivesTheKeysOfTheValidationProgram(
    _ digest: Digest, _ secret: String, _ sharedInfo: String, _ derived: String
  ) throws {
    let library = try Library()
    let key = try KeyDerivation.derive(
      hex(derived).count, from: SecretBytes(copying: hex(secret).span),
      sharedInfo: hex(sharedInfo).span, digest, using: library)
    #expect(key.copy() == hex(derived))
  }

  // RFC 5903 §8.1.
  @Test func agreesOnTheKeyOfRFC5903() throws {
    let curve = try Curve(Library())
    let i = hex("C88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433")
    let r = hex("C6EF9C5D78AE012A011164ACB397CE2088685D8F06BF9BE0B283AB46476BEE53")
    let ours = try scalar(i, curve)
    let theirs = try scalar(r, curve)
    let public1 = try curve.publicKey(of: ours)
    #expect(
      public1
        == hex(
          """
          04 DAD0B65394221CF9B051E1FECA5787D098DFE637FC90B9EF945D0C3772581180
          5271A0461CDB8252D61F1C456FA3E59AB1F45B33ACCF5F58389E0577B8990BB3
          """))
    let shared = hex("D6840F6B42F6EDAFD13116E0E12565202FEF8E9ECE7DCE03812464D04B9442DE")
    #expect(try curve.sharedSecret(theirs, public1.span)?.copy() == shared)
    let public2 = try curve.publicKey(of: theirs)
    #expect(try curve.sharedSecret(ours, public2.span)?.copy() == shared)
  }

  // SEC 1 §3.2.2.1 and §3.2.1: what is no key.
  @Test func refusesNumbersAndPointsThatAreNoKeys() throws {
    let curve = try Curve(Library())
    let order = hex("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
    for number in [[UInt8](repeating: 0, count: 32), order, [UInt8](repeating: 0xFF, count: 32)] {
      #expect(try curve.scalar(SecretBytes(copying: number.span)) == nil)
    }
    let one = [UInt8](repeating: 0, count: 31) + [1]
    let scalar = try scalar(one, curve)
    let generator = try curve.publicKey(of: scalar)
    let points: [[UInt8]] = [
      [0],  // at infinity
      [2 | generator[64] & 1] + generator[1...32],  // compressed
      [6 | generator[64] & 1] + generator.dropFirst(),  // hybrid
      generator.dropLast() + [generator[64] ^ 1],  // beside the curve
      generator + [0],
      [],
    ]
    for point in points {
      #expect(try curve.sharedSecret(scalar, point.span) == nil)
    }
    #expect(try curve.sharedSecret(scalar, generator.span) != nil)
  }

  private func scalar(_ octets: [UInt8], _ curve: borrowing Curve) throws -> Scalar {
    guard let scalar = try curve.scalar(SecretBytes(copying: octets.span)) else {
      throw SealingError.keyUnreadable
    }
    return scalar
  }

  @Test func noncesDoNotRepeat() throws {
    var seen: Set<[UInt8]> = []
    for _ in 0..<100_000 { seen.insert(try KernelRandomness.nonce()) }
    #expect(seen.count == 100_000)
    #expect(seen.allSatisfy { $0.count == 12 })
  }
}
