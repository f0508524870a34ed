import Payments

/// When the rows were created that a source holds: a few spans, so that what lies in none of them need not be asked for.
/// Windows that are read side by side leave gaps between what each has brought; one span over all would make every group
/// of the upper window lie among the rows of the lower one.
struct HeldSpans: Sendable {
    /// More of them are joined over the narrowest gap: a source has few windows, and rows read one by one may lie anywhere.
    static let limit = 32

    /// Disjoint, in the order of time.
    private(set) var spans: [ClosedRange<Timestamp>]

    init(_ span: ClosedRange<Timestamp>? = nil) { spans = span.map { [$0] } ?? [] }

    var isEmpty: Bool { spans.isEmpty }
    var oldest: Timestamp? { spans.first?.lowerBound }

    /// The least span that holds all held rows of `span`; nil: there are none.
    func held(in span: ClosedRange<Timestamp>) -> ClosedRange<Timestamp>? {
        let parts = spans.lazy.filter { $0.overlaps(span) }.map { $0.clamped(to: span) }
        guard let first = parts.first, let last = parts.last else { return nil }
        return first.lowerBound...last.upperBound
    }

    /// From now on rows may be held anywhere in `span`.
    mutating func insert(_ span: ClosedRange<Timestamp>) {
        var joined = span
        for other in spans where other.overlaps(joined) {
            joined = min(joined.lowerBound, other.lowerBound)...max(joined.upperBound, other.upperBound)
        }
        spans.removeAll { $0.overlaps(joined) }
        spans.insert(joined, at: spans.firstIndex { $0.lowerBound > joined.upperBound } ?? spans.endIndex)
        if spans.count > Self.limit { joinNearest() }
    }

    private mutating func joinNearest() {
        let gaps = zip(spans, spans.dropFirst()).map { $1.lowerBound.microseconds - $0.upperBound.microseconds }
        guard let narrowest = gaps.indices.min(by: { gaps[$0] < gaps[$1] }) else { return }
        let next = spans.remove(at: narrowest + 1)
        spans[narrowest] = spans[narrowest].lowerBound...next.upperBound
    }
}
