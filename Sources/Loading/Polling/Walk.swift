package import Payments
package import Providers

/// The walk over one list as a state machine: events in, actions out. No I/O, no clock, no environment; whatever a
/// provider answers, in whatever order, is an event here, so that every misbehaviour is one unit test.
///
/// The end of a list is never taken from a short page, a `remaining` of 0 or a row outside the window, but from an
/// empty page behind the last row that nothing contradicts. What the two cursor names mean and which way the list runs
/// is learnt from the rows.
package struct Walk: Sendable {
    package enum Event: Sendable, Hashable {
        case page(PageFacts)
        /// The provider no longer knows the position (or the way it was sent).
        case cursorRejected
        /// The request failed for good in this run; text for people, without data or secrets.
        case failed(String)
        /// One second has passed since the group's first page arrived.
        case groupIsOld
        /// The operator wants the run to end.
        case stopRequested
        /// The rows have reached the first ones of the window below, which another walk reads on from there.
        case metWindowBelow
    }

    package enum Action: Sendable, Hashable {
        case fetch(PageAsk)
        /// Commit the rows of the pages since the last commit together with this position; nil: the walk needs none
        /// any more.
        case commit(WalkCheckpoint?)
        case finish(WalkEnd)
    }

    /// How often the same position is asked again before it counts as unprovable.
    static let patience = 2
    /// Empty pages that name a next one, in one walk.
    static let gapPatience = 1000

    package let plan: WalkPlan
    package private(set) var counters = WalkCounters()
    package private(set) var order: ListOrder?
    package private(set) var oldest: Timestamp?
    package private(set) var newest: Timestamp?
    package private(set) var isFinished = false
    /// Where the window below begins, once its first rows are stored: this walk may end there.
    package var below: WindowHead?

    var ask: PageAsk
    var edgeIsLearnt = false
    var otherEdgeTried = false
    /// One of the two cursor names, not yet learnt, led to an empty page.
    private var edgeSawEnd = false
    var distinct = 0
    var totals = WalkTotals()
    var stalls = 0
    private var seen = RecentIDs()
    private var usedCursors: Set<Int> = []
    private var groupRows = 0
    private var groupPages = 0
    private var lastPageWasFull = false
    private var firstPageNewest: Timestamp?
    /// Where the walk stood at its last restart: the next must lie further on.
    private var restartedAt: Timestamp?
    private var borderTime: Timestamp?
    private var border: Set<String> = []
    private var walkedTwice = false
    /// Where an end that nothing but empty pages spoke for was asked for a second time.
    private var confirmedAt: Timestamp?
    var head = HeadOfList()

    package init(plan: WalkPlan) {
        self.plan = plan
        ask = plan.firstAsk
        edgeIsLearnt = plan.isOneWay
    }

    /// A window of a list that `other` walks too: what the cursor names mean need not be learnt again.
    package init(plan: WalkPlan, learntFrom other: Walk) {
        self.init(plan: plan)
        ask.edge = other.ask.edge
        edgeIsLearnt = other.edgeIsLearnt
    }

    /// Goes on below the committed position of an earlier run.
    package init(
        resuming point: WalkCheckpoint, settleLag: Int64 = 900, groupRows: Int = 10_000, hasExactWindows: Bool = true
    ) {
        plan = WalkPlan(
            kind: point.kind, from: point.from, to: point.to, startedAt: point.startedAt, settleLag: settleLag,
            limit: point.ask.limit, groupRows: groupRows, hasExactWindows: hasExactWindows)
        ask = point.ask
        edgeIsLearnt = point.edgeIsLearnt
        order = point.order
        oldest = point.oldest
        newest = point.newest
        distinct = point.distinct
        below = point.below
        totals.first = point.firstTotal
        totals.isUsable = point.firstTotal != nil
        totals.firstIsKnown = point.ask.cursor != nil
        lastPageWasFull = point.ask.cursor != nil
    }

    /// The first request.
    package func start() -> [Action] { [.fetch(ask)] }

    package mutating func handle(_ event: Event) -> [Action] {
        if isFinished { return [] }
        switch event {
        case .page(let page): return handlePage(page)
        case .cursorRejected: return handleRejection()
        case .failed(let reason): return finish(.incomplete(reason: reason, resumable: true))
        case .stopRequested: return finish(.incomplete(reason: "stopped on request", resumable: true))
        case .groupIsOld: return groupPages > 0 ? commit() : []
        case .metWindowBelow: return lookAtHead() ?? finish(.complete)
        }
    }

    // MARK: Pages

    private mutating func handlePage(_ page: PageFacts) -> [Action] {
        counters.pages += 1
        counters.rows += page.rows.count
        groupRows += page.rows.count
        groupPages += 1
        if !head.isLookedAt {
            let isExact = plan.hasExactWindows
            totals.note(
                page, foreign: page.rows.count { $0.isStranger || isExact && $0.createdAt.map(isOutside) == true })
        }
        let fresh = takeIn(page)
        let actions: [Action]
        if head.isLookedAt {
            actions = lookOnAtHead(page)
        } else if page.rows.isEmpty {
            actions = handleEmpty(page)
        } else if fresh.isEmpty || runsBackwards(fresh) {
            actions = handleNoProgress(page)
        } else {
            actions = advance(page)
        }
        if !isFinished, groupRows >= plan.groupRows { return actions + commit() }
        return actions
    }

    /// Counts the page's rows, learns the order, and returns the rows not met before.
    private mutating func takeIn(_ page: PageFacts) -> [RowFacts] {
        var fresh: [RowFacts] = []
        for row in page.rows {
            if seen.insert(row.id) { fresh.append(row) } else { counters.repeatedRows += 1 }
        }
        distinct += fresh.count { isFirstMet($0) }
        let times = page.rows.compactMap(\.createdAt)
        if order == nil, let first = times.first, let last = times.last, first != last {
            order = first > last ? .newestFirst : .oldestFirst
        }
        for (earlier, later) in zip(times, times.dropFirst()) where order.map({ $0.forbids(earlier, later) }) == true {
            counters.rowsOutOfOrder += 1
        }
        for time in times {
            if isOutside(time) {
                if plan.hasExactWindows { counters.rowsOutsideWindow += 1 }
                continue
            }
            oldest = min(oldest ?? time, time)
            newest = max(newest ?? time, time)
        }
        noteBorder(page)
        return fresh
    }

    /// After a restart by window the rows up to the old position come again and were counted before.
    private func isFirstMet(_ row: RowFacts) -> Bool {
        guard let place = restartedAt, let order, let time = row.createdAt else { return true }
        if time == place { return !border.contains(row.id) }
        return order == .newestFirst ? time < place : time > place
    }

    /// Remembers the ids of the outermost moment: what a restart must not count twice.
    private mutating func noteBorder(_ page: PageFacts) {
        guard let place = order == .oldestFirst ? newest : oldest else { return }
        if place != borderTime {
            borderTime = place
            border = []
        }
        for row in page.rows where row.createdAt == place { border.insert(row.id) }
    }

    /// A row beyond what was asked for, overlap included.
    private func isOutside(_ time: Timestamp) -> Bool { Self.isOutside(time, plan) }

    /// A cursor name that was tried for the first time brought rows that lie on the near side of the first page: it
    /// leads back to the head of the list.
    private func runsBackwards(_ fresh: [RowFacts]) -> Bool {
        guard ask.cursor != nil, !edgeIsLearnt, let order, let head = firstPageNewest else { return false }
        let times = fresh.compactMap(\.createdAt)
        guard !times.isEmpty else { return false }
        return order == .newestFirst && times.allSatisfy { $0 > head }
    }

    private mutating func advance(_ page: PageFacts) -> [Action] {
        stalls = 0
        if ask.cursor != nil {
            edgeIsLearnt = true
        } else {
            firstPageNewest = page.rows.compactMap(\.createdAt).max()
            if ask.to == plan.firstAsk.to { head.rows = page.rows }
        }
        lastPageWasFull = page.rows.count >= plan.limit
        if !lastPageWasFull, page.remaining != 0 { counters.shortPages += 1 }
        // A list without cursors shows everything on one page.
        guard let next = page.next else {
            if lastPageWasFull, !page.saysEnd, totals.claimMore(than: distinct) != false {
                return finish(.incomplete(reason: "a full page without a cursor", resumable: false))
            }
            return reachEnd()
        }
        return follow(next)
    }

    private mutating func follow(_ next: String) -> [Action] {
        guard usedCursors.insert(next.hashValue).inserted else {
            counters.repeatedCursors += 1
            return stall("the list repeats a cursor")
        }
        ask.cursor = next
        return [.fetch(ask)]
    }

    private mutating func handleEmpty(_ page: PageFacts) -> [Action] {
        // A page that names the next one is a gap in the list and not its end.
        if let next = page.next {
            counters.emptyPages += 1
            guard counters.emptyPages <= Self.gapPatience else {
                return finish(.incomplete(reason: "nothing but empty pages", resumable: false))
            }
            return follow(next)
        }
        if page.saysEnd, totals.claimMore(than: distinct) != true { return reachEnd() }
        if ask.cursor != nil, !edgeIsLearnt, !otherEdgeTried, totals.claimMore(than: distinct) ?? lastPageWasFull {
            counters.emptyPages += 1
            edgeSawEnd = true
            return turn()
        }
        switch totals.claimMore(than: distinct) {
        case true?:
            counters.emptyPages += 1
            if totals.rowsFollow { return stall("an empty page inside the list") }
            // It calls itself the last, against the list's total: asked once more, then the whole walk is in doubt.
            if stalls > 0 { return reachEnd() }
            stalls += 1
            return [.fetch(ask)]
        case false?:
            return reachEnd()
        case nil:
            // Nothing but the empty page speaks for the end: it is asked for once more, and then in another way.
            if stalls > 0 { return confirmEnd() }
            stalls += 1
            return [.fetch(ask)]
        }
    }

    /// Asks for what lies below the last row by its time instead of by its position. Only an end that both ways lead to
    /// is one.
    private mutating func confirmEnd() -> [Action] {
        let place = order == .oldestFirst ? newest : oldest
        guard place != confirmedAt else { return reachEnd() }
        confirmedAt = place
        return restartBelow() ?? reachEnd()
    }

    private mutating func handleNoProgress(_ page: PageFacts) -> [Action] {
        counters.repeatedPages += 1
        if page.saysEnd, page.next == nil { return reachEnd() }
        if ask.cursor != nil, !edgeIsLearnt {
            if !otherEdgeTried { return turn() }
            // Nothing on the one side, known rows on the other: there are no more.
            if counters.rejectedCursors == 0,
                edgeSawEnd || totals.claimMore(than: distinct) == false || !lastPageWasFull
            {
                return reachEnd()
            }
            return restartBelow() ?? finish(.incomplete(reason: "neither cursor leads on", resumable: false))
        }
        stalls += 1
        guard stalls <= Self.patience, let next = page.next else {
            return restartBelow() ?? finish(.incomplete(reason: "pages bring nothing new", resumable: false))
        }
        // Rows that moved down by insertions at the head come again: the position behind them leads on.
        if usedCursors.insert(next.hashValue).inserted {
            ask.cursor = next
        } else {
            counters.repeatedCursors += 1
        }
        return [.fetch(ask)]
    }

    /// The other of the two cursor names, from the same row.
    private mutating func turn() -> [Action] {
        otherEdgeTried = true
        ask.edge = ask.edge.other
        return [.fetch(ask)]
    }

    /// Asks the same again, then from the window, then gives up.
    private mutating func stall(_ reason: String) -> [Action] {
        stalls += 1
        if stalls <= Self.patience { return [.fetch(ask)] }
        return restartBelow() ?? finish(.incomplete(reason: reason, resumable: false))
    }

    private mutating func handleRejection() -> [Action] {
        // The walk itself has reached its end: what was added since is the next one's.
        if head.isLookedAt { return finish(.complete) }
        guard ask.cursor != nil else {
            return finish(.incomplete(reason: "the first page was refused", resumable: false))
        }
        counters.rejectedCursors += 1
        if !edgeIsLearnt, !otherEdgeTried { return turn() }
        return restartBelow() ?? finish(.incomplete(reason: "the provider rejects its own cursors", resumable: false))
    }

    // MARK: Restarts and ends

    /// Begins again by window at the last position, the boundary included; nil where that would not lead further than
    /// the restart before.
    private mutating func restartBelow() -> [Action]? {
        guard let place = order == .oldestFirst ? newest : oldest, place != restartedAt else { return nil }
        guard order != nil else { return repeatWalk() }
        restartedAt = place
        beginAgain()
        if order == .oldestFirst {
            ask.from = place.adding(seconds: -WalkPlan.overlap)
        } else {
            ask.to = place.adding(seconds: WalkPlan.overlap)
        }
        totals.windowChanged()
        return [.fetch(ask)]
    }

    /// Begins the whole walk again, once; nil where it was done before.
    mutating func repeatWalk() -> [Action]? {
        if walkedTwice { return nil }
        walkedTwice = true
        beginAgain()
        let edge = ask.edge
        ask = plan.firstAsk
        if edgeIsLearnt { ask.edge = edge }
        restartedAt = nil
        distinct = 0
        totals = WalkTotals()
        return [.fetch(ask)]
    }

    private mutating func beginAgain() {
        counters.restarts += 1
        ask.cursor = nil
        if !edgeIsLearnt { ask.edge = plan.firstAsk.edge }
        edgeSawEnd = false
        stalls = 0
        otherEdgeTried = false
        seen = RecentIDs()
        usedCursors = []
    }

    private mutating func reachEnd() -> [Action] {
        guard totals.claimMore(than: distinct) == true else { return lookAtHead() ?? finish(.complete) }
        // Rows may have moved under the walk (a deletion shifts numbered pages): it is repeated once.
        if let actions = repeatWalk() { return actions }
        return finish(.incomplete(reason: "the list's total disagrees with its rows", resumable: false))
    }

    private mutating func commit() -> [Action] {
        groupRows = 0
        groupPages = 0
        return [.commit(checkpoint)]
    }

    mutating func finish(_ verdict: WalkEnd.Verdict) -> [Action] {
        isFinished = true
        var keep: WalkCheckpoint?
        if case .incomplete(_, resumable: true) = verdict { keep = checkpoint }
        let end = WalkEnd(verdict: verdict, oldest: oldest, newest: newest, counters: counters)
        return [.commit(keep), .finish(end)]
    }

    /// The position behind the pages taken in so far.
    package var checkpoint: WalkCheckpoint {
        WalkCheckpoint(
            kind: plan.kind, from: plan.from, to: plan.to, startedAt: plan.startedAt, ask: head.endOfWalk ?? ask,
            edgeIsLearnt: edgeIsLearnt, order: order, oldest: oldest, newest: newest, distinct: distinct,
            firstTotal: totals.isUsable ? totals.first : nil, below: below)
    }
}

extension ListOrder {
    /// Whether a list of this order cannot show `earlier` directly before `later`.
    func forbids(_ earlier: Timestamp, _ later: Timestamp) -> Bool {
        self == .newestFirst ? earlier < later : earlier > later
    }
}
