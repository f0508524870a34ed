import Compression
import Crypto
package import Payments
package import Postgres
import Providers

/// Loads captured webhook deliveries from JSON Lines files. Signatures are checked over the exact bytes at load, against
/// the time of receipt. A batch is one transaction; a file that was loaded in part simply loads again.
package struct WebhookHistoryLoader {
    /// Files that a directory is searched for.
    package static let endings = [".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".json", ".json.gz"]
    /// Three batches are in memory at most: one is read, one waits, one is written.
    package static let batchSize = 10_000
    /// Bytes of bodies at which a batch is written, however few they are.
    static let batchBytes = 32 << 20

    let context: LoadContext
    let connection: Connection
    let sources: [WebhookSource]
    /// Deliveries at which a batch is written.
    let batchSize: Int

    package init(
        _ context: LoadContext, _ connection: Connection, sources: [WebhookSource],
        batchSize: Int = WebhookHistoryLoader.batchSize
    ) {
        self.batchSize = batchSize
        self.context = context
        self.connection = connection
        self.sources = sources
    }

    /// Loads files, folders and `-` (standard input). `source`: all deliveries are this source's, whatever their URL;
    /// nil: the configured URL decides. `coversUntil`: the capture is complete up to there; nil: up to its newest
    /// delivery. Throws `LoadFault`, `PostgresError` or `Fence.Lost`.
    package func load(paths: [String], source: String? = nil, coversUntil: Timestamp? = nil) throws -> LoadOutcome {
        if let source, !sources.contains(where: { $0.id == source }) {
            throw LoadFault(.usage, "no source \(source) with webhooks is configured")
        }
        let only = source.flatMap { id in sources.first { $0.id == id } }
        var memory: [String: SourceMemory] = [:]
        var outcome = try judgeAgain(&memory)
        for path in try InputFile.expand(paths, endings: Self.endings) {
            let file = try InputFile(path: path)
            if try LoadedFiles.knows(file, feed: .webhook, account: context.account, on: connection) {
                outcome.skippedFiles += 1
                context.log(
                    LogLine(.info, "file skipped", [("feed", "webhook"), ("file", file.name), ("why", "known")]))
                continue
            }
            outcome += try load(file, only: only, coversUntil: coversUntil, memory: &memory)
        }
        try order(&memory)
        return outcome
    }

    /// Reads captures from queries on the merchant's own database, each from where its last reading ended. Throws what
    /// `load(paths:)` throws; a `LoadFault` names the query.
    package func load(queries: [MerchantQuery]) throws -> LoadOutcome {
        var memory: [String: SourceMemory] = [:]
        var outcome = LoadOutcome()
        for query in queries { outcome += try load(query, memory: &memory) }
        try order(&memory)
        return outcome
    }

    private func load(_ query: MerchantQuery, memory: inout [String: SourceMemory]) throws -> LoadOutcome {
        if let source = query.source, !sources.contains(where: { $0.id == source }) {
            throw LoadFault(.usage, "\(query.name): no source \(source) with webhooks is configured")
        }
        // Before the snapshot is taken: what is committed later may be missing.
        let snapshot = context.clock.now()
        let positions = ReadPositions(context: context, connection: connection, feed: .webhook)
        let only = query.source.flatMap { id in sources.first { $0.id == id } }
        let table = CaptureTable(
            query: query, judge: DeliveryJudge(sources: sources, only: only), batchSize: batchSize,
            stored: try positions.stored(query))
        var run = CaptureRun(loader: self, name: query.name)
        let relay = Relay<CaptureBatch>(label: "tieout.capture") { put in try table.read(put) }
        do {
            try run.write(relay, memory: &memory) { run, batch, isLast, connection in
                if isLast { try run.saveFeeds(until: snapshot, on: connection) }
                var shown = Set(run.tallies.keys)
                if let only { shown.insert(only.id) }
                try positions.save(
                    query, position: batch.position, sources: Array(shown), snapshot: snapshot, isWhole: isLast)
            }
        } catch let fault as LoadFault where fault.kind == .unreadable {
            try positions.note(fault, of: query)
            throw fault
        }
        log("query read", query.name, run.outcome)
        return run.outcome
    }

    /// Says of events, over all that is known of their transactions now, which came out of order.
    func order(_ memory: inout [String: SourceMemory]) throws {
        for source in sources {
            try connection.transaction { connection in
                try context.fence.check(on: connection)
                let batch = WebhookBatch(context: context, connection: connection, source: source)
                guard try batch.hasUnordered() else { return }
                _ = try batch.lock()
                try connection.execute("set local jit = off")
                try batch.order(memory: &memory[source.id, default: SourceMemory()])
            }
        }
    }

    private func load(
        _ file: InputFile, only: WebhookSource?, coversUntil: Timestamp?, memory: inout [String: SourceMemory]
    ) throws -> LoadOutcome {
        var run = CaptureRun(loader: self, name: file.name)
        let relay = Relay(file, DeliveryJudge(sources: sources, only: only), batchSize: batchSize)
        try run.write(relay, memory: &memory) { run, _, isLast, connection in
            guard isLast else { return }
            // The file's last batch says what the feed covers now and that the file is known.
            try run.saveFeeds(until: coversUntil, on: connection)
            try LoadedFiles.remember(
                file, feed: .webhook, records: run.outcome.records, quarantined: run.outcome.quarantined,
                covers: run.covers, until: coversUntil, context: context, on: connection)
        }
        var outcome = run.outcome
        outcome.files = 1
        log("file loaded", file.name, outcome)
        return outcome
    }

    func log(_ what: String, _ name: String, _ outcome: LoadOutcome) {
        context.log(
            LogLine(
                .info, what,
                [
                    ("feed", "webhook"), ("file", name), ("records", "\(outcome.records)"),
                    ("new", "\(outcome.new)"), ("changed", "\(outcome.changed)"),
                    ("duplicates", "\(outcome.duplicates)"), ("unchanged", "\(outcome.unchanged)"),
                    ("quarantined", "\(outcome.quarantined)"),
                ]))
    }

    /// Deliveries that were not valid are judged again where keys have changed, a last time before their bytes are cut.
    private func judgeAgain(_ memory: inout [String: SourceMemory]) throws -> LoadOutcome {
        var outcome = LoadOutcome()
        for source in sources {
            let review = PendingReview(context: context, connection: connection, source: source)
            let proven = try review.run(memory: &memory[source.id, default: SourceMemory()])
            if proven.records == 0 { continue }
            outcome += proven
            context.log(
                LogLine(
                    .info, "deliveries proven", [("source", source.id), ("deliveries", "\(proven.records)")]))
        }
        try cutExpired()
        return outcome
    }

    /// The exact bytes of what could not be proven in time.
    private func cutExpired() throws {
        let statement = try context.sql.text("SQL/loading/webhooks/cut_expired.sql")
        let cut = try connection.transaction { connection in
            try context.fence.check(on: connection)
            return try connection.execute(statement, [.int(context.account), .timestamp(context.clock.now())])
        }
        if cut > 0 { context.log(LogLine(.info, "unproven bodies cut", [("bodies", "\(cut)")])) }
    }

    /// Ids of transactions that valid events know better than the poll does: never polled, or behind the event. They are
    /// to be read again in the same run. `since`: only events that became known from then on; nil: all.
    package func idsBehind(source: String, since: Timestamp? = nil) throws -> [String] {
        let unsigned = sources.first { $0.id == source }?.unsignedCounts ?? false
        return try Self.idsBehind(
            connection, account: context.account, source: source, sql: context.sql, unsignedCounts: unsigned,
            since: since)
    }

    /// The same without a loader. `lookBack` in seconds before the last complete poll: an event that was known before then
    /// has had its answer, and a record that the provider does not know is not asked for any more.
    package static func idsBehind(
        _ connection: Connection, account: Int64, source: String, sql: SQLLibrary, unsignedCounts: Bool,
        lookBack: Int64 = PollSettings().lookBack, since: Timestamp? = nil
    ) throws -> [String] {
        let rows = try connection.query(
            try sql.text("SQL/loading/webhooks/ids_behind.sql"),
            [.int(account), .text(source), .bool(unsignedCounts), .timestamp(since), .int(lookBack)])
        return try rows.map { try $0.text("transaction_id") }
    }
}
