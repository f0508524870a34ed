import Foundation
import HTTP
import Loading
import Payments
import Postgres
import Providers
import Synchronization

/// Tries quarantined records again, each from where its bytes are: the kept text, the provider, or a line of a file.
struct RetryStep {
    let run: AccountRun
    let context: LoadContext
    let sources: SourceSet
    let connection: Connection

    /// Returns the tried records as they stand afterwards, with the state of each.
    func perform(_ entries: [QuarantineList.Entry]) async throws -> [QuarantineList.Entry] {
        var outcome = RetryOutcome()
        let byFeed = Dictionary(grouping: entries, by: \.feed)
        let files = run.workspace.arguments.all("file")
        if let bad = byFeed[Feed.book.rawValue] {
            var options = BookOptions()
            options.encoding = try run.workspace.arguments.value("encoding") ?? options.encoding
            let paths = files.isEmpty ? try run.account.orders.flatMap(LoadStep.bookFiles) : files
            outcome += try FileRetry(context, connection, feed: .book).run(
                bad, paths: paths, stop: run.workspace.stop
            ) { path, moment in
                options.exportedAt = moment
                // The moment stands for the load too: coverage stays as it was.
                options.coversUntil = nil
                _ = try BookLoader(context, connection).load(path: path, options: options, again: true)
            }
        }
        if let bad = byFeed[Feed.settlement.rawValue] { outcome += try retrySettlements(bad, files) }
        if let bad = byFeed[Feed.webhook.rawValue] {
            let retry = DeliveryRetry(context, connection, sources: try sources.webhookEndpoints())
            outcome += try retry.run(
                bad, paths: files.isEmpty ? run.account.webhooks : files, stop: run.workspace.stop)
        }
        let elements = Dictionary(grouping: byFeed[Feed.provider.rawValue] ?? [], by: \.source)
        for (name, bad) in elements.sorted(by: { $0.key < $1.key }) {
            guard let source = sources.all.first(where: { $0.name == name }) else {
                for entry in bad { outcome.reasons[entry.id] = "source \(name) is not configured any more" }
                continue
            }
            outcome += try await retry(source, bad)
        }
        let lines = try RetryTrail(context, connection).close(entries, outcome, actor: NSUserName())
        note(lines, outcome)
        return lines.map(\.entry)
    }

    /// Each file is read as its source's files in the configuration are written.
    private func retrySettlements(_ entries: [QuarantineList.Entry], _ files: [String]) throws -> RetryOutcome {
        var outcome = RetryOutcome()
        let encoding = try run.workspace.arguments.value("encoding")
        let decimal = try run.workspace.arguments.word("decimal", SettlementOptions.DecimalMark.self)
        for (source, bad) in Dictionary(grouping: entries, by: \.source).sorted(by: { $0.key < $1.key }) {
            let settings = run.account.settlements.filter { $0.options.source == source }
            var options = settings.first?.options ?? SettlementOptions(source: source)
            options.encoding = encoding ?? options.encoding
            options.decimal = decimal ?? options.decimal
            let inputs =
                files.isEmpty
                ? try SettlementInput.configured(run.account, source: source)
                : try SettlementInput.named(files, run.account, options)
            let names = Dictionary(inputs.map { ($0.path, $0.name) }) { first, _ in first }
            outcome += try FileRetry(context, connection, feed: .settlement, source: source).run(
                bad, paths: inputs.map(\.path), stop: run.workspace.stop
            ) { path, moment in
                options.exportedAt = moment
                _ = try SettlementLoader(context, connection).load(
                    path: path, as: names[path], options: options, again: true)
            }
        }
        return outcome
    }

    private func retry(_ source: PreparedSource, _ entries: [QuarantineList.Entry]) async throws -> RetryOutcome {
        let machine = MachineClock.system()
        let client = try source.client()
        defer { client.close() }
        let fetcher = source.fetcher(client, clock: machine, log: context.log)
        return try await ElementRetry(
            source: source.handle, context: context, connection: connection, machine: machine,
            isOffline: source.configuration.life == .retired
        ) { request, expected async throws(HTTPError) in
            try await fetcher.fetch(request, accepting: expected)
        }.run(entries, stop: run.workspace.stop)
    }

