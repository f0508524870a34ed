import HTTP
import Loading
import Payments
import Postgres
import Providers

/// Polls every active source at once, each on a connection of its own, so that a slow or failing one holds up no other.
struct PollStep {
    let run: AccountRun
    let context: LoadContext
    let sources: SourceSet
    let connection: Connection

    func perform() async throws {
        let chosen = try sources.named(try run.workspace.arguments.value("source")).filter {
            $0.configuration.life != .retired
        }
        var work: [Work] = []
        for source in chosen {
            try Self.adopt(source, on: connection, context)
            let behind = try WebhookHistoryLoader.idsBehind(
                connection, account: context.account, source: source.name, sql: context.sql,
                unsignedCounts: source.configuration.unsignedCounts, lookBack: source.configuration.lookBackSeconds)
            let gone = try VanishedRows(context, connection, source: source.name).gone(of: source.readByID)
            work.append(
                Work(source: source, rereads: behind + (run.bytesGone[source.name] ?? []) + gone, gone: gone))
        }
        let conninfo = try run.workspace.conninfo()
        let stop = run.workspace.stop
        let since = try run.workspace.arguments.moment("since")
        let context = self.context
        let results = await withTaskGroup(of: Result.self) { group in
            for item in work {
                group.addTask { await Self.poll(item, since: since, conninfo: conninfo, context: context, stop: stop) }
            }
            var results: [Result] = []
            for await result in group { results.append(result) }
            return results.sorted { $0.source < $1.source }
        }
        for result in results { note(result) }
    }

    /// Events that name no transaction learn which one they are about, of those stored by now.
    private static func adopt(_ source: PreparedSource, on connection: Connection, _ context: LoadContext) throws {
        try EventAdoption.run(
            on: connection, context, source: source.name, kinds: source.provider.webhooks?.transactionKinds ?? [])
    }

    /// Milliseconds that the commit of what is in hand may take after a signal, the request before it included.
    private static let commitGrace = 6000

    private struct Work: Sendable {
        let source: PreparedSource
        let rereads: [String]
        /// Those among them that the provider did not know when it was last asked.
        let gone: [String]
    }

    private struct Result: Sendable {
        let source: String
        let outcome: PollOutcome?
        let failure: OperatorError?
    }

    private static func poll(_ work: Work, since: Timestamp?, conninfo: Secret, context: LoadContext, stop: StopFlag)
        async
        -> Result
    {
        let configuration = work.source.configuration
        do {
            let client = try work.source.client()
            defer { client.close() }
            let clock = MachineClock.system()
            let name = configuration.name
            let fetcher = work.source.fetcher(client, clock: clock, log: context.log)
            let connection = try Connection(conninfo.reveal(), applicationName: "tieout \(name)")
            let patience = Patience(with: connection, stop: stop, grace: commitGrace)
            defer { patience.end() }
            var handle = work.source.handle
            if let since {
                // A walk starts at the watermark less the look-back, so this reaches `since` at the latest.
                let age = (context.clock.now().microseconds - since.microseconds) / 1_000_000
                handle.settings.lookBack = max(handle.settings.lookBack, age)
            }
            let poller = Poller(
                source: handle, context: context, connection: connection, fetcher: fetcher, machine: clock)
            let outcome = try await poller.poll(rereads: work.rereads, stop: stop)
            try adopt(work.source, on: connection, context)
            try VanishedRows(context, connection, source: name).note(outcome, asked: work.gone)
            return Result(source: name, outcome: outcome, failure: nil)
        } catch let fault as PostgresError where fault.kind == .cancelled && stop.isRequested {
            return Result(
                source: configuration.name, outcome: nil, failure: OperatorError(describing: CancellationError()))
        } catch {
            return Result(source: configuration.name, outcome: nil, failure: .duringRun(error))
        }
    }

    private func note(_ result: Result) {
        if let failure = result.failure {
            run.log(
                .error, "source failed",
                [("source", result.source), ("name", failure.name), ("message", failure.message)])
            run.conditions.insert(failure.status == .tryLater ? .tryLater : .incomplete)
            return
        }
        guard let outcome = result.outcome else { return }
        var fields = [("source", result.source)]
        fields.append(("new", String(outcome.counts.new)))
        fields.append(("changed", String(outcome.counts.changed)))
        fields.append(("unchanged", String(outcome.counts.unchanged)))
        fields.append(("quarantined", String(outcome.counts.quarantined)))
        if let events = outcome.events { fields.append(("new_events", String(events.new))) }
        if let gap = outcome.eventGap { fields.append(("events", gap)) }
        fields.append(("complete_to", outcome.watermark?.wholeSeconds ?? "never"))
        switch outcome.ending {
        case .complete:
            run.log(.info, "source polled", fields)
        case .incomplete(let reasons):
            run.log(.warning, "source incomplete", fields + [("why", reasons.joined(separator: "; "))])
            run.conditions.insert(.incomplete)
        case .tryLater(let reason):
            run.log(.warning, "source asks for patience", fields + [("why", reason)])
            run.conditions.insert(.tryLater)
        case .interrupted:
            run.log(.warning, "source interrupted", fields)
            run.conditions.insert(.tryLater)
        }
        if outcome.counts.newlyQuarantined > 0 { run.conditions.insert(.quarantined) }
    }
}
