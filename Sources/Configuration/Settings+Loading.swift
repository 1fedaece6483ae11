internal import Posix

/// The settings as they were found.
public enum LoadedSettings: Sendable, Equatable {
  /// There is no configuration file.
  case none
  /// The file's settings, and when it was changed last, in seconds since 1970.
  case loaded(Settings, modified: Int64)
  /// The file cannot be used.
  case broken(ConfigurationError)

  /// Reads the configuration file.
  ///
  /// A file that others can read or change is refused: it may hold secrets, and it names
  /// commands that are run.
  public init(at paths: Paths) {
    do throws(ConfigurationError) {
      guard let (settings, modified) = try Self.load(paths) else {
        self = .none
        return
      }
      self = .loaded(settings, modified: modified)
    } catch {
      self = .broken(error)
    }
  }

  /// The settings, those of an empty file where there are none.
  public var settings: Settings {
    if case .loaded(let settings, _) = self { settings } else { Settings() }
  }

  /// When the file was changed last, in seconds since 1970; 0 where there is none.
  public var modified: Int64 {
    if case .loaded(_, let modified) = self { modified } else { 0 }
  }

  private static let sizeLimit = 1 << 20

  private static func load(_ paths: Paths) throws(ConfigurationError) -> (Settings, Int64)? {
    let path = paths.configurationFile
    let bytes: [UInt8]
    let status: FileStatus
    do throws(Errno) {
      let file = try FileDescriptor(path, .read)
      status = try file.status()
      guard status.isRegularFile else { throw Errno.wrongKind }
      bytes = try file.readAll(limit: sizeLimit)
    } catch .noSuchFile {
      return nil
    } catch {
      throw .unreadable(file: path, error)
    }
    if let fault = FilePermissions.fault(
      mode: status.permissions, owner: status.owner, user: Machine.user)
    {
      throw .refused(file: path, fault)
    }
    let file = try ConfigurationFile(parsing: bytes, name: path)
    return (try Settings(file, home: paths.home), status.modified)
  }
}
