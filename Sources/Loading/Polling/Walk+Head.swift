import Payments
import Providers

/// What a walk remembers of the head of its list, for a second look when it has come to the end.
struct HeadOfList: Sendable {
    /// The rows of the first page.
    var ids: Set<String> = []
    /// Where the walk stood at its end; nil: nobody has looked at the head again.
    var endOfWalk: PageAsk?
    var pages = 0

    var isLookedAt: Bool { endOfWalk != nil }

    /// Pages after which nobody looks on: what is added so fast is the next walk's.
    static let patience = 50
}

extension Walk {
    /// Begins to read what was added to the head of the list while it was walked (numbered pages have shifted by it);
    /// nil where nothing was, or where that was done.
    mutating func lookAtHead() -> [Action]? {
        guard !head.isLookedAt, !head.ids.isEmpty, plan.to == nil, order != .oldestFirst, totals.mayHaveGrown else {
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
        let meets = page.rows.contains { head.ids.contains($0.id) }
        guard !meets, !page.rows.isEmpty, head.pages < HeadOfList.patience, edgeIsLearnt, let next = page.next,
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
