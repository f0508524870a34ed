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

    /// `rereads`: ids of payments, and `resource/id` of other records, that events name and that are unknown or behind.
    package func poll(rereads: [String] = [], stop: StopFlag) async throws -> PollOutcome {
        let state = try FeedState(on: connection, context: parts.context, source: source.id)
        if let moment = try await keepAway(state.notBefore, stop) { return try standBack(until: moment, state) }
        let events = try await readEvents(stop)
        var rereads = rereads
        if events != nil { rereads += try behindEvents() }
        var total = Total()
        var isSwept = true
        if let failure = events?.result.failure, failure.isRateLimited { total.wait(failure, parts) }
        let parts = self.parts.healing(events?.result.gap)
        for resource in source.provider.resources {
            // What follows a request that failed for good would fail likewise.
            if !total.goesOn || stop.isRequested {
                try leaveOut(resource, of: &total)
                isSwept = false
                continue
            }
            let poll = ResourcePoll(
                source: source, resource: resource, parts: parts, connection: connection, metrics: metrics)
            let result = try await poll.run(rereads: source.ids(rereads, of: resource), stop: stop)
            isSwept = isSwept && result.isSwept
            total.add(result, of: resource)
        }
        var outcome = try finish(total, state)
        if let events { try join(events, isSwept: isSwept && parts.settings.sweep != .off, to: &outcome) }
        return outcome
    }

    // MARK: Events

    private struct ReadEvents {
        let poll: EventPoll
        let result: EventPoll.Result
    }

    /// Nil: the provider lists no events.
    private func readEvents(_ stop: StopFlag) async throws -> ReadEvents? {
        guard let lister = source.provider.events, let scheme = source.provider.webhooks, !stop.isRequested else {
            return nil
        }
        let poll = EventPoll(source: source, lister: lister, scheme: scheme, parts: parts, connection: connection)
        return ReadEvents(poll: poll, result: try await poll.run(stop: stop))
    }

    /// Payments of which the events that are stored by now know better.
    private func behindEvents() throws -> [String] {
        try WebhookHistoryLoader.idsBehind(
            connection, account: parts.context.account, source: source.id, sql: parts.context.sql,
            unsignedCounts: source.unsignedCounts, lookBack: source.settings.lookBack)
    }

    /// What the event list came to beside the objects; a gap in it is healed by objects that were all read again.
    private func join(_ events: ReadEvents, isSwept: Bool, to outcome: inout PollOutcome) throws {
        outcome.events = events.result.counts
        var reasons = events.result.reasons
        // A reading that was cut short has learnt nothing new of a gap: what was said of it stands.
        if let gap = events.result.gap, !events.result.isInterrupted {
            let text = try events.poll.close(gap, isHealed: isSwept)
            outcome.eventGap = text
            if !isSwept { reasons.append(text) }
        }
        outcome.counts.quarantined += events.result.counts.quarantined
        outcome.counts.newlyQuarantined += events.result.counts.newlyQuarantined
        outcome.ending = outcome.ending.joined(withEvents: reasons)
    }

    /// A resource that is not polled stands where it stood, with the rows that are held of it.
    private func leaveOut(_ resource: Resource, of total: inout Total) throws {
        let state = try ResourceState(
            on: connection, context: parts.context, source: source.id, resource: resource.name)
        let held = try TransactionStore.held(connection, parts.context, source.id, resource.name)
        total.leaveOut(state, records: held.records, oldestHeld: held.span?.lowerBound)
    }

    /// Writes the feed's row.
    private func finish(_ total: Total, _ state: FeedState) throws -> PollOutcome {
        var outcome = total.outcome ?? .untouched(ResourceState())
        if let pause = total.pause { outcome.ending = .tryLater(pause) }
        try save(outcome, total, state)
        report(outcome)
        return outcome
    }

    /// What the resources came to together.
    private struct Total {
        var outcome: PollOutcome?
        var counters = PollCounters()
        var records = 0
        var oldestHeld: Timestamp?
        var goesOn = true
        /// The provider's rate limit, met before any resource was read.
        var pause: String?

        mutating func wait(_ error: HTTPError, _ parts: PollerParts) {
            goesOn = false
            pause = error.description
            guard case .tryLater(let until) = error.kind else { return }
            counters.notBefore = PollSession.notBefore(
                until, ledger: parts.context.clock.now(), machine: parts.machine.wall())
        }

        mutating func add(_ result: ResourcePoll.Result, of resource: Resource) {
            if outcome == nil {
                outcome = result.outcome
                oldestHeld = result.oldestHeld
            } else {
                outcome?.join(result.outcome, resource: resource.name)
            }
            counters += result.counters
            records += result.records
            goesOn = result.goesOn
        }

        /// One that was not polled is proven as far as it was.
        mutating func leaveOut(_ state: ResourceState, records held: Int, oldestHeld oldest: Timestamp?) {
            records += held
            guard outcome != nil else {
                outcome = .untouched(state)
                oldestHeld = oldest
                return
            }
            if let mine = outcome?.watermark { outcome?.watermark = state.watermark.map { min($0, mine) } }
            if !state.backfillComplete { outcome?.backfillComplete = false }
        }
    }

    /// Asks nothing before the moment that the provider named to an earlier run: a short rest is waited for, a long one
    /// is the next run's, whose moment is returned.
    private func keepAway(_ notBefore: Timestamp?, _ stop: StopFlag) async throws -> Timestamp? {
        guard let moment = notBefore else { return nil }
        var left = (moment.microseconds - parts.context.clock.now().microseconds + 999) / 1000
        if left > Self.patience * 1000 { return moment }
        while left > 0, !stop.isRequested {
            let step = min(left, 200)
            try await parts.machine.sleep(Int(step))
            left -= step
        }
        return nil
    }

    /// The provider wants no request before `moment`: nothing is asked, and the feed stands where it stood.
    private func standBack(until moment: Timestamp, _ state: FeedState) throws -> PollOutcome {
        var total = Total()
        total.counters.notBefore = moment
        total.pause = "the provider wants no request before \(moment)"
        for resource in source.provider.resources { try leaveOut(resource, of: &total) }
        return try finish(total, state)
    }

    // MARK: The feed's state

    private func save(_ outcome: PollOutcome, _ total: Total, _ state: FeedState) throws {
        let now = parts.context.clock.now()
        let failure = outcome.failureText
        let isBaseline = outcome.isComplete && outcome.backfillComplete
        let covered = source.settings.backfillFrom ?? total.oldestHeld
        let values: [SQLValue] = [
            .int(parts.context.account), .text(source.id), .text(Feed.provider.rawValue),
            outcome.backfillComplete ? .timestamp(covered) : .null, .timestamp(outcome.watermark), .timestamp(now),
            outcome.isComplete ? .timestamp(now) : .null,
            failure == nil ? .null : .timestamp(state.failingSince ?? now), .text(failure),
            .bool(outcome.backfillComplete), isBaseline ? .int(parts.context.run) : .null, .int(total.records),
            .int(outcome.counts.lateArrivals), .json(total.counters.json),
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

    /// With settings that read what the events of a gap spoke of.
    func healing(_ gap: EventGap?) -> PollerParts {
        guard let gap else { return self }
        return PollerParts(
            context: context, settings: settings.healing(gap, now: context.clock.now()), machine: machine,
            fetch: fetch)
    }
}
