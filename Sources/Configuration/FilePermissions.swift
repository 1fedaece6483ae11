/// Who may do what with a configuration or password file.
public enum FilePermissions {
  /// Why such a file is refused.
  public enum Fault: Sendable, Equatable {
    /// It belongs to another user, who could change what commands are run.
    case ownedByAnother
    /// Group or others may read it; `chmod go= FILE` mends it.
    case readableByOthers
    /// Group or others may write it; `chmod go= FILE` mends it.
    case writableByOthers
  }

  /// The reason to refuse a file, if there is one.
  ///
  /// - Parameters:
  ///   - mode: The mode of the file, as `fstat(2)` of the open file gives it. Where the file has
  ///     an access control list, the bits of the group are its mask and so tell of that too.
  ///   - owner: The user the file belongs to; root's files are taken as the user's own.
  ///   - user: The user who runs the program.
  /// - Returns: The gravest fault, nil if the file may be used.
  public static func fault(mode: UInt32, owner: UInt32, user: UInt32) -> Fault? {
    guard owner == user || owner == 0 else { return .ownedByAnother }
    if mode & 0o044 != 0 { return .readableByOthers }
    if mode & 0o022 != 0 { return .writableByOthers }
    return nil
  }
}
