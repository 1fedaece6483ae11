/// Passes over what has no meaning between the tokens of a structured field.
enum CommentSkipper {
  // CFWS = (1*([FWS] comment) [FWS]) / FWS                                     RFC 5322 §3.2.2
  // comment = "(" *([FWS] ccontent) [FWS] ")"    ccontent = ctext / quoted-pair / comment
  /// The position of the first octet at or after `start` that is neither blank nor in a comment.
  ///
  /// Nesting is counted, not recursed into, so its depth costs nothing. A comment that is never
  /// closed reaches to the end.
  static func end(ofCommentsIn octets: [UInt8], from start: Int) -> Int {
    var position = start
    var depth = 0
    while position < octets.count {
      switch octets[position] {
      case 0x28: depth += 1
      case 0x29 where depth > 0: depth -= 1
      case .backslash where depth > 0: position += 1
      case .space, .tab, .cr, .lf: break
      default: if depth == 0 { return position }
      }
      position += 1
    }
    return octets.count
  }
}
