import Configuration
import MessageStore
import Outbox

extension Retention {
  /// How long notes are kept as the settings ask for.
  init(_ history: Settings.History, _ paths: Paths) {
    let limit: Limit =
      switch history.keep {
      case .forever: .forever
      case .age(let age): .age(seconds: age.components.seconds)
      case .notes(let count): .count(count)
      }
    self.init(limit, cache: history.cache ? SealedCache(paths.sealedCache) : nil)
  }
}
