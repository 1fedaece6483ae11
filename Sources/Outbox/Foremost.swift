/// The first elements in some order, of very many; no more than twice as many are ever held.
struct Foremost<Element> {
  private let limit: Int
  private let isBefore: (Element, Element) -> Bool
  private var elements: [Element] = []
  /// Whether there are more than are held; known once they are in order.
  private(set) var hasMore = false

  /// None yet.
  init(atMost limit: Int, by isBefore: @escaping (Element, Element) -> Bool) {
    self.limit = limit
    self.isBefore = isBefore
  }

  /// Takes one into account.
  mutating func add(_ element: Element) {
    elements.append(element)
    if elements.count >= 2 * limit { cut() }
  }

  private mutating func cut() {
    elements.sort(by: isBefore)
    hasMore = hasMore || elements.count > limit
    elements.removeLast(max(elements.count - limit, 0))
  }

  /// Those that are held, in order.
  mutating func inOrder() -> [Element] {
    cut()
    return elements
  }
}
