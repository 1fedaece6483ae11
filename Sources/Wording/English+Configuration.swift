internal import Posix
public import Configuration

extension English {
  /// The English words.
  public func text(_ error: ConfigurationError) -> String {
    switch error {
    case .noHome: text(CaptureSentence.noHome)
    case .unreadable(let file, let error): "\(file): \(error.text)"
    case .refused(let file, .ownedByAnother): "\(file) belongs to another user"
    case .refused(let file, .readableByOthers):
      "\(file) can be read by others; run: chmod go= \(file)"
    case .refused(let file, .writableByOthers):
      "\(file) can be changed by others; run: chmod go= \(file)"
    case .invalid(let file, let line, let fault): "\(file):\(line): \(text(fault))"
    }
  }

  private func text(_ fault: ConfigurationFault) -> String {
    switch fault {
    case .notUTF8: "the line is not UTF-8"
    case .controlCharacter: "the line holds a control character"
    case .unclosedSection: "the section has no ']'"
    case .textAfterSection: "text after the ']' of a section"
    case .unknownSection(let name, let nearest):
      "unknown section [\(name)]" + meant(nearest.map { "[\($0.rawValue)]" })
    case .invalidAccountName(let name): "'\(name)' cannot be the name of an account"
    case .sectionTakesNoName(let kind): "[\(kind.rawValue)] takes no name"
    case .repeatedSection(let kind, let account, let first):
      "[\(kind.rawValue)\(account.map { " " + $0 } ?? "")] was begun on line \(first) already"
    case .missingEquals: "neither a section, a comment nor 'key = value'"
    case .missingKey: "no key before the '='"
    case .keyBeforeSection(let key): "'\(key)' comes before the first section"
    case .unknownKey(let key, let section, let nearest):
      "unknown key '\(key)' in [\(section.rawValue)]"
        + meant(nearest.map { described($0, section) })
    case .repeatedKey(let key, let first): "'\(key.name)' was given on line \(first) already"
    case .emptyValue(let key): "'\(key.name)' has no value"
    case .invalidValue(let key, let form): "'\(key.name)' must be \(text(form))"
    case .needs(let key, let other):
      "'\(other.name)' needs a '\(key.name)' in [\(key.section.rawValue)]"
    case .conflictingKeys(let key, let other, let first):
      "'\(key.name)' excludes '\(other.name)' on line \(first)"
    }
  }

  private func meant(_ nearest: String?) -> String { nearest.map { "; is it \($0)?" } ?? "" }

  private func described(_ key: Key, _ section: SectionKind) -> String {
    key.section == section ? "'\(key.name)'" : "'\(key.name)' in [\(key.section.rawValue)]"
  }

  private func text(_ form: ValueForm) -> String {
    switch form {
    case .yesOrNo: "yes or no"
    case .oneOf(let words): words.joined(separator: " or ")
    case .duration(let range):
      "a time such as 30s, 10m, 3h or 5d, from \(text(range.lowerBound)) to \(text(range.upperBound))"
    case .durationsOrOff: "a time, two times such as 0.8s-1.5s, or off"
    case .keep(let ages, let counts):
      "a time such as 90d, from \(text(ages.lowerBound)) on, "
        + "a number of notes, from \(counts.lowerBound) on, or forever"
    case .byteCount(let range):
      "a size such as 25M, from \(range.lowerBound) to \(range.upperBound)"
    case .rate: "a number of notes in a time, such as 20/1h"
    case .submissionServer: "smtps://HOST[:PORT] or smtp://HOST[:PORT]"
    case .imapServer: "imaps://HOST[:PORT] or imap://HOST[:PORT]"
    case .path: "a path that begins with / or ~/"
    case .ehloName: "a domain name or an address in brackets"
    case .certificateFingerprint: "64 hexadecimal digits"
    case .keyFingerprint:
      "the key's whole fingerprint, 40 or 64 hexadecimal digits "
        + "(see gpg --list-secret-keys --with-fingerprint, or memo key)"
    }
  }

  private func text(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    switch seconds {
    case let s where s >= 86400 && s % 86400 == 0: return "\(s / 86400)d"
    case let s where s >= 3600 && s % 3600 == 0: return "\(s / 3600)h"
    case let s where s >= 60 && s % 60 == 0: return "\(s / 60)m"
    default: return "\(seconds)s"
    }
  }
}
