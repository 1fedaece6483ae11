public import Posix

/// Why there are no settings to work with.
public enum ConfigurationError: Error, Sendable, Equatable {
  /// Neither the environment nor the passwd file names a home directory.
  case noHome

  /// The file, named by its path, cannot be read; a file that does not exist is no error.
  case unreadable(file: String, Errno)

  /// The file, named by its path, may not be trusted with its present owner and mode.
  case refused(file: String, FilePermissions.Fault)

  /// The file does not say what it should; lines count from 1.
  case invalid(file: String, line: Int, ConfigurationFault)
}

/// What is wrong with a line of the configuration file.
///
/// Values are never among the data, as one may be a secret put in the wrong place. Names are as
/// written in the file: sanitise them before printing.
public enum ConfigurationFault: Error, Sendable, Equatable {
  /// The line is not UTF-8.
  case notUTF8
  /// The line holds a control character: anything below U+0020 but TAB, or U+007F.
  case controlCharacter

  /// A section begins with `[` and its line has no `]`.
  case unclosedSection
  /// Something follows the `]` of a section, be it a comment.
  case textAfterSection
  /// No section is named so; with the nearest that is, if one is near.
  case unknownSection(String, nearest: SectionKind?)
  /// `[account NAME]` with a name that could not be part of a file name or a header field.
  case invalidAccountName(String)
  /// A name follows the section's, and only accounts have names.
  case sectionTakesNoName(SectionKind)
  /// The section was begun before.
  case repeatedSection(SectionKind, account: String?, firstLine: Int)

  /// The line is neither a section, nor a comment, nor holds a `=`.
  case missingEquals
  /// Nothing comes before the `=`.
  case missingKey
  /// A key comes before the first section.
  case keyBeforeSection(String)
  /// The section has no such key; with the nearest there is, which may be another section's.
  case unknownKey(String, in: SectionKind, nearest: Key?)
  /// The key was given before in the same section.
  case repeatedKey(Key, firstLine: Int)
  /// Nothing comes after the `=`.
  case emptyValue(Key)

  /// The value does not have the form its key asks for, or is out of range.
  case invalidValue(Key, allowed: ValueForm)
  /// A key asks for what cannot be without another one.
  case needs(Key, for: Key)
  /// Two keys of a section exclude one another.
  case conflictingKeys(Key, and: Key, firstLine: Int)
}

/// The form that the value of a key takes.
public enum ValueForm: Sendable, Equatable {
  /// `yes` or `no`.
  case yesOrNo
  /// One of some words.
  case oneOf([String])
  /// A number with a unit `s`, `m`, `h` or `d`, from the least to the most allowed.
  case duration(ClosedRange<Duration>)
  /// A duration, or two as in `0.8s-1.5s`, or `off`.
  case durationsOrOff(ClosedRange<Duration>)
  /// A duration, a number of notes, or `forever`.
  case keep(ClosedRange<Duration>, ClosedRange<Int>)
  /// A number of bytes, `k`, `M` or `G` behind it for powers of 1024.
  case byteCount(ClosedRange<ByteCount>)
  /// A number of notes and a time, as in `20/1h`.
  case rate
  /// `smtps://HOST[:PORT]` or `smtp://HOST[:PORT]`.
  case submissionServer
  /// `imaps://HOST[:PORT]` or `imap://HOST[:PORT]`.
  case imapServer
  /// A path that begins with `/` or `~/`.
  case path
  /// A domain name, `[IPv4]` or `[IPv6:…]`. RFC 5321 §4.1.3.
  case ehloName
  /// The SHA-256 fingerprint of a certificate: 64 hexadecimal digits, colons allowed.
  case certificateFingerprint
  /// The fingerprint of an OpenPGP key: 40 or 64 hexadecimal digits, blanks allowed.
  case keyFingerprint
}
