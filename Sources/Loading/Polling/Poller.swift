package import HTTP
import Payments
package import Postgres
import Providers

/// Polls one source: walks its list (a backfill until the start was reached, then from the watermark less the
/// look-back), re-reads what is not final or was pointed at, sweeps an old window, and says how far the feed is proven.
///
/// What a job passes:
/// - `source`: name, provider (from `Catalogue`), and settings from the configuration (`sweep: .off` for hourly jobs);
/// - `context`: account, run, ledger clock, fence, SQL library, log;
/// - `connection`: one of its own, used by this poller alone;
/// - `fetcher`: with the source's own rate budget;
/// - to `poll`: transaction ids that valid events and book orders name and that are unknown or behind, and the flag
///   that a signal sets.
/// It throws what the database throws and `Fence.Lost`; everything that the provider does is in the outcome. The feed's
/// state is written by then.
package final class Poller {
    private let source: SourceHandle
    private let parts: PollerParts
    private let connection: Connection

    package convenience init(
        source: SourceHandle, context: LoadContext, connection: Connection, fetcher: Fetcher, machine: MachineClock
    ) {
        self.init(source: source, context: context, connection: connection, machine: machine) {
            request, expected async throws(HTTPError) in
            try await fetcher.fetch(request, accepting: expected)
        }
    }

    /// With any way of fetching; the set holds statuses besides 2xx whose answers are wanted.
    package init(
        source: SourceHandle, context: LoadContext, connection: Connection, machine: MachineClock,
        fetch: @escaping @Sendable (HTTPRequest, Set<Int>) async throws(HTTPError) -> HTTPResponse
    ) {
        self.source = source
        self.connection = connection
        parts = PollerParts(context: context, settings: source.settings, machine: machine, fetch: fetch)
    }

    package func poll(rereads: [String] = [], stop: StopFlag) async throws -> PollOutcome {
        let mapping = source.provider.transactions
        let store = try TransactionStore(
            connection: connection, context: parts.context, source: source.id, mapping: mapping)
        let state = try FeedState(on: connection, context: parts.context, source: source.id)
        var session = PollSession(state: state, rereads: rereads, canReadByID: source.provider.reader != nil)
        if let lister = source.provider.lister {
            try await walkAll(lister, store, &session, stop)
        }
        if let reader = source.provider.reader, session.goesOn, !stop.isRequested {
            try await readSingly(reader, store, &session, stop)
        }
        if stop.isRequested { session.isInterrupted = true }
        let outcome = session.outcome(store)
        try save(session, outcome, store)
        report(outcome)
        return outcome
    }

    // MARK: Walks

    private func walkAll(
        _ lister: any Lister, _ store: TransactionStore, _ session: inout PollSession, _ stop: StopFlag
    ) async throws {
        let limit = lister.pageLimit
        let settings = parts.settings
        var backfillTried = false
        for (name, point) in try checkpoints() where session.goesOn && !stop.isRequested {
            if point.kind == .backfill { backfillTried = true }
            let walk = Walk(resuming: point, settleLag: settings.settleLag, groupRows: settings.groupRows)
            try await run(walk, name, lister, store, &session, stop)
        }
        guard session.goesOn, !stop.isRequested else { return }
        let wasComplete = session.state.backfillComplete
        if !session.backfillComplete {
            if backfillTried { return }
            let plan = self.plan(.backfill, from: settings.backfillFrom, to: nil, limit)
            try await run(Walk(plan: plan), WalkKind.backfill.rawValue, lister, store, &session, stop)
            return
        }
        guard let watermark = session.watermark else { return }
        let from = watermark.adding(seconds: -settings.lookBack)
        let plan = self.plan(.incremental, from: from, to: nil, limit)
        try await run(Walk(plan: plan), WalkKind.incremental.rawValue, lister, store, &session, stop)
        guard wasComplete, settings.sweep != .off else { return }
        for slice in DeepSweep.slices(settings, now: parts.context.clock.now(), until: from)
        where session.goesOn && !stop.isRequested {
            let plan = self.plan(.sweep, from: slice.from, to: slice.to, limit)
            try await run(Walk(plan: plan), "sweep \(slice.number)", lister, store, &session, stop)
        }
    }

    private func plan(_ kind: WalkKind, from: Timestamp?, to: Timestamp?, _ limit: Int) -> WalkPlan {
        WalkPlan(
            kind: kind, from: from, to: to, startedAt: parts.context.clock.now(),
            settleLag: parts.settings.settleLag, limit: limit, groupRows: parts.settings.groupRows)
    }

    private func run(
        _ walk: Walk, _ name: String, _ lister: any Lister, _ store: TransactionStore,
        _ session: inout PollSession, _ stop: StopFlag
    ) async throws {
        let runner = WalkRunner(
            walk: walk, name: name, lister: lister, mapping: source.provider.transactions, store: store, parts: parts,
            watermark: session.state.watermark, interest: Set(session.rereads))
        let result = try await runner.run(stop: stop)
        session.take(result, name: name, now: parts.context.clock.now())
        var fields = [
            ("source", source.id), ("walk", name), ("pages", "\(result.end.counters.pages)"),
            ("rows", "\(result.end.counters.rows)"),
        ]
        if case .incomplete(let reason, _) = result.end.verdict { fields.append(("incomplete", reason)) }
        parts.context.log(LogLine(result.end.isComplete ? .info : .warning, "walk finished", fields))
    }

    private func checkpoints() throws -> [(name: String, point: WalkCheckpoint)] {
        let rows = try connection.query(
            try parts.context.sql.text("SQL/loading/checkpoints.sql"),
            [.int(parts.context.account), .text(source.id), .text(source.provider.transactions.resource)])
        var found: [(String, WalkCheckpoint)] = []
        for row in rows {
            if let point = WalkCheckpoint(json: try row.text("position")) {
                found.append((try row.text("walk"), point))
            }
        }
        return found
    }

    // MARK: Single reads

    private func readSingly(
        _ reader: any SingleReader, _ store: TransactionStore, _ session: inout PollSession, _ stop: StopFlag
    ) async throws {
        let ids = try session.idsToRead(open: openRows(outside: session.walked))
        let reads = SingleReads(
            reader: reader, mapping: source.provider.transactions, store: store, parts: parts,
            watermark: session.state.watermark)
        let result = try await reads.run(ids, stop: stop)
        session.take(result)
    }

    /// Rows that are not final, outside what was just walked.
    private func openRows(outside walked: ClosedRange<Timestamp>?) throws -> [String] {
        let now = parts.context.clock.now()
        // With nothing walked, no row lies inside.
        let (lower, upper) = walked.map { ($0.lowerBound, $0.upperBound) } ?? (now, now.adding(seconds: -1))
        let rows = try connection.query(
            try parts.context.sql.text("SQL/loading/not_final.sql"),
            [
                .int(parts.context.account), .text(source.id), .text(source.provider.transactions.resource),
                .timestamp(lower), .timestamp(upper), .timestamp(now.adding(seconds: -parts.settings.dormantAfter)),
            ])
        return try rows.map { try $0.text(0) }
    }

    // MARK: The feed's state

    private func save(_ session: PollSession, _ outcome: PollOutcome, _ store: TransactionStore) throws {
        let now = parts.context.clock.now()
        let failure = outcome.failureText
        let isBaseline = outcome.isComplete && outcome.backfillComplete
        let covered = source.settings.backfillFrom ?? store.oldestHeld
        let values: [SQLValue] = [
            .int(parts.context.account), .text(source.id), .text(Feed.provider.rawValue),
            outcome.backfillComplete ? .timestamp(covered) : .null, .timestamp(outcome.watermark), .timestamp(now),
            outcome.isComplete ? .timestamp(now) : .null,
            failure == nil ? .null : .timestamp(session.state.failingSince ?? now), .text(failure),
            .bool(outcome.backfillComplete), isBaseline ? .int(parts.context.run) : .null, .int(store.records),
            .int(outcome.counts.lateArrivals), .json(session.countersJSON(outcome)),
        ]
        let sql = try parts.context.sql.text("SQL/loading/save_feed_state.sql")
        try connection.transaction { connection in
            try parts.context.fence.check(on: connection)
            try connection.execute(sql, values)
        }
    }

    private func report(_ outcome: PollOutcome) {
        let counts = outcome.counts
        var fields = [
            ("source", source.id), ("new", "\(counts.new)"), ("changed", "\(counts.changed)"),
            ("unchanged", "\(counts.unchanged)"), ("quarantined", "\(counts.quarantined)"),
            ("late_arrivals", "\(counts.lateArrivals)"), ("single_reads", "\(outcome.singleReads)"),
        ]
        if let watermark = outcome.watermark { fields.append(("watermark", watermark.description)) }
        if !outcome.vanished.isEmpty { fields.append(("vanished", "\(outcome.vanished.count)")) }
        if counts.strangers > 0 { fields.append(("strangers", "\(counts.strangers)")) }
        if let text = outcome.failureText { fields.append(("failure", text)) }
        parts.context.log(LogLine(outcome.isComplete ? .info : .warning, "source polled", fields))
    }
}
