internal import CCurl
internal import Glibc

// Design: libcurl takes plain C functions with a pointer. Each function here only finds the
// context behind the pointer and hands on; what is decided is decided by the observer.

/// What the C callbacks of one handle reach through their pointer.
@safe final class CallbackContext {
  var observer: (any TransferObserver)?
  var refusesConnections = false
  /// How many octets of the message are still to be given.
  var octetsDue = 0
  private let handle: UnsafeMutableRawPointer

  /// The open sockets; more than one only while addresses are tried at the same time.
  private(set) var sockets: [Int32] = []

  init(_ handle: UnsafeMutableRawPointer) {
    unsafe self.handle = handle
  }

  /// Ends both directions of every connection, so that nothing waits for the server any more.
  func shutDown() {
    for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
  }

  fileprivate func opened(_ socket: Int32) {
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    sockets.append(socket)
  }

  fileprivate func closed(_ socket: Int32) {
    sockets.removeAll { $0 == socket }
  }

  fileprivate static func at(_ pointer: UnsafeMutableRawPointer?) -> CallbackContext? {
    guard let pointer = unsafe pointer else { return nil }
    return unsafe Unmanaged<CallbackContext>.fromOpaque(pointer).takeUnretainedValue()
  }

  fileprivate var progress: ConnectionProgress {
    guard microseconds(CURLINFO_CONNECT_TIME_T) > 0 else { return .none }
    return microseconds(CURLINFO_APPCONNECT_TIME_T) > 0 ? .secured : .connected
  }

  /// The server's own certificate in PEM, the first of its chain, where libcurl was told to keep it.
  fileprivate var certificate: [UInt8]? {
    var chain: UnsafeMutablePointer<curl_certinfo>?
    guard unsafe memo_getinfo_certificates(handle, &chain) == CURLE_OK,
      let chain = unsafe chain, unsafe chain.pointee.num_of_certs > 0
    else { return nil }
    var entry = unsafe chain.pointee.certinfo[0]
    while let field = unsafe entry {
      if let text = unsafe field.pointee.data, unsafe strncmp(text, "Cert:", 5) == 0 {
        return unsafe Array(String(cString: text + 5).utf8)
      }
      unsafe entry = field.pointee.next
    }
    return nil
  }

  private func microseconds(_ info: CURLINFO) -> Int {
    var value: curl_off_t = 0
    return unsafe memo_getinfo_offset(handle, info, &value) == CURLE_OK ? Int(value) : 0
  }
}

// MARK: - Octets

/// CURLOPT_READFUNCTION(3).
///
/// libcurl takes an early end, and more than was announced, for a whole message: neither passes.
let readOctets: curl_read_callback = { buffer, size, count, pointer in
  guard let buffer = unsafe buffer, let context = unsafe CallbackContext.at(pointer),
    let octets = context.observer?.nextOctets(atMost: size * count), octets.count <= size * count,
    octets.count <= context.octetsDue, !octets.isEmpty || context.octetsDue == 0
  else { return Int(CURL_READFUNC_ABORT) }
  context.octetsDue -= octets.count
  unsafe octets.withUnsafeBytes { source in
    guard let start = source.baseAddress else { return }
    unsafe memcpy(buffer, start, source.count)
  }
  return octets.count
}

/// CURLOPT_HEADERFUNCTION(3): each line of each reply; a short count stops the transfer.
let receiveLine: curl_read_callback = { buffer, size, count, pointer in
  guard let buffer = unsafe buffer, let context = unsafe CallbackContext.at(pointer),
    let observer = context.observer
  else { return size * count }
  let goesOn = unsafe withSpan(buffer, size * count) {
    observer.received(line: $0) { context.certificate }
  }
  return goesOn ? size * count : 0
}

/// CURLOPT_WRITEFUNCTION(3): without it libcurl writes to standard output.
let discardOctets: curl_read_callback = { _, size, count, _ in size * count }

/// CURLOPT_DEBUGFUNCTION(3): only what was sent; texts, replies and TLS records pass unseen.
let watchTraffic: curl_debug_callback = { _, kind, data, count, pointer in
  guard let observer = unsafe CallbackContext.at(pointer)?.observer else { return 0 }
  if kind == CURLINFO_DATA_OUT { observer.sentOctets() }
  if kind == CURLINFO_HEADER_OUT, let data = unsafe data {
    unsafe withSpan(data, count) { observer.sent(command: $0) }
  }
  return 0
}

private func withSpan<Result>(
  _ start: UnsafeMutablePointer<CChar>, _ count: Int, _ body: (Span<UInt8>) -> Result
) -> Result {
  unsafe start.withMemoryRebound(to: UInt8.self, capacity: count) { octets in
    body(unsafe Span(_unsafeStart: octets, count: count))
  }
}

// MARK: - Time and sockets

/// CURLOPT_XFERINFOFUNCTION(3).
///
/// A transfer that is ended here would still say QUIT and wait for the answer: the socket is shut
/// down first.
let reportProgress: curl_xferinfo_callback = { pointer, _, _, _, _ in
  guard let context = unsafe CallbackContext.at(pointer), let observer = context.observer else {
    return 0
  }
  guard !observer.mayContinue(context.progress) else { return 0 }
  context.shutDown()
  return 1
}

/// CURLOPT_SOCKOPTFUNCTION(3): every new socket, before it is connected.
let openedSocket: curl_sockopt_callback = { pointer, socket, _ in
  guard let context = unsafe CallbackContext.at(pointer), !context.refusesConnections else {
    return Int32(CURL_SOCKOPT_ERROR)
  }
  context.opened(socket)
  return Int32(CURL_SOCKOPT_OK)
}

/// CURLOPT_CLOSESOCKETFUNCTION(3): the number may belong to another file after it.
let closeSocket: curl_closesocket_callback = { pointer, socket in
  unsafe CallbackContext.at(pointer)?.closed(socket)
  return close(socket)
}
