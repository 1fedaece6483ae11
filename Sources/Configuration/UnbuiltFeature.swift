/// An entry of the file that asks for what this version of the program does not do.
///
/// The entry is known and its value right; the program says so instead of passing over it.
public struct UnbuiltFeature: Sendable, Equatable {
  /// The key.
  public let key: Key
  /// Its line, counted from 1.
  public let line: Int

  /// Those of a file, in its order.
  public static func used(in file: ConfigurationFile) -> [UnbuiltFeature] {
    var used: [UnbuiltFeature] = []
    for section in file.sections {
      for entry in section.entries where !isBuilt(entry.key, value: entry.value) {
        used.append(UnbuiltFeature(key: entry.key, line: entry.line))
      }
    }
    return used
  }

  // The one list of what is known and not built: take a line away when its feature is there.
  private static func isBuilt(_ key: Key, value: String) -> Bool {
    switch key {
    case .account(.toVerified): false
    case .composer: false
    case .account, .delivery, .identity, .gpg, .history: true
    }
  }
}
