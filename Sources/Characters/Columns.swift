/// The columns a text takes on a terminal.
///
/// Expects sanitised text of one line: controls count as 0. The locale is never consulted.
/// Emoji sequences and flags take 2, combining marks 0, everything else what utf8proc says.
/// Terminals differ in rarer scripts; none is asked.
public func width(_ text: String) -> Int {
  if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text.utf8.count }
  var total = 0
  for cluster in GraphemeClusters(text) { total += cluster.columns }
  return total
}

/// The text, cut at the end of a grapheme cluster and given a final `…` if it is too wide.
///
/// - Parameters:
///   - text: Sanitised text of one line.
///   - columns: The most columns the result takes, with the `…`; nothing is left of 0 or less.
/// - Returns: The text itself if it fits.
public func truncated(_ text: String, toWidth columns: Int) -> String {
  guard columns > 0 else { return "" }
  var total = 0
  var cut = text.startIndex
  for cluster in GraphemeClusters(text) {
    total += cluster.columns
    if total > columns { return text[..<cut] + "…" }
    // One column is kept for the ellipsis.
    if total < columns { cut = cluster.end }
  }
  return text
}

/// The text followed by as many spaces as make it this wide.
///
/// A text that is as wide, or wider, stays as it is.
public func padded(_ text: String, toWidth columns: Int) -> String {
  text + String(repeating: " ", count: max(0, columns - width(text)))
}
