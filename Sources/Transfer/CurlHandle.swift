internal import CCurl
internal import Glibc

/// A curl easy handle, owned by one thread and cleaned up exactly once.
///
/// The corresponding C functions are `curl_easy_init(3)`, `curl_easy_perform(3)` and
/// `curl_easy_cleanup(3)`.
@safe struct CurlHandle: ~Copyable {
  private let handle: UnsafeMutableRawPointer
  private let context: CallbackContext

  /// A handle with its callbacks in place.
  static func make() throws(TransferError) -> CurlHandle {
    guard globalCode == CURLE_OK, let pointer = unsafe curl_easy_init() else {
      throw .unavailable
    }
    let handle = unsafe CurlHandle(adopting: pointer)
    try handle.installCallbacks()
    return handle
  }

  private init(adopting handle: UnsafeMutableRawPointer) {
    unsafe self.handle = handle
    context = unsafe CallbackContext(handle)
  }

  // libcurl says QUIT in cleanup and waits for its answer whatever the time limits now are: a
  // socket that is shut down ends that wait at once.
  deinit {
    context.shutDown()
    unsafe curl_easy_cleanup(handle)
  }

  /// curl_global_init(3), run once.
  private static let globalCode: CURLcode = curl_global_init(Int(CURL_GLOBAL_SSL))

  /// Whether a connection is open.
  var isConnected: Bool { !context.sockets.isEmpty }

  /// From now on no new connection is made.
  func refuseConnections() { context.refusesConnections = true }

  /// Runs the transfer set up, watched by an observer, which gives so many octets.
  func perform(observer: any TransferObserver, uploading count: Int = 0) -> TransferResult {
    context.observer = observer
    context.octetsDue = count
    let code = unsafe curl_easy_perform(handle)
    context.observer = nil
    return TransferResult(
      code: TransferCode(rawValue: Int(code.rawValue)),
      verifyResult: info(CURLINFO_SSL_VERIFYRESULT),
      systemError: Int32(truncatingIfNeeded: info(CURLINFO_OS_ERRNO)))
  }

  private func info(_ kind: CURLINFO) -> Int {
    var value = 0
    return unsafe memo_getinfo_long(handle, kind, &value) == CURLE_OK ? value : 0
  }
}

// MARK: - Options

extension CurlHandle {
  func set(_ option: CURLoption, _ value: Int) throws(TransferError) {
    try check(unsafe memo_setopt_long(handle, option, value))
  }

  func set(_ option: CURLoption, offset value: Int) throws(TransferError) {
    try check(unsafe memo_setopt_offset(handle, option, curl_off_t(value)))
  }

  func set(_ option: CURLoption, _ value: String?) throws(TransferError) {
    guard let value else { return try check(unsafe memo_setopt_string(handle, option, nil)) }
    try check(unsafe memo_setopt_string(handle, option, value))
  }

  func set(_ option: CURLoption, _ value: borrowing SecretString) throws(TransferError) {
    try check(unsafe value.withCString { unsafe memo_setopt_string(handle, option, $0) })
  }

  func set(_ option: CURLoption, _ value: borrowing CurlList) throws(TransferError) {
    try check(unsafe memo_setopt_list(handle, option, value.head))
  }

  /// The callbacks reach the context unretained: the handle keeps it alive past its own cleanup.
  private func installCallbacks() throws(TransferError) {
    let pointer = unsafe Unmanaged.passUnretained(context).toOpaque()
    try check(unsafe memo_setopt_octets(handle, CURLOPT_READFUNCTION, readOctets))
    try check(unsafe memo_setopt_octets(handle, CURLOPT_HEADERFUNCTION, receiveLine))
    try check(unsafe memo_setopt_octets(handle, CURLOPT_WRITEFUNCTION, discardOctets))
    try check(unsafe memo_setopt_progress(handle, CURLOPT_XFERINFOFUNCTION, reportProgress))
    try check(unsafe memo_setopt_debug(handle, CURLOPT_DEBUGFUNCTION, watchTraffic))
    try check(unsafe memo_setopt_sockopt(handle, CURLOPT_SOCKOPTFUNCTION, openedSocket))
    try check(unsafe memo_setopt_closesocket(handle, CURLOPT_CLOSESOCKETFUNCTION, closeSocket))
    for option in [
      CURLOPT_READDATA, CURLOPT_HEADERDATA, CURLOPT_XFERINFODATA, CURLOPT_DEBUGDATA,
      CURLOPT_SOCKOPTDATA, CURLOPT_CLOSESOCKETDATA,
    ] {
      try check(unsafe memo_setopt_pointer(handle, option, pointer))
    }
    try set(CURLOPT_NOPROGRESS, 0)
    try set(CURLOPT_VERBOSE, 1)
  }

  private func check(_ code: CURLcode) throws(TransferError) {
    guard code != CURLE_OUT_OF_MEMORY else { throw .unavailable }
    guard code == CURLE_OK else { throw .option(TransferCode(rawValue: Int(code.rawValue))) }
  }
}

// MARK: - Lists

/// A list of strings as libcurl takes them, which must outlive the transfers that use it.
///
/// The corresponding C functions are `curl_slist_append(3)` and `curl_slist_free_all(3)`.
@safe struct CurlList: ~Copyable {
  fileprivate let head: UnsafeMutablePointer<curl_slist>

  init(_ string: String) throws(TransferError) {
    guard let head = unsafe curl_slist_append(nil, string) else { throw .unavailable }
    unsafe self.head = head
  }

  deinit { unsafe curl_slist_free_all(head) }
}
