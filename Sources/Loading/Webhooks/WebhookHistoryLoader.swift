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
    static let batchSize = 20_000
    /// Bytes of bodies at which a batch is written, however few they are.
    static let batchBytes = 32 << 20

    let context: LoadContext
    let connection: Connection
    let sources: [WebhookSource]

    package init(_ context: LoadContext, _ connection: Connection, sources: [WebhookSource]) {
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
        var outcome = try judgeAgain()
        for path in try InputFile.expand(paths, endings: Self.endings) {
            let file = try InputFile(path: path)
            if try LoadedFiles.knows(file, feed: .webhook, account: context.account, on: connection) {
                outcome.skippedFiles += 1
                context.log(
                    LogLine(.info, "file skipped", [("feed", "webhook"), ("file", file.name), ("why", "known")]))
                continue
            }
            var run = WebhookFileRun(loader: self, file: file, source: source, coversUntil: coversUntil)
            outcome += try run.load()
        }
        return outcome
    }

    /// Whose delivery it is: `only`, where every delivery is that source's. Where several sources share an address, the
    /// one whose key proves it.
    func addressee(
        of delivery: WebhookDelivery, only: WebhookSource?
    ) throws(RowFault) -> (WebhookSource, SignatureCheck) {
        if let only { return (only, only.scheme.check(delivery)) }
        var candidates = sources.filter { $0.receives(delivery.url) }
        // One source without an address needs none.
        if candidates.isEmpty, sources.count == 1, sources[0].urls.isEmpty { candidates = sources }
        guard let first = candidates.first else { throw RowFault("url: belongs to no source") }
        let checks = candidates.map { ($0, $0.scheme.check(delivery)) }
        if let proven = checks.first(where: { $0.1.verdict == .valid }) { return proven }
        if candidates.count > 1 { throw RowFault("url: belongs to several sources, and no key decides") }
        return (first, checks[0].1)
    }

    /// Deliveries that were not valid are judged again by the keys of today, a last time before their bytes are cut.
    private func judgeAgain() throws -> LoadOutcome {
        var outcome = LoadOutcome()
        for source in sources {
            let proven = try PendingDelivery.proven(source, context: context, on: connection)
            if proven.isEmpty { continue }
            let counts = try connection.transaction { connection in
                try context.fence.check(on: connection)
                var numbers = try EvidenceNumbers(
                    on: connection, context: context, source: source.id)
                return try WebhookBatch(context: context, connection: connection, source: source)
                    .write(proven, numbers: &numbers)
            }
            outcome.records += proven.count
            outcome.new += counts.new
            outcome.changed += counts.changed
            outcome.duplicates += counts.duplicates
            outcome.unchanged += counts.unchanged
            context.log(
                LogLine(.info, "deliveries proven", [("source", source.id), ("deliveries", "\(proven.count)")]))
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

    /// The same without a loader.
    package static func idsBehind(
        _ connection: Connection, account: Int64, source: String, sql: SQLLibrary, unsignedCounts: Bool = false,
        since: Timestamp? = nil
    ) throws -> [String] {
        let rows = try connection.query(
            try sql.text("SQL/loading/webhooks/ids_behind.sql"),
            [.int(account), .text(source), .bool(unsignedCounts), .timestamp(since)])
        return try rows.map { try $0.text("transaction_id") }
    }
}
