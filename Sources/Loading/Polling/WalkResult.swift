import HTTP
import Payments

/// What reading one list, in one window or several, came to.
struct WalkResult {
    var end: WalkEnd
    /// The plan of the whole, whatever windows it was read in.
    var plan: WalkPlan
    /// Stored rows that the proven part does not show, at most `limit` of them.
    var unlisted: [UnlistedRow] = []
    var unlistedCount = 0
    /// A request failed; nothing of this source will be read any more in this run.
    var failure: HTTPError?
    /// Ids of interest that were read afresh.
    var met: Set<String> = []
    /// Windows were joined at rows of a list that turned out not to run in order: it must be read again in one piece.
    var joinsAreInDoubt = false

    /// The windows of one walk put together.
    init(_ lanes: [WindowLane], unlistedLimit: Int, hasJoined: Bool) {
        var counters = WalkCounters()
        var reasons: [String] = []
        var isResumable = false
        for lane in lanes {
            counters += lane.walk.counters
            let verdict = lane.end?.verdict ?? .incomplete(reason: "not begun", resumable: true)
            if case .incomplete(let reason, let resumable) = verdict {
                if !reasons.contains(reason) { reasons.append(reason) }
                isResumable = isResumable || resumable
            }
            unlistedCount += lane.unlistedCount
            unlisted += lane.unlisted.prefix(max(0, unlistedLimit - unlisted.count))
            failure = failure ?? lane.failure
            met.formUnion(lane.met)
        }
        if hasJoined, counters.rowsOutOfOrder > 0 {
            joinsAreInDoubt = true
            reasons.append("the list does not run in order, and its windows cannot be joined")
        }
        let verdict: WalkEnd.Verdict =
            reasons.isEmpty
            ? .complete : .incomplete(reason: reasons.joined(separator: "; "), resumable: isResumable)
        // Between windows that are not done lie rows that nobody has read.
        let read = reasons.isEmpty ? lanes : Array(lanes.prefix(1))
        end = WalkEnd(
            verdict: verdict, oldest: read.compactMap(\.walk.oldest).min(),
            newest: read.compactMap(\.walk.newest).max(), counters: counters)
        plan = Self.whole(lanes)
    }

    /// Only a sweep has an upper bound of its own; all other walks begin at the open end.
    static func whole(_ lanes: [WindowLane]) -> WalkPlan {
        var plan = lanes[0].walk.plan
        if plan.kind != .sweep || lanes.contains(where: { $0.walk.plan.to == nil }) {
            plan.to = nil
        } else {
            plan.to = lanes.compactMap(\.walk.plan.to).max()
        }
        return plan
    }
}
