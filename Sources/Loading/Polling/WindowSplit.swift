import Payments

/// Where the rest of a walk may be cut in two, so that two requests are under way at once. Nothing here must be right:
/// a bad guess costs two requests, since the walk above reads on until it meets rows of the window below.
struct WindowSplit: Hashable {
    /// The window below is asked for up to here.
    let moment: Timestamp
    /// Rows that the walk still has before it, estimated.
    let rowsLeft: Int

    /// Pages that a walk must have read before its density says anything.
    static let pagesRead = 3
    /// Pages below which a rest is not worth a split.
    static let pagesLeft = 10

    /// Nil: the walk is nearly done, or its list does not run from the newest row down. `remaining` is what the last page
    /// said about rows behind it.
    init?(of walk: Walk, remaining: Int?) {
        guard walk.order == .newestFirst, walk.counters.rowsOutOfOrder == 0, walk.distinct > 0,
            let oldest = walk.oldest, let newest = walk.newest
        else { return nil }
        // Whole seconds, so that a product with a count of rows stays far within 64 bits.
        let span = max(1, Self.seconds(newest, oldest))
        let bound = walk.below?.newest ?? walk.plan.from
        let rest = bound.map { max(0, Self.seconds(oldest, $0)) }
        let expected = rest.map { walk.distinct * $0 / span }
        if walk.below == nil, let remaining {
            rowsLeft = remaining
        } else {
            // With no end in sight as much is expected as was read.
            rowsLeft = expected ?? walk.distinct
        }
        guard rowsLeft >= Self.pagesLeft * walk.plan.limit else { return nil }
        var down = span * (rowsLeft / 2) / walk.distinct
        if let rest, down >= rest { down = rest / 2 }
        guard down > 0 else { return nil }
        moment = oldest.adding(seconds: -Int64(down))
    }

    private static func seconds(_ later: Timestamp, _ earlier: Timestamp) -> Int {
        Int((later.microseconds - earlier.microseconds) / 1_000_000)
    }
}
