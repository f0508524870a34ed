import Compression
import Crypto
import Payments
import Postgres
import Providers

/// One webhook file on its way into the database, batch by batch.
struct WebhookFileRun {
    /// What the file brought for one source.
    private struct Tally {
        var first: Timestamp
        var last: Timestamp
        var new = 0
        var deliveries = 0
        var notEvidence = 0
    }

    private let loader: WebhookHistoryLoader
    private let file: InputFile
    private let only: WebhookSource?
    private let coversUntil: Timestamp?
    private var waiting: [String: [JudgedDelivery]] = [:]
    private var bad: [BadRecord] = []
    private var held = 0
    private var heldBytes = 0
    private var tallies: [String: Tally] = [:]
    private var outcome = LoadOutcome()
    private var months: Set<String> = []

    init(loader: WebhookHistoryLoader, file: InputFile, source: String?, coversUntil: Timestamp?) {
        self.loader = loader
        self.file = file
        self.coversUntil = coversUntil
        only = source.flatMap { id in loader.sources.first { $0.id == id } }
    }

    mutating func load() throws -> LoadOutcome {
        outcome.files = 1
        do {
            let lines = LineReader(try ByteReader(path: file.path))
            while let line = try lines.next() {
                take(line)
                if held >= WebhookHistoryLoader.batchSize || heldBytes >= WebhookHistoryLoader.batchBytes {
                    try flush(isLast: false)
                }
            }
        } catch let fault as CompressionFault {
            throw LoadFault(.unreadable, "\(file.name): \(fault)")
        }
        try flush(isLast: true)
        guard outcome.accounted == outcome.records else {
            throw LoadFault(
                .countsDiffer,
                "\(file.name): \(outcome.records) lines were read, \(outcome.accounted) are accounted for")
        }
        loader.context.log(
            LogLine(
                .info, "file loaded",
                [
                    ("feed", "webhook"), ("file", file.name), ("records", "\(outcome.records)"),
                    ("new", "\(outcome.new)"), ("changed", "\(outcome.changed)"),
                    ("duplicates", "\(outcome.duplicates)"), ("unchanged", "\(outcome.unchanged)"),
                    ("quarantined", "\(outcome.quarantined)"),
                ]))
        return outcome
    }

    private mutating func take(_ line: Line) {
        switch line {
        case .tooLong(let number, let length, let head):
            outcome.records += 1
            refuse(RowFault("line: longer than a delivery can be"), source: only, number, length, Digest.sha256(head))
        case .text(let number, let bytes):
            // An empty line is no delivery.
            if bytes.allSatisfy({ $0 == 32 || $0 == 9 }) { return }
            outcome.records += 1
            held += 1
            heldBytes += bytes.count
            judge(bytes, number)
        }
    }

    private mutating func judge(_ bytes: [UInt8], _ number: Int) {
        var source = only
        do throws(RowFault) {
            let delivery = try DeliveryLine.read(bytes)
            let (found, check) = try loader.addressee(of: delivery, only: only)
            source = found
            let judged = try JudgedDelivery(
                delivery, source: found, check: check, file: file.digest, line: number)
            waiting[found.id, default: []].append(judged)
            let moment = delivery.receivedAt
            var tally = tallies[found.id] ?? Tally(first: moment, last: moment)
            tally.first = min(tally.first, moment)
            tally.last = max(tally.last, moment)
            tally.deliveries += 1
            tallies[found.id] = tally
        } catch {
            refuse(error, source: source, number, bytes.count, Digest.sha256(bytes))
        }
    }

    private mutating func refuse(
        _ fault: RowFault, source: WebhookSource?, _ line: Int, _ length: Int, _ digest: [UInt8]
    ) {
        // What the database cannot hold as text names nothing.
        let id = fault.recordID.flatMap { $0.utf8.contains(0) ? nil : $0 }
        bad.append(
            BadRecord(
                source: source?.id, recordID: id, references: fault.references.map(\.description).sorted(),
                reason: fault.reason, line: line, length: length, digest: digest))
    }

    private mutating func flush(isLast: Bool) throws {
        let context = loader.context
        let connection = loader.connection
        let moments = waiting.values.joined().map(\.delivery.receivedAt)
        for moment in moments where months.insert(String(moment.utcDate.prefix(7))).inserted {
            try HistoryPartitions.ensure(on: connection, table: "webhook_delivery", covering: moment...moment)
        }
        let batch = waiting
        let records = bad
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            var counts: [String: WebhookBatch.Counts] = [:]
            // One order for all, so that two loads never wait for each other crosswise.
            for source in loader.sources.sorted(by: { $0.id < $1.id }) {
                guard let deliveries = batch[source.id], !deliveries.isEmpty else { continue }
                var numbers = try EvidenceNumbers(
                    on: connection, context: context, source: source.id)
                let writer = WebhookBatch(context: context, connection: connection, source: source)
                counts[source.id] = try writer.write(deliveries, numbers: &numbers)
            }
            let fresh = try quarantine(records, on: connection)
            note(counts, newlyQuarantined: fresh)
            if isLast { try finish(on: connection) }
        }
        context.log(
            LogLine(.debug, "loading webhooks", [("file", file.name), ("deliveries", String(outcome.records))]))
        waiting.removeAll(keepingCapacity: true)
        bad.removeAll(keepingCapacity: true)
        held = 0
        heldBytes = 0
    }

    private func quarantine(_ records: [BadRecord], on connection: Connection) throws -> Int {
        if records.isEmpty { return 0 }
        let quarantine = FileQuarantine(context: loader.context, connection: connection, feed: .webhook)
        try quarantine.prepare()
        try quarantine.add(records, file: file)
        return try quarantine.store()
    }

    private mutating func note(_ counts: [String: WebhookBatch.Counts], newlyQuarantined: Int) {
        for (source, counts) in counts {
            outcome.new += counts.new
            outcome.changed += counts.changed
            outcome.duplicates += counts.duplicates
            outcome.unchanged += counts.unchanged
            outcome.unknownStatuses += counts.unknownStatuses
            tallies[source]?.new += counts.new
            tallies[source]?.notEvidence += counts.notEvidence
        }
        outcome.quarantined += bad.count
        outcome.newlyQuarantined += newlyQuarantined
    }

    /// The file's last batch says what the feed covers now and that the file is known.
    private func finish(on connection: Connection) throws {
        let context = loader.context
        let statement = try context.sql.text("SQL/loading/webhooks/feed.sql")
        let now = context.clock.now()
        for (source, tally) in tallies.sorted(by: { $0.key < $1.key }) {
            // A capture whose clock was ahead proves nothing about what is still to come.
            let until = coversUntil ?? min(tally.last, now)
            try connection.execute(
                statement,
                [
                    .int(context.account), .text(source), .timestamp(now), .timestamp(tally.first),
                    .timestamp(until), .int(tally.new), .int(tally.deliveries),
                    .int(tally.notEvidence),
                ])
        }
        var covers: ClosedRange<Timestamp>?
        if let first = tallies.values.map(\.first).min(), let last = tallies.values.map(\.last).max() {
            covers = first...last
        }
        try LoadedFiles.remember(
            file, feed: .webhook, records: outcome.records, quarantined: outcome.quarantined, covers: covers,
            until: coversUntil, context: context, on: connection)
    }
}
