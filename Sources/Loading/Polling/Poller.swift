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
    private let metrics: () -> FetchMetrics.Counts?

    /// Seconds that a run waits for the moment before which a provider wants no request.
    static let patience: Int64 = 900

    package convenience init(
        source: SourceHandle, context: LoadContext, connection: Connection, fetcher: Fetcher, machine: MachineClock
    ) {
        let metrics = fetcher.metrics
        self.init(
            source: source, context: context, connection: connection, machine: machine,
            metrics: { metrics.snapshot },
            fetch: { request, expected async throws(HTTPError) in
                try await fetcher.fetch(request, accepting: expected)
            })
    }

    /// With any way of fetching; the set holds statuses besides 2xx whose answers are wanted.
    package init(
        source: SourceHandle, context: LoadContext, connection: Connection, machine: MachineClock,
        metrics: @escaping () -> FetchMetrics.Counts? = { nil },
        fetch: @escaping @Sendable (HTTPRequest, Set<Int>) async throws(HTTPError) -> HTTPResponse
    ) {
        self.source = source
        self.connection = connection
        self.metrics = metrics
        parts = PollerParts(context: context, settings: source.settings, machine: machine, fetch: fetch)
    }

    package func poll(rereads: [String] = [], stop: StopFlag) async throws -> PollOutcome {
        let mapping = source.provider.transactions
        let store = try TransactionStore(
            connection: connection, context: parts.context, source: source.id, mapping: mapping)
        let state = try FeedState(on: connection, context: parts.context, source: source.id)
        var session = PollSession(state: state, rereads: rereads, canReadByID: source.provider.reader != nil)
        try await keepAway(&session, stop)
        if let lister = source.provider.lister, session.goesOn, !stop.isRequested {
            try await walkAll(lister, store, &session, stop)
        }
        if let reader = source.provider.reader, session.goesOn, !stop.isRequested {
            try await readSingly(reader, store, &session, stop)
        }
        if stop.isRequested { session.isInterrupted = true }
        session.notePause(ledger: parts.context.clock.now(), machine: parts.machine.wall())
        session.fetching = metrics()
        let outcome = session.outcome(store)
        try store.checkCounts()
        try save(session, outcome, store)
        report(outcome)
        return outcome
    }

    /// Asks nothing before the moment that the provider named to an earlier run: a short rest is waited for, a long one
    /// is the next run's.
    private func keepAway(_ session: inout PollSession, _ stop: StopFlag) async throws {
        guard let moment = session.state.notBefore else { return }
        var left = (moment.microseconds - parts.context.clock.now().microseconds + 999) / 1000
        if left > Self.patience * 1000 { return session.wait(until: moment) }
        while left > 0, !stop.isRequested {
            let step = min(left, 200)
            try await parts.machine.sleep(Int(step))
            left -= step
        }
    }

    // MARK: Walks

    private func walkAll(
        _ lister: any Lister, _ store: TransactionStore, _ session: inout PollSession, _ stop: StopFlag
    ) async throws {
        let limit = lister.pageLimit
        let settings = parts.settings
        var backfillTried = false
        for (name, windows) in try openWalks() where session.goesOn && !stop.isRequested {
            if windows.contains(where: { $0.walk.plan.kind == .backfill }) { backfillTried = true }
            try await run(windows, name, lister, store, &session, stop)
        }
        guard session.goesOn, !stop.isRequested else { return }
        let wasComplete = session.state.backfillComplete
        if !session.backfillComplete {
            if backfillTried { return }
            let plan = self.plan(.backfill, from: settings.backfillFrom, to: nil, limit)
            try await run(plan, WalkKind.backfill.rawValue, lister, store, &session, stop)
            return
        }
        guard let watermark = session.watermark else { return }
        let from = watermark.adding(seconds: -settings.lookBack)
        let plan = self.plan(.incremental, from: from, to: nil, limit)
        try await run(plan, WalkKind.incremental.rawValue, lister, store, &session, stop)
        guard wasComplete, settings.sweep != .off else { return }
        for slice in DeepSweep.slices(settings, now: parts.context.clock.now(), until: from)
        where session.goesOn && !stop.isRequested {
            let plan = self.plan(.sweep, from: slice.from, to: slice.to, limit)
            try await run(plan, "sweep \(slice.number)", lister, store, &session, stop)
        }
    }

    private func plan(_ kind: WalkKind, from: Timestamp?, to: Timestamp?, _ limit: Int) -> WalkPlan {
        WalkPlan(
            kind: kind, from: from, to: to, startedAt: parts.context.clock.now(),
            settleLag: parts.settings.settleLag, limit: limit, groupRows: parts.settings.groupRows)
    }

    private func run(
        _ plan: WalkPlan, _ name: String, _ lister: any Lister, _ store: TransactionStore,
        _ session: inout PollSession, _ stop: StopFlag
    ) async throws {
        try await run([(name, Walk(plan: plan))], name, lister, store, &session, stop)
    }

    private func run(
        _ windows: [(name: String, walk: Walk)], _ name: String, _ lister: any Lister, _ store: TransactionStore,
        _ session: inout PollSession, _ stop: StopFlag
    ) async throws {
        func walk(_ walks: [(name: String, walk: Walk)], windows: Int) async throws -> WalkResult {
            try await WindowedWalk(
                name: name, walks: walks, lister: lister, mapping: source.provider.transactions, store: store,
                parts: parts, watermark: session.state.watermark, interest: Set(session.rereads), windows: windows
            ).run(stop: stop)
        }
        var result = try await walk(windows, windows: parts.settings.parallelWindows)
        if result.joinsAreInDoubt, result.failure == nil, !stop.isRequested {
            try forget(name)
            result = try await walk([(name, Walk(plan: result.plan))], windows: 1)
        }
        session.take(result, name: name, now: parts.context.clock.now())
        var fields = [
            ("source", source.id), ("walk", name), ("pages", "\(result.end.counters.pages)"),
            ("rows", "\(result.end.counters.rows)"),
        ]
        if case .incomplete(let reason, _) = result.end.verdict { fields.append(("incomplete", reason)) }
        parts.context.log(LogLine(result.end.isComplete ? .info : .warning, "walk finished", fields))
    }

    /// The walks that an earlier run left open, each with its windows.
    private func openWalks() throws -> [(name: String, windows: [(name: String, walk: Walk)])] {
        let rows = try connection.query(
            try parts.context.sql.text("SQL/loading/checkpoints.sql"),
            [.int(parts.context.account), .text(source.id), .text(source.provider.transactions.resource)])
        var found: [String: [(name: String, walk: Walk)]] = [:]
        var unreadable: Set<String> = []
        for row in rows {
            let name = try row.text("walk")
            let base = WindowName(name).base
            guard let point = WalkCheckpoint(json: try row.text("position")) else {
                unreadable.insert(base)
                continue
            }
            let settings = parts.settings
            found[base, default: []].append(
                (name, Walk(resuming: point, settleLag: settings.settleLag, groupRows: settings.groupRows)))
        }
        // One window's position says nothing without the others': the walk begins anew, which loses time only.
        for base in unreadable {
            try forget(base)
            found[base] = nil
        }
        return found.sorted { $0.key < $1.key }.map { name, windows in
            (name, windows.sorted { WindowName($0.name).number < WindowName($1.name).number })
        }
    }

    /// Drops the positions of all windows of a walk.
    private func forget(_ base: String) throws {
        let context = parts.context
        let sql = try context.sql.text("SQL/loading/drop_walk.sql")
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            try connection.execute(
                sql,
                [
                    .int(context.account), .text(source.id), .text(source.provider.transactions.resource), .text(base),
                ])
        }
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
        if let fetching = metrics(), fetching.waitedMilliseconds > 0 {
            fields.append(("requests", "\(fetching.requests)"))
            fields.append(("waited_ms", "\(fetching.waitedMilliseconds)"))
        }
        if let text = outcome.failureText { fields.append(("failure", text)) }
        parts.context.log(LogLine(outcome.isComplete ? .info : .warning, "source polled", fields))
    }
}

/// What the parts of a poll share.
struct PollerParts {
    typealias Fetch = @Sendable (HTTPRequest, Set<Int>) async throws(HTTPError) -> HTTPResponse
    let context: LoadContext
    let settings: PollSettings
    let machine: MachineClock
    let fetch: Fetch
}
