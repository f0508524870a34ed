import HTTP
import Payments
import Postgres
import Providers

/// Polls one resource of a source: walks its list (a backfill until the start was reached, then from the watermark less
/// the look-back), re-reads what is not final or was pointed at, sweeps an old window, and says how far it is proven.
final class ResourcePoll {
    let source: SourceHandle
    let resource: Resource
    let parts: PollerParts
    let connection: Connection
    private let metrics: () -> FetchMetrics.Counts?

    init(
        source: SourceHandle, resource: Resource, parts: PollerParts, connection: Connection,
        metrics: @escaping () -> FetchMetrics.Counts?
    ) {
        self.source = source
        self.resource = resource
        self.parts = parts
        self.connection = connection
        self.metrics = metrics
    }

    /// What polling one resource came to, with what its feed's row says of it.
    struct Result {
        let outcome: PollOutcome
        let counters: PollCounters
        /// False where a request has failed for good: what follows would fail likewise.
        let goesOn: Bool
        /// Rows held.
        let records: Int
        /// When the oldest row held was created.
        let oldestHeld: Timestamp?
        /// All that the settings ask for was read: walks, the deep sweep, and what is open by id.
        let isSwept: Bool
    }

    /// `rereads`: ids that somebody pointed at.
    func run(rereads: [String], stop: StopFlag) async throws -> Result {
        let startedAt = parts.context.clock.now()
        let store = try TransactionStore(
            connection: connection, context: parts.context, source: source.id, mapping: resource.mapping)
        let state = try ResourceState(
            on: connection, context: parts.context, source: source.id, resource: resource.name)
        var session = PollSession(
            state: state, rereads: rereads, canReadByID: resource.reader != nil, isListed: resource.lister != nil,
            listShowsAll: resource.lister?.showsAllRows ?? true)
        if let lister = resource.lister, !stop.isRequested { try await walkAll(lister, store, &session, stop) }
        if let reader = resource.reader, session.goesOn, !stop.isRequested {
            try knowSize(store)
            try await readSingly(reader, store, &session, stop)
        }
        if stop.isRequested { session.isInterrupted = true }
        session.notePause(ledger: parts.context.clock.now(), machine: parts.machine.wall())
        session.fetching = metrics()
        let outcome = session.outcome(
            store, enumeratedUntil: startedAt.adding(seconds: -parts.settings.settleLag))
        try store.checkCounts()
        try save(session, outcome, store)
        return Result(
            outcome: outcome, counters: session.counters(outcome), goesOn: session.goesOn, records: store.records,
            oldestHeld: store.oldestHeld,
            isSwept: outcome.isComplete && (resource.lister == nil || state.backfillComplete))
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
            settleLag: parts.settings.settleLag, limit: limit, groupRows: parts.settings.groupRows,
            isOneWay: resource.lister?.isOneWay ?? true,
            hasExactWindows: resource.lister?.hasExactWindows ?? true)
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
                name: name, walks: walks, lister: lister, mapping: resource.mapping, store: store,
                parts: parts, watermark: session.state.watermark, interest: Set(session.rereads), windows: windows
            ).run(stop: stop)
        }
        var result = try await walk(windows, windows: lister.hasExactWindows ? parts.settings.parallelWindows : 1)
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
            [.int(parts.context.account), .text(source.id), .text(resource.name)])
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
                (
                    name,
                    Walk(
                        resuming: point, settleLag: settings.settleLag, groupRows: settings.groupRows,
                        hasExactWindows: resource.lister?.hasExactWindows ?? true)
                ))
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
                    .int(context.account), .text(source.id), .text(resource.name), .text(base),
                ])
        }
    }

    // MARK: Single reads

    /// Rows that must have come before the planner is told of them: fewer fit any plan.
    private static let worthMeasuring = 1000

    /// Where walks have at least doubled what the planner knows of, it is told before others' ids are compared with it.
    private func knowSize(_ store: TransactionStore) throws {
        let new = store.growth.unmeasured
        if new >= Self.worthMeasuring, new * 2 >= store.records { try store.tellSizeNow() }
    }

    private func readSingly(
        _ reader: any SingleReader, _ store: TransactionStore, _ session: inout PollSession, _ stop: StopFlag
    ) async throws {
        var source = source
        // Those of a run that heals a gap of events reach further.
        source.settings = parts.settings
        let list = AskList(connection, parts.context, source: source, resource: resource, reader: reader)
        let needs = try list.needs(outside: session.walked, since: session.state.lastSuccess)
        let asks = try list.about(session.idsToRead(open: needs.open, named: needs.named)) + needs.orders
        let reads = SingleReads(
            reader: reader, mapping: resource.mapping, store: store, parts: parts,
            watermark: session.state.watermark, waiting: needs.waiting,
            refusesCredentials: source.provider.refusesCredentials)
        let result = try await reads.run(asks, stop: stop)
        try note(strangers: result.strangers)
        session.take(result)
    }

    /// Payments that somebody named and that are another account's: they are not asked for again.
    private func note(strangers: Set<String>) throws {
        if strangers.isEmpty || resource.name != source.provider.payments.name { return }
        let context = parts.context
        let values: [SQLValue] = [
            .int(context.account), .text(source.id), .textArray(strangers.sorted()), .timestamp(context.clock.now()),
            .int(context.run),
        ]
        let sql = try context.sql.text("SQL/loading/note_strangers.sql")
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            try connection.execute(sql, values)
        }
    }

    // MARK: The resource's state

    private func save(_ session: PollSession, _ outcome: PollOutcome, _ store: TransactionStore) throws {
        let now = parts.context.clock.now()
        let values: [SQLValue] = [
            .int(parts.context.account), .text(source.id), .text(resource.name),
            outcome.backfillComplete ? .timestamp(source.settings.backfillFrom ?? store.oldestHeld) : .null,
            .timestamp(outcome.watermark), .bool(outcome.backfillComplete),
            outcome.isComplete ? .timestamp(now) : .null, .json(session.stateJSON),
            .int(store.records),
        ]
        let sql = try parts.context.sql.text("SQL/loading/save_resource_state.sql")
        try connection.transaction { connection in
            try parts.context.fence.check(on: connection)
            try connection.execute(sql, values)
        }
    }
}
