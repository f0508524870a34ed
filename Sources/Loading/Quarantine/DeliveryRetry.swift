import Compression
import Crypto
import Payments
package import Postgres
import Providers

/// Tries quarantined lines of webhook captures again, from the files they stand in: a line is known by its digest.
package struct DeliveryRetry {
    private let loader: WebhookHistoryLoader

    package init(_ context: LoadContext, _ connection: Connection, sources: [WebhookSource]) {
        loader = WebhookHistoryLoader(context, connection, sources: sources)
    }

    /// `paths`: files and folders where captures lie. Throws `LoadFault`, `PostgresError` or `Fence.Lost`.
    package func run(
        _ entries: [QuarantineList.Entry], paths: [String], stop: StopFlag
    ) throws -> RetryOutcome {
        let places = FilePlaces(try InputFile.expand(paths, endings: WebhookHistoryLoader.endings))
        var outcome = RetryOutcome()
        for (name, lines) in FilePlaces.byFile(entries, &outcome) {
            var missing = lines
            for path in places.files(named: name) where !missing.isEmpty {
                if stop.isRequested {
                    outcome.isInterrupted = true
                    return outcome
                }
                try retry(path, &missing, &outcome)
            }
            let why =
                places.files(named: name).isEmpty
                ? "the file \(name) is not among the inputs" : "the line is no longer in a file \(name)"
            for entry in missing.values.joined() { outcome.reasons[entry.id] = why }
        }
        return outcome
    }

    /// Reads the wanted lines of one file; those that are what they were leave `wanted`.
    private func retry(
        _ path: String, _ wanted: inout [Int: [QuarantineList.Entry]], _ outcome: inout RetryOutcome
    ) throws {
        let file = try InputFile(path: path)
        guard let last = wanted.keys.max() else { return }
        var batch = Batch()
        do {
            let lines = LineReader(try ByteReader(path: file.path))
            while let line = try lines.next(), line.number <= last {
                guard let entries = wanted[line.number] else { continue }
                let digest: [UInt8]
                switch line {
                case .tooLong(_, _, let head): digest = Digest.sha256(head)
                case .text(_, let bytes): digest = Digest.sha256(bytes)
                }
                let same = entries.filter { $0.digest == digest }
                if same.isEmpty { continue }
                wanted[line.number] = entries.filter { $0.digest != digest }
                if wanted[line.number]?.isEmpty == true { wanted[line.number] = nil }
                take(line, same, file, &batch, &outcome)
                if batch.count >= WebhookHistoryLoader.batchSize || batch.bytes >= WebhookHistoryLoader.batchBytes {
                    try write(batch)
                    batch = Batch()
                }
            }
        } catch let fault as CompressionFault {
            throw LoadFault(.unreadable, "\(file.name): \(fault)")
        }
        try write(batch)
    }

    private struct Batch {
        var deliveries: [String: [JudgedDelivery]] = [:]
        var settled: [String] = []
        var count = 0
        var bytes = 0
    }

    private func take(
        _ line: Line, _ entries: [QuarantineList.Entry], _ file: InputFile, _ batch: inout Batch,
        _ outcome: inout RetryOutcome
    ) {
        guard case .text(let number, let bytes) = line else { return }
        func refuse(_ fault: RowFault) {
            for entry in entries { outcome.reasons[entry.id] = fault.reason }
        }
        let delivery: WebhookDelivery
        do throws(RowFault) { delivery = try DeliveryLine.read(bytes) } catch { return refuse(error) }
        do throws(DeliveryJudge.Refusal) {
            let judge = DeliveryJudge(sources: loader.sources, only: nil)
            let place = DeliveryPlace(digest: file.digest, line: number)
            let (source, judged) = try judge.judge(delivery, at: place)
            batch.deliveries[source.id, default: []].append(judged)
            batch.settled += entries.map(\.id)
            batch.count += 1
            batch.bytes += bytes.count
        } catch {
            refuse(error.fault)
        }
    }

    private func write(_ batch: Batch) throws {
        if batch.count == 0 { return }
        let context = loader.context
        let connection = loader.connection
        let moments = batch.deliveries.values.joined().map(\.receivedAt)
        for day in Set(moments.map(\.utcDate)).sorted() {
            guard let moment = moments.first(where: { $0.utcDate == day }) else { continue }
            try HistoryPartitions.ensure(on: connection, table: "webhook_delivery", covering: moment...moment)
        }
        let feed = try context.sql.text("SQL/loading/webhooks/feed.sql")
        var memory: [String: SourceMemory] = [:]
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            for source in loader.sources.sorted(by: { $0.id < $1.id }) {
                guard let deliveries = batch.deliveries[source.id] else { continue }
                var numbers = try EvidenceNumbers(on: connection, context: context, source: source.id)
                let counts = try WebhookBatch(context: context, connection: connection, source: source)
                    .write(deliveries, memory: &memory[source.id, default: SourceMemory()], numbers: &numbers)
                let times = deliveries.map(\.receivedAt)
                guard let first = times.min(), let last = times.max() else { continue }
                // What the file covers was proven by its load; a capture with a clock ahead proves nothing.
                let now = context.clock.now()
                try connection.execute(
                    feed,
                    [
                        .int(context.account), .text(source.id), .timestamp(now), .timestamp(first),
                        .timestamp(min(last, now)), .int(counts.new), .int(deliveries.count),
                        .int(counts.notEvidence),
                    ])
            }
            try QuarantineWriter(context).settle(batch.settled, on: connection)
        }
        try loader.order(&memory)
    }
}
