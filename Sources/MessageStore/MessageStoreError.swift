public import Posix

/// Why the store could not do what was asked.
public enum MessageStoreError: Error, Equatable, Sendable {
  /// A system call failed on this path.
  case file(path: String, Errno)

  /// Others could read or plant notes in this folder: its mode or owner is wrong.
  case notPrivate(path: String)

  /// The note's file is there and whole, but was not proven durable.
  case notDurable(path: String, Errno)

  /// The note's file is gone, by its owner's hand or another program's.
  case vanished
}
