internal import CIDN2

// Design: libcurl converts names only where the process runs in a UTF-8 locale, and sends the raw
// octets elsewhere. Here no locale is asked: the text is UTF-8. What is ASCII already stays as it
// is, also where IDNA would not allow it, such as a name with an underscore.

/// Domain names as servers and resolvers know them.
public enum DomainName {
  /// The name with A-labels in place of its U-labels; `nil` when there is none.
  ///
  /// The corresponding C function is `idn2_lookup_u8(3)`, non-transitional: `ß` is kept apart from
  /// `ss`. RFC 5890 §2.3.2.1, RFC 5891, UTS 46.
  public static func inALabels(_ name: String) -> String? {
    guard name.utf8.contains(where: { $0 >= 0x80 }) else { return name }
    guard !name.utf8.contains(0) else { return nil }
    var converted: UnsafeMutablePointer<UInt8>?
    let code = unsafe idn2_lookup_u8(name, &converted, flags)
    defer { unsafe idn2_free(converted) }
    guard code == 0, let text = unsafe converted else { return nil }
    let result = unsafe String(cString: text)
    return isDomain(result) ? result : nil
  }

  /// Without IDN2_USE_STD3_ASCII_RULES, which takes out what it does not allow: `ä/b` and `äb`
  /// would be one name.
  private static let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)

  // sub-domain = Let-dig [Ldh-str]                                            RFC 5321 §4.1.2
  /// Mapping may give anything: `℀` becomes `a/c`.
  private static func isDomain(_ name: String) -> Bool {
    let hyphen = UInt8(ascii: "-")
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return name.utf8.count <= 253
      && labels.allSatisfy { label in
        (1...63).contains(label.count) && label.allSatisfy { $0.isLetterOrDigit || $0 == hyphen }
          && label.first != hyphen && label.last != hyphen
      }
  }
}
