import Payments
import Providers

/// What a walk remembers of the head of its list, for a second look when it has come to the end.
struct HeadOfList: Sendable {
    /// The rows of the first page.
    var rows: [RowFacts] = []
    /// Ids that the second look has shown.
    var met: Set<String> = []
    /// Where the walk stood at its end; nil: nobody has looked at the head again.
    var endOfWalk: PageAsk?
    var pages = 0

    var isLookedAt: Bool { endOfWalk != nil }

    /// Pages after which nobody looks on: what is added so fast is the next walk's.
    static let patience = 50

    /// Takes in a page of the second look at a list that runs from the newest row. Whether it has come to the rows that the
    /// walk began with, and whether one of them is gone, since older ones are shown: then whatever stood behind it has moved
    /// up, and a row may have moved from a page that was still to be read to one that had been.
    mutating func meet(_ page: [RowFacts]) -> (isReached: Bool, isOneGone: Bool) {
        let shown = Set(page.map(\.id))
        met.formUnion(shown)
        guard rows.contains(where: { shown.contains($0.id) }) else { return (false, false) }
        // Rows of one moment may stand in any order.
        guard let oldest = page.compactMap(\.createdAt).min() else { return (true, false) }
        // What strangers show up beside ours moves nothing.
        let gone = rows.contains { row in
            !row.isStranger && !met.contains(row.id) && row.createdAt.map { $0 > oldest } == true
        }
        return (true, gone)
    }
}

extension Walk {
    /// Begins to read what was added to the head of the list while it was walked (numbered pages have shifted by it);
    /// nil where nothing was, or where that was done.
    mutating func lookAtHead() -> [Action]? {
        guard !head.isLookedAt, !head.rows.isEmpty, plan.to == nil, order != .oldestFirst, totals.mayHaveGrown else {
            return nil
        }
        head.endOfWalk = ask
        let edge = ask.edge
        ask = plan.firstAsk
        ask.edge = edge
        return [.fetch(ask)]
    }

    /// Down to the first row that the walk began with.
    mutating func lookOnAtHead(_ page: PageFacts) -> [Action] {
        head.pages += 1
        let (isReached, isOneGone) = head.meet(page.rows)
        // A list in another order may show any row behind any other.
        if isOneGone, counters.rowsOutOfOrder == 0 {
            head = HeadOfList()
            return repeatWalk()
                ?? finish(.incomplete(reason: "rows went away while the list was walked", resumable: false))
        }
        guard !isReached, !page.rows.isEmpty, head.pages < HeadOfList.patience, edgeIsLearnt, let next = page.next,
            next != ask.cursor
        else { return finish(.complete) }
        ask.cursor = next
        return [.fetch(ask)]
    }

    /// Whether a row lies beyond what the plan asks for, overlap included.
    static func isOutside(_ time: Timestamp, _ plan: WalkPlan) -> Bool {
        let ask = plan.firstAsk
        if let from = ask.from, time < from { return true }
        if let to = ask.to, time > to { return true }
        return false
    }
}
