package import Payments
package import Providers

/// What one walk over a list is for.
package enum WalkKind: String, Sendable, Hashable, CaseIterable {
    /// From now to the first record there ever was. Nothing is up to date before it has reached the start.
    case backfill
    /// From now to the watermark less the look-back.
    case incremental
    /// An old window read again for late reversals and rows that appeared late.
    case sweep
}

/// What one walk reads. A pure value: the moment it began comes from the ledger clock at the rim.
package struct WalkPlan: Sendable, Hashable {
    package var kind: WalkKind
    /// Rows created from here on are wanted; nil: from the first there ever was.
    package var from: Timestamp?
    /// Rows created up to here are wanted; nil: up to now.
    package var to: Timestamp?
    /// Ledger time at which the walk began. A resumed walk keeps it: what it proves, it proves as of then.
    package var startedAt: Timestamp
    /// Seconds before the walk's start up to which the list is taken as settled: younger rows are loaded, but prove
    /// nothing.
    package var settleLag: Int64
    /// Rows of one page.
    package var limit: Int
    /// Rows at which a group is committed.
    package var groupRows: Int
    /// The list's positions lead one way only: there is no other cursor name to try.
    package var isOneWay: Bool
    /// Rows outside the window are news about the list; else it shows more than it is asked for.
    package var hasExactWindows: Bool

    package init(
        kind: WalkKind, from: Timestamp?, to: Timestamp?, startedAt: Timestamp, settleLag: Int64 = 900,
        limit: Int = 100, groupRows: Int = 10_000, isOneWay: Bool = false, hasExactWindows: Bool = true
    ) {
        self.kind = kind
        self.from = from
        self.to = to
        self.startedAt = startedAt
        self.settleLag = settleLag
        self.limit = limit
        self.groupRows = groupRows
        self.isOneWay = isOneWay
        self.hasExactWindows = hasExactWindows
    }

    /// Whether a provider's bounds are inclusive and in which zone they are read is not known: what is asked for is a
    /// day wider on either side, and the rows are judged here.
    package static let overlap: Int64 = 86_400

    /// The moment up to which a finished walk has proven the list.
    package var provesUntil: Timestamp {
        let settled = startedAt.adding(seconds: -settleLag)
        return to.map { min($0, settled) } ?? settled
    }

    /// The request for the first page.
    package var firstAsk: PageAsk {
        PageAsk(
            from: from?.adding(seconds: -Self.overlap), to: to?.adding(seconds: Self.overlap), cursor: nil,
            limit: limit)
    }
}

/// Which way a list runs, learnt from its rows.
package enum ListOrder: String, Sendable, Hashable {
    case newestFirst, oldestFirst
}

/// Where an unfinished walk stands, committed with the rows it brought.
package struct WalkCheckpoint: Sendable, Hashable {
    package var kind: WalkKind
    package var from: Timestamp?
    package var to: Timestamp?
    package var startedAt: Timestamp
    /// The next request of the walk.
    package var ask: PageAsk
    /// Whether `ask.edge` was learnt from rows.
    package var edgeIsLearnt: Bool
    package var order: ListOrder?
    /// Creation times of the rows read so far.
    package var oldest: Timestamp?
    package var newest: Timestamp?
    /// Different rows read since the walk began.
    package var distinct: Int
    /// The total that the first page gave, where totals can be trusted.
    package var firstTotal: Int?
    /// The first rows of the window below: the walk may end there.
    package var below: WindowHead?

    package init(
        kind: WalkKind, from: Timestamp?, to: Timestamp?, startedAt: Timestamp, ask: PageAsk, edgeIsLearnt: Bool,
        order: ListOrder?, oldest: Timestamp?, newest: Timestamp?, distinct: Int, firstTotal: Int?,
        below: WindowHead? = nil
    ) {
        self.kind = kind
        self.from = from
        self.to = to
        self.startedAt = startedAt
        self.ask = ask
        self.edgeIsLearnt = edgeIsLearnt
        self.order = order
        self.oldest = oldest
        self.newest = newest
        self.distinct = distinct
        self.firstTotal = firstTotal
        self.below = below
    }
}

/// What a walk met besides rows.
package struct WalkCounters: Sendable, Hashable {
    package var pages = 0
    package var rows = 0
    package var repeatedRows = 0
    /// Pages that brought no new row while the list was not at its end.
    package var repeatedPages = 0
    package var emptyPages = 0
    package var shortPages = 0
    package var repeatedCursors = 0
    package var rejectedCursors = 0
    package var rowsOutsideWindow = 0
    package var rowsOutOfOrder = 0
    package var restarts = 0

    package init() {}
}

/// How a walk ended.
package struct WalkEnd: Sendable, Hashable {
    package enum Verdict: Sendable, Hashable {
        /// The list was read to its end, and nothing contradicts that.
        case complete
        /// It could not be proven. With `resumable` the checkpoint stands; without, the next walk begins anew.
        case incomplete(reason: String, resumable: Bool)
    }

    package var verdict: Verdict
    /// Creation times of the rows read, first and last walk segments together; nil: none.
    package var oldest: Timestamp?
    package var newest: Timestamp?
    package var counters: WalkCounters

    package init(verdict: Verdict, oldest: Timestamp?, newest: Timestamp?, counters: WalkCounters) {
        self.verdict = verdict
        self.oldest = oldest
        self.newest = newest
        self.counters = counters
    }

    package var isComplete: Bool { verdict == .complete }
}
