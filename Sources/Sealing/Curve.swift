package import Posix
internal import CCrypto

/// The curve P-256 and its arithmetic.
///
/// FIPS 186-4 §D.1.2.3; SEC 1 §3.2 and §3.3.
@safe package struct Curve: ~Copyable {
  /// An uncompressed point: 4, x, y, SEC 1 §2.3.3.
  static let pointSize = 65
  /// A private key, and a coordinate.
  static let scalarSize = 32

  private let group: OpaquePointer
  /// Room for the numbers on the way; the library wipes it when it is given back.
  private let scratch: OpaquePointer

  package init(_ library: borrowing Library) throws(SealingError) {
    guard let scratch = unsafe BN_CTX_new_ex(library.context) else { throw .library }
    guard
      let group = unsafe EC_GROUP_new_by_curve_name_ex(
        library.context, nil, NID_X9_62_prime256v1)
    else {
      unsafe BN_CTX_free(scratch)
      throw .library
    }
    unsafe self.scratch = scratch
    unsafe self.group = group
  }

  deinit {
    unsafe EC_GROUP_free(group)
    unsafe BN_CTX_free(scratch)
  }
}

// MARK: - Keys

extension Curve {
  /// A new private key, FIPS 186-4 §B.4.2, testing candidates.
  borrowing func makeKey() throws(SealingError) -> Scalar {
    while true {
      let candidate = try KernelRandomness.secret(Self.scalarSize)
      if let scalar = try scalar(candidate) { return scalar }
    }
  }

  /// The private key in these octets, unless it is 0 or not below the order of the curve.
  package borrowing func scalar(_ octets: borrowing SecretBytes) throws(SealingError) -> Scalar? {
    let scalar = try Scalar(octets)
    guard let order = unsafe EC_GROUP_get0_order(group) else { throw .library }
    guard unsafe BN_is_zero(scalar.number) == 0, unsafe BN_cmp(scalar.number, order) < 0 else {
      return nil
    }
    return scalar
  }

  /// The public key that belongs to a private one, as an uncompressed point.
  package borrowing func publicKey(of scalar: borrowing Scalar) throws(SealingError) -> [UInt8] {
    let point = try unsafe Point(group)
    guard unsafe EC_POINT_mul(group, point.point, scalar.number, nil, nil, scratch) == 1 else {
      throw .library
    }
    return try octets(of: point).copy()
  }

  /// The x coordinate of the point multiplied by the private key: Z of ECDH, SEC 1 §3.3.1.
  ///
  /// - Returns: nil when the octets are no uncompressed point on the curve.
  package borrowing func sharedSecret(
    _ scalar: borrowing Scalar, _ publicKey: Span<UInt8>
  ) throws(SealingError) -> SecretBytes? {
    guard let point = try point(publicKey) else { return nil }
    let product = try unsafe Point(group)
    guard
      unsafe EC_POINT_mul(group, product.point, nil, point.point, scalar.number, scratch) == 1
    else { throw .library }
    let octets = try octets(of: product)
    return octets.withBytes { SecretBytes(copying: $0.extracting(1..<1 + Self.scalarSize)) }
  }

  /// Whether the octets are an uncompressed point on the curve.
  ///
  /// The cofactor is 1, so it is then of the right order too. SEC 1 §3.2.2.1.
  borrowing func isOnCurve(_ publicKey: Span<UInt8>) throws(SealingError) -> Bool {
    try point(publicKey) != nil
  }

  private borrowing func point(_ octets: Span<UInt8>) throws(SealingError) -> Point? {
    guard octets.count == Self.pointSize, octets[0] == 4 else { return nil }
    let point = try unsafe Point(group)
    let status = unsafe octets.withUnsafeBufferPointer {
      unsafe EC_POINT_oct2point(group, point.point, $0.baseAddress, $0.count, scratch)
    }
    guard status == 1 else {
      ERR_clear_error()
      return nil
    }
    return point
  }

  private borrowing func octets(of point: borrowing Point) throws(SealingError) -> SecretBytes {
    let form = POINT_CONVERSION_UNCOMPRESSED
    var octets = SecretBytes(capacity: Self.pointSize)
    try unsafe octets.fillWhole { (buffer) throws(SealingError) in
      let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      // The point at infinity would take one octet.
      guard
        unsafe EC_POINT_point2oct(group, point.point, form, start, buffer.count, scratch)
          == buffer.count
      else { throw .library }
    }
    return octets
  }
}

// MARK: - Handles

/// A private key, wiped when it is given back.
@safe package struct Scalar: ~Copyable {
  fileprivate let number: OpaquePointer

  fileprivate init(_ octets: borrowing SecretBytes) throws(SealingError) {
    let number = unsafe octets.withBytes { octets in
      unsafe octets.withUnsafeBufferPointer {
        unsafe BN_bin2bn($0.baseAddress, Int32($0.count), nil)
      }
    }
    guard let number = unsafe number else { throw .library }
    unsafe self.number = number
  }

  deinit { unsafe BN_clear_free(number) }

  /// The number in 32 octets, the highest first, SEC 1 §2.3.7.
  borrowing func octets() throws(SealingError) -> SecretBytes {
    var octets = SecretBytes(capacity: Curve.scalarSize)
    try unsafe octets.fillWhole { (buffer) throws(SealingError) in
      let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      guard unsafe BN_bn2binpad(number, start, Int32(buffer.count)) == Int32(buffer.count) else {
        throw .library
      }
    }
    return octets
  }
}

/// A point, wiped when it is given back.
@safe private struct Point: ~Copyable {
  let point: OpaquePointer

  init(_ group: OpaquePointer) throws(SealingError) {
    guard let point = unsafe EC_POINT_new(group) else { throw .library }
    unsafe self.point = point
  }

  deinit { unsafe EC_POINT_clear_free(point) }
}
