internal import CCrypto

extension [UInt8] {
  /// Lends the octets from `start` on, to be written.
  mutating func withTail<Result>(
    from start: Int,
    _ body: (UnsafeMutableRawBufferPointer) throws(SealingError) -> Result
  ) throws(SealingError) -> Result {
    var failure: SealingError?
    let result: Result? = unsafe withUnsafeMutableBytes { whole in
      do throws(SealingError) {
        return try unsafe body(UnsafeMutableRawBufferPointer(rebasing: whole[start...]))
      } catch {
        failure = error
        return nil
      }
    }
    guard let result else { throw failure ?? .library(code: 0) }
    return result
  }

  /// Overwrites the octets before they are given back.
  mutating func wipe() {
    unsafe withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
  }
}
