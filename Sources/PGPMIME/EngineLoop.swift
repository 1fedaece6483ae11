internal import CGPGME
internal import Glibc

// Design: gpgme's own loop waits for as long as gpg lives, and gpg as long as its agent is silent.
// With callbacks for its pipes the waiting is done here, and has an end.

/// Waits for gpg, on the pipes that gpgme says, up to a deadline.
@safe final class EngineLoop {
  /// A pipe to be watched.
  @safe private final class Watch {
    let loop: EngineLoop
    let pipe: Int32
    let isInput: Bool
    let serve: gpgme_io_cb_t
    let context: UnsafeMutableRawPointer?

    init(
      _ loop: EngineLoop, _ pipe: Int32, _ isInput: Bool, _ serve: @escaping gpgme_io_cb_t,
      _ context: UnsafeMutableRawPointer?
    ) {
      self.loop = loop
      self.pipe = pipe
      self.isInput = isInput
      unsafe self.serve = serve
      unsafe self.context = context
    }
  }

  private var watches: [Watch] = []
  /// How the operation ended, once it has.
  private var result: gpgme_error_t?
  /// The keys that were found.
  private(set) var keys: [KeyHandle] = []

  /// The callbacks of a context that waits here; the context must not outlive this object.
  var callbacks: gpgme_io_cbs {
    let pointer = unsafe Unmanaged.passUnretained(self).toOpaque()
    return unsafe gpgme_io_cbs(
      add: { data, pipe, direction, serve, context, tag in
        guard let data = unsafe data, let serve = unsafe serve else { return 1 }
        let loop = unsafe Unmanaged<EngineLoop>.fromOpaque(data).takeUnretainedValue()
        unsafe tag?.pointee = loop.add(pipe, direction != 0, serve, context)
        return 0
      },
      add_priv: pointer,
      remove: { tag in
        guard let tag = unsafe tag else { return }
        let watch = unsafe Unmanaged<Watch>.fromOpaque(tag).takeRetainedValue()
        watch.loop.watches.removeAll { $0 === watch }
      },
      event: { data, kind, detail in
        guard let data = unsafe data else { return }
        unsafe Unmanaged<EngineLoop>.fromOpaque(data).takeUnretainedValue()
          .take(kind, detail)
      },
      event_priv: pointer)
  }

  private func add(
    _ pipe: Int32, _ isInput: Bool, _ serve: @escaping gpgme_io_cb_t,
    _ context: UnsafeMutableRawPointer?
  ) -> UnsafeMutableRawPointer {
    let watch = unsafe Watch(self, pipe, isInput, serve, context)
    watches.append(watch)
    return unsafe Unmanaged.passRetained(watch).toOpaque()
  }

  private func take(_ kind: gpgme_event_io_t, _ detail: UnsafeMutableRawPointer?) {
    switch kind {
    case GPGME_EVENT_DONE:
      let done = unsafe detail?.assumingMemoryBound(to: gpgme_io_event_done_data.self).pointee
      result = done.map { $0.err != 0 ? $0.err : $0.op_err } ?? 0
    case GPGME_EVENT_NEXT_KEY:
      guard let detail = unsafe detail else { return }
      unsafe keys.append(KeyHandle(detail.assumingMemoryBound(to: _gpgme_key.self)))
    default: break
    }
  }

  /// The pipes that are watched.
  var pipes: [Int32] { watches.map(\.pipe) }

  /// Forgets the operation before.
  func begin() {
    result = nil
    keys = []
  }

  /// Serves the pipes until the operation is over.
  ///
  /// - Returns: How it ended; nil when it had not at the deadline.
  func run(until deadline: ContinuousClock.Instant) -> gpgme_error_t? {
    while result == nil {
      let left = deadline - ContinuousClock.now
      guard left > .zero else { return nil }
      serve(atMost: left)
    }
    return result
  }

  private func serve(atMost left: Duration) {
    let waiting = watches
    var polled = waiting.map { watch in
      pollfd(fd: watch.pipe, events: Int16(watch.isInput ? POLLIN : POLLOUT), revents: 0)
    }
    let milliseconds = Int32(clamping: left.components.seconds * 1000 + 1)
    guard unsafe poll(&polled, nfds_t(polled.count), min(milliseconds, 1000)) > 0 else { return }
    for (watch, state) in zip(waiting, polled) where state.revents != 0 {
      // Serving one pipe may end the watch over another.
      guard watches.contains(where: { $0 === watch }) else { continue }
      _ = unsafe watch.serve(watch.context, watch.pipe)
    }
  }
}
