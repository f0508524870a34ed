import Crypto
import JSON
import Payments
import Postgres
import Providers

/// Takes fetched events in beside the captured ones: an event is one, however often and in whichever way it came.
struct EventStore {
    private let context: LoadContext
    private let connection: Connection
    private let lister: any EventLister
    private let source: WebhookSource
    /// Ledger time at which this run's reading began: the arrival of all that it fetches.
    private let receivedAt: Timestamp
    private var memory = SourceMemory()
    /// What this run has met already: the head of the list is looked at again when a walk has come to its end.
    private var met: Set<Int> = []
    private(set) var counts = EventCounts()

    init(
        _ connection: Connection, _ context: LoadContext, lister: any EventLister, source: WebhookSource,
        receivedAt: Timestamp
    ) throws {
        self.connection = connection
        self.context = context
        self.lister = lister
        self.source = source
        self.receivedAt = receivedAt
        try HistoryPartitions.ensure(
            on: connection, table: "webhook_delivery", covering: receivedAt...receivedAt)
    }

    private var key: [SQLValue] { [.int(context.account), .text(source.id)] }

    /// Stores `elements` with the position behind them, in one transaction. Throws `PostgresError`, `LoadFault` or
    /// `Fence.Lost`.
    mutating func commit(_ elements: [JSONValue], _ point: WalkCheckpoint?, walk: String) throws {
        var fetched: [JudgedDelivery] = []
        var bad: [QuarantinedRecord] = []
        for element in elements {
            if met.count < SourceMemory.capacity, !met.insert(element.sourceBytes.hashValue).inserted { continue }
            counts.fetched += 1
            do throws(RowFault) {
                guard let event = try lister.event(element) else {
                    counts.foreign += 1
                    continue
                }
                let place = DeliveryPlace(digest: [], line: counts.fetched)
                fetched.append(
                    try JudgedDelivery(
                        fetched: event, receivedAt: receivedAt,
                        kept: lister.redaction(ofKind: event.kind).kept(element).bytes,
                        compared: lister.comparison(ofKind: event.kind).kept(element).bytes, place: place))
            } catch {
                bad.append(record(element, error))
            }
        }
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            try connection.execute("set local jit = off")
            let fresh = try unknown(fetched)
            counts.unchanged += fetched.count - fresh.count
            if !fresh.isEmpty {
                var numbers = try EvidenceNumbers(on: connection, context: context, source: source.id)
                let batch = WebhookBatch(context: context, connection: connection, source: source)
                counts += try batch.write(fresh, memory: &memory, numbers: &numbers)
            }
            counts.quarantined += bad.count
            counts.newlyQuarantined += try quarantine(bad, on: connection)
            let change: CheckpointChange =
                point.map { .save(resource: EventState.resource, walk: walk, $0) }
                ?? .drop(resource: EventState.resource, walk: walk)
            try change.apply(on: connection, context: context, source: source.id, now: context.clock.now())
        }
    }

    /// Says of events, over all that is known of their transactions now, which came out of order.
    mutating func order() throws {
        let loader = WebhookHistoryLoader(context, connection, sources: [source])
        var memories = [source.id: memory]
        try loader.order(&memories)
        memory = memories[source.id] ?? memory
    }

    /// Those that were not fetched before as they are now.
    private func unknown(_ fetched: [JudgedDelivery]) throws -> [JudgedDelivery] {
        if fetched.isEmpty { return [] }
        // What the list shows was fetched since it came into being, and it was in the list for so many days at most.
        let oldest = fetched.compactMap(\.event.eventTime).min() ?? receivedAt
        let known = try connection.query(
            try context.sql.text("SQL/loading/events/fetched.sql"),
            key + [
                .textArray(fetched.map(\.event.eventKey)), .bytesArray(fetched.map(\.bodyDigest)),
                .timestamp(oldest.adding(seconds: -WalkPlan.overlap)),
            ])
        let places = Set(try known.map { Int(try $0.int("place")) - 1 })
        return fetched.indices.filter { !places.contains($0) }.map { fetched[$0] }
    }

    private func record(_ element: JSONValue, _ fault: RowFault) -> QuarantinedRecord {
        let kind = element["type"]?.string
        let isUsable = element.isReadable && !element.hasDuplicateKeys && element.isObject
        let compared = lister.comparison(ofKind: kind).kept(element).bytes
        let id = fault.recordID.flatMap { $0.utf8.contains(0) ? nil : $0 }
        return QuarantinedRecord(
            source: source.id, feed: .webhook, reason: fault.reason, recordID: id, references: fault.references,
            place: "event list",
            raw: isUsable ? String(decoding: lister.redaction(ofKind: kind).kept(element).bytes, as: UTF8.self) : nil,
            length: element.sourceBytes.count, digest: Digest.sha256(compared))
    }

    private func quarantine(_ records: [QuarantinedRecord], on connection: Connection) throws -> Int {
        if records.isEmpty { return 0 }
        return try QuarantineWriter(context).write(records, on: connection).count
    }
}

/// What reading an event list came to, in events.
package struct EventCounts: Sendable, Hashable {
    package var fetched = 0
    /// Of other products of the account: not stored.
    package var foreign = 0
    package var new = 0
    package var changed = 0
    /// Known by a captured delivery, and fetched for the first time.
    package var confirmed = 0
    package var unchanged = 0
    package var quarantined = 0
    package var newlyQuarantined = 0

    static func += (counts: inout EventCounts, batch: WebhookBatch.Counts) {
        counts.new += batch.new
        counts.changed += batch.changed
        counts.confirmed += batch.duplicates
        counts.unchanged += batch.unchanged
    }
}
