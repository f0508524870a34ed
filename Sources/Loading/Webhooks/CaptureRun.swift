import Payments
import Postgres
import Providers

/// One capture (a file, or a query's answer) on its way into the database, batch by batch: what is read and judged on
/// another thread is written here.
struct CaptureRun {
    /// What the capture brought for one source.
    struct Tally {
        var first: Timestamp
        var last: Timestamp
        var new = 0
        var deliveries = 0
        var notEvidence = 0
    }

    private let loader: WebhookHistoryLoader
    /// What messages and places in quarantine call it.
    private let name: String
    /// Of each source, as far as the capture has come.
    private(set) var tallies: [String: Tally] = [:]
    private(set) var outcome = LoadOutcome()
    private var months: Set<String> = []

    init(loader: WebhookHistoryLoader, name: String) {
        self.loader = loader
        self.name = name
    }

    /// Writes all batches of `relay`, each in a transaction of its own. `mark` is called in each transaction, with whether
    /// it is the last one: it says what the capture covers. Throws what reading threw, `LoadFault`, `PostgresError` or
    /// `Fence.Lost`; what was committed stays, and is met again as known.
    mutating func write(
        _ relay: Relay<CaptureBatch>, memory: inout [String: SourceMemory],
        mark: (CaptureRun, CaptureBatch, _ isLast: Bool, Connection) throws -> Void
    ) throws {
        defer { relay.cancel() }
        while let batch = try relay.next() {
            try loader.context.stop.check()
            // The one behind it says whether this is the last; it stays where it is, so that three batches are all that
            // is ever held: one that is written, one that waits, one that is read.
            try write(batch, isLast: try relay.isAtEnd(), memory: &memory, mark: mark)
        }
        guard outcome.accounted == outcome.records else {
            throw LoadFault(
                .countsDiffer,
                "\(name): \(outcome.records) deliveries were read, \(outcome.accounted) are accounted for")
        }
    }

    private mutating func write(
        _ batch: CaptureBatch, isLast: Bool, memory: inout [String: SourceMemory],
        mark: (CaptureRun, CaptureBatch, _ isLast: Bool, Connection) throws -> Void
    ) throws {
        let context = loader.context
        try ensurePartitions(batch)
        note(batch)
        try loader.connection.transaction { connection in
            try context.fence.check(on: connection)
            // A batch is many small steps: compiling them takes longer than doing them.
            try connection.execute("set local jit = off")
            // One order for all, so that two loads never wait for each other crosswise.
            for source in loader.sources.sorted(by: { $0.id < $1.id }) {
                guard let deliveries = batch.deliveries[source.id], !deliveries.isEmpty else { continue }
                var numbers = try EvidenceNumbers(on: connection, context: context, source: source.id)
                let writer = WebhookBatch(context: context, connection: connection, source: source)
                let counts = try writer.write(
                    deliveries, memory: &memory[source.id, default: SourceMemory()], numbers: &numbers)
                note(counts, of: source.id)
            }
            outcome.quarantined += batch.bad.count
            outcome.newlyQuarantined += try quarantine(batch.bad, on: connection)
            try mark(self, batch, isLast, connection)
        }
        context.log(
            LogLine(.debug, "loading webhooks", [("from", name), ("deliveries", String(outcome.records))]))
    }

    private mutating func ensurePartitions(_ batch: CaptureBatch) throws {
        var newest: Timestamp?
        for delivery in batch.deliveries.values.joined() {
            let moment = delivery.receivedAt
            // Most come in the order of time: a month is looked at once, not for each.
            if let newest, newest.isSameDay(as: moment) { continue }
            newest = moment
            if months.insert(String(moment.utcDate.prefix(7))).inserted {
                try HistoryPartitions.ensure(
                    on: loader.connection, table: "webhook_delivery", covering: moment...moment)
            }
        }
    }

    private mutating func note(_ batch: CaptureBatch) {
        outcome.records += batch.records
        for (source, deliveries) in batch.deliveries {
            for delivery in deliveries {
                let moment = delivery.receivedAt
                var tally = tallies[source] ?? Tally(first: moment, last: moment)
                tally.first = min(tally.first, moment)
                tally.last = max(tally.last, moment)
                tally.deliveries += 1
                tallies[source] = tally
            }
        }
    }

    private mutating func note(_ counts: WebhookBatch.Counts, of source: String) {
        outcome.new += counts.new
        outcome.changed += counts.changed
        outcome.duplicates += counts.duplicates
        outcome.unchanged += counts.unchanged
        outcome.unknownStatuses += counts.unknownStatuses
        tallies[source]?.new += counts.new
        tallies[source]?.notEvidence += counts.notEvidence
    }

    private func quarantine(_ records: [BadRecord], on connection: Connection) throws -> Int {
        if records.isEmpty { return 0 }
        let quarantine = FileQuarantine(context: loader.context, connection: connection, feed: .webhook)
        try quarantine.prepare()
        try quarantine.add(records, file: name)
        return try quarantine.store()
    }

    /// What the feeds cover now. `until`: the capture is complete up to there; nil: up to its newest delivery, whichever
    /// of the sources it holds that is of.
    func saveFeeds(until: Timestamp?, on connection: Connection) throws {
        let context = loader.context
        let statement = try context.sql.text("SQL/loading/webhooks/feed.sql")
        let now = context.clock.now()
        guard let newest = covers?.upperBound else { return }
        for (source, tally) in tallies.sorted(by: { $0.key < $1.key }) {
            // A capture whose clock was ahead proves nothing about what is still to come.
            let until = until ?? min(newest, now)
            try connection.execute(
                statement,
                [
                    .int(context.account), .text(source), .timestamp(now), .timestamp(tally.first), .timestamp(until),
                    .int(tally.new), .int(tally.deliveries), .int(tally.notEvidence),
                ])
        }
    }

    /// From the first to the last delivery; nil: there was none.
    var covers: ClosedRange<Timestamp>? {
        guard let first = tallies.values.map(\.first).min(), let last = tallies.values.map(\.last).max() else {
            return nil
        }
        return first...last
    }
}

extension Timestamp {
    fileprivate func isSameDay(as other: Timestamp) -> Bool {
        let day: Int64 = 86_400_000_000
        return microseconds / day == other.microseconds / day
    }
}
