/// The candidate that is written most like a name, if any is near enough to be meant.
///
/// Near enough is: no more edits than half the length of the longer of the two.
func nearest<Candidate>(
  to name: String, among candidates: [Candidate], named nameOf: (Candidate) -> String
) -> Candidate? {
  // The longest known name has 18 letters; what is far longer cannot be near.
  guard name.utf8.count <= 40 else { return nil }
  let written = Array(name.lowercased().utf8)
  var best: (candidate: Candidate, edits: Int)?
  for candidate in candidates {
    let known = Array(nameOf(candidate).utf8)
    let edits = editDistance(written, known)
    guard edits * 2 <= max(written.count, known.count), edits < best?.edits ?? .max else {
      continue
    }
    best = (candidate, edits)
  }
  return best?.candidate
}

/// The fewest insertions, deletions, replacements and swaps of neighbours between two names.
///
/// The optimal string alignment distance.
func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for (row, byte) in left.enumerated() {
    var current = [row + 1]
    for (column, other) in right.enumerated() {
      var edits = min(
        last[column + 1] + 1, current[column] + 1, last[column] + (byte == other ? 0 : 1))
      if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
        edits = min(edits, beforeLast[column - 1] + 1)
      }
      current.append(edits)
    }
    (beforeLast, last) = (last, current)
  }
  return last[right.count]
}