    private func note(_ lines: [RetryTrail.Line], _ outcome: RetryOutcome) {
        let cleared = lines.count { $0.isCleared }
        let kept = lines.count { $0.entry.state == "open" }
        run.log(
            kept == 0 ? .info : .warning, "quarantine tried again",
            [("records", String(lines.count)), ("taken_in", String(cleared)), ("kept", String(kept))])
        if kept > 0 { run.conditions.insert(.quarantined) }
        if outcome.isInterrupted || outcome.isRateLimited { run.conditions.insert(.tryLater) }
        guard let failure = outcome.failure else { return }
        run.log(.warning, "source failed", [("message", failure)])
        if !outcome.isRateLimited { run.conditions.insert(.incomplete) }
    }
}

extension PreparedSource {
    /// A client of its own for this source's connections.
    func client() throws(HTTPError) -> HTTPClient {
        var settings = HTTPConfiguration()
        settings.caFile = configuration.caFile
        if let seconds = configuration.stallSeconds { settings.lowSpeedTime = .seconds(seconds) }
        if let seconds = configuration.requestSeconds { settings.totalTimeout = .seconds(seconds) }
        settings.userAgent = "tieout/\(CommandLineTool.version)"
        return try HTTPClient(settings)
    }

    /// Requests within the source's budget; each one that is sent again is logged.
    func fetcher(_ client: HTTPClient, clock: MachineClock, log: @escaping @Sendable (LogLine) -> Void) -> Fetcher {
        let name = configuration.name
        var policy = RetryPolicy()
        policy.alsoTransient = provider.declaration.retriedStatuses
        policy.verdictHeader = provider.declaration.retryHeader
        return Fetcher(
            client: client, policy: policy, budget: RateBudget([rate], clock: clock), clock: clock,
            prepare: preparer(clock)
        ) { retry in
            log(
                LogLine(
                    .warning, "request again",
                    [
                        ("source", name), ("request", retry.request), ("attempt", String(retry.attempt)),
                        ("reason", "\(retry.reason)"), ("pause_ms", String(retry.pauseMilliseconds)),
                    ]))
        }
    }
    /// As configured, else as the provider declares.
    private var rate: RateLimit {
        if let permits = configuration.requestsPerMinute {
            return .paced(permits: permits, per: .seconds(60), burst: max(1, permits / 10))
        }
        let budget = provider.declaration.budget
        if budget.isQuota { return .window(permits: budget.requests, per: .seconds(budget.seconds)) }
        return .paced(
            permits: budget.requests, per: .seconds(budget.seconds), burst: max(1, budget.requests / budget.seconds))
    }

    /// Requests of a minute on average, for forecasts.
    var requestsPerMinute: Int {
        let budget = provider.declaration.budget
        return configuration.requestsPerMinute ?? max(1, budget.requests * 60 / max(1, budget.seconds))
    }

    /// Signs each attempt where the provider wants that.
    func preparer(_ clock: MachineClock) -> Fetcher.Preparer {
        guard let signer = provider.signer else { return { request throws(HTTPError) in request } }
        let moments = SigningMoments(clock)
        return { request throws(HTTPError) in
            do throws(SigningFault) {
                return try signer.sign(request, at: moments.next())
            } catch {
                throw HTTPError(.invalid("signature: \(error)"), request)
            }
        }
    }
}

/// Moments of one source's requests, no two of which share their milliseconds.
private final class SigningMoments: Sendable {
    private let clock: MachineClock
    private let last = Mutex<Int64>(0)

    init(_ clock: MachineClock) { self.clock = clock }

    func next() -> SigningMoment {
        let now = clock.wall()
        let unique = last.withLock { last in
            last = max(last + 1, now.microseconds / 1000)
            return last
        }
        let random = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        return SigningMoment(now: now, uniqueMilliseconds: unique, random: random)
    }
}
