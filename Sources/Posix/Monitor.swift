internal import Glibc

/// What threads wait on: a lock, and word that something behind it changed.
///
/// The corresponding C types are `pthread_mutex_t` and `pthread_cond_t`.
@safe final class Monitor: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(condition, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Does something while no other thread does.
  func locked<Result>(_ body: () -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Within `locked`: lets the others work until one of them says that something changed.
  func wait() { unsafe pthread_cond_wait(condition, mutex) }

  /// Says that something changed.
  func tellAll() { unsafe pthread_cond_broadcast(condition) }
}

/// Threads beside the one that started them.
@safe public struct Threads: ~Copyable {
  private var handles: [pthread_t] = []

  /// Starts up to so many threads; there may be fewer, or none, when the system has no room.
  ///
  /// The corresponding C function is `pthread_create(3)`.
  public init(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    for _ in 0..<max(count, 0) {
      let context = unsafe Unmanaged.passRetained(Body(body))
      var handle = pthread_t()
      let error = unsafe pthread_create(
        &handle, nil,
        { context in
          unsafe context.map { unsafe Unmanaged<Body>.fromOpaque($0).takeRetainedValue() }?.run()
          return nil
        }, context.toOpaque())
      guard error == 0 else {
        unsafe context.release()
        return
      }
      handles.append(handle)
    }
  }

  /// Waits for their ends.
  ///
  /// The corresponding C function is `pthread_join(3)`.
  public consuming func join() {
    for handle in handles { pthread_join(handle, nil) }
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
