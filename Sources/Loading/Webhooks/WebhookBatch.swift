import Payments
import Postgres
import Providers

/// Writes deliveries of one source, set-based, within the caller's transaction. Whatever the order in which deliveries
/// and files come, and however often, the tables end up the same: an event is judged over all of its deliveries.
///
/// Events that nobody knew go straight into their tables by COPY; those that are known are judged in the database, over
/// what it holds and what has come.
struct WebhookBatch {
    /// What a batch did, in deliveries.
    struct Counts {
        var new = 0
        var changed = 0
        var duplicates = 0
        var unchanged = 0
        var notEvidence = 0
        var unknownStatuses = 0
    }

    /// Exact bytes of events that are not valid wait this long for a key.
    static let patience: Int64 = 30 * 86_400

    let context: LoadContext
    let connection: Connection
    let source: WebhookSource
    /// Ledger time of the batch.
    let now: Timestamp
    let key: [SQLValue]

    init(context: LoadContext, connection: Connection, source: WebhookSource) {
        self.context = context
        self.connection = connection
        self.source = source
        now = context.clock.now()
        key = [.int(context.account), .text(source.id)]
    }

    @discardableResult
    func run(_ name: String, _ values: [SQLValue] = []) throws -> Int {
        try connection.execute(try text(name), values)
    }

    func text(_ name: String) throws -> String { try context.sql.text("SQL/loading/webhooks/\(name).sql") }

    /// Holds the source's feed until the transaction ends. Returns the batch's number, counted by everybody who writes.
    func lock() throws -> Int64 {
        try connection.query(try text("lock_feed"), key + [.timestamp(now)]).only().int("batches")
    }

    /// `numbers` hands out the source's evidence packs; `memory` is the loader's, of this source.
    func write(
        _ deliveries: [JudgedDelivery], memory: inout SourceMemory, numbers: inout EvidenceNumbers
    ) throws -> Counts {
        try memory.begin(batch: try lock()) {
            !(try connection.query(try text("has_events"), key).only().bool("has_events"))
        }
        let fold = EventFold(deliveries)
        let (fresh, known) = try split(fold.events, memory)
        let touched = touched(fold.events, &memory)
        for event in fresh { memory.remember(event.key) }
        memory.growth.count(fresh.count)

        var counts = Counts()
        counts.unchanged = deliveries.count - fold.count
        var waiting: [JudgedDelivery] = []
        try write(fresh: fresh, &counts, numbers: &numbers, waiting: &waiting)
        if !known.isEmpty, memory.growth.isTimeToMeasure() { try knowSizes() }
        let changed = try write(known: known, &counts, numbers: &numbers, waiting: &waiting)
        if !touched.isEmpty { try run("touch", key + [.textArray(Array(touched))]) }
        try keep(waiting, with: changed)
        for table in changed ? ["landed", "every"] : [] {
            try connection.execute("drop table pg_temp.webhook_\(table)")
        }
        try run("count_feed", key + [.int(counts.new)])
        return counts
    }

    /// Which events nobody knows, and which are known or may be.
    private func split(
        _ events: [EventFold.Event], _ memory: SourceMemory
    ) throws -> (fresh: [EventFold.Event], known: [EventFold.Event]) {
        var fresh: [EventFold.Event] = []
        var known: [EventFold.Event] = []
        if memory.isComplete {
            for event in events {
                if memory.mayHold(event.key) { known.append(event) } else { fresh.append(event) }
            }
            return (fresh, known)
        }
        let rows = try connection.query(try text("known_events"), key + [.textArray(events.map(\.key))])
        let keys = Set(try rows.map { try $0.text("event_key") })
        for event in events {
            if keys.contains(event.key) { known.append(event) } else { fresh.append(event) }
        }
        return (fresh, known)
    }

    /// Transactions whose events the batch may have put out of order.
    private func touched(_ events: [EventFold.Event], _ memory: inout SourceMemory) -> Set<String> {
        var touched: Set<String> = []
        for event in events {
            event.forEach { delivery in
                guard let transaction = delivery.event.transactionID, let time = delivery.event.eventTime else {
                    return
                }
                let isOut = memory.isOutOfLine(transaction, eventTime: time, receivedAt: delivery.receivedAt)
                if isOut { touched.insert(transaction) }
            }
        }
        return touched
    }

    /// Whether transactions wait to be put in order.
    func hasUnordered() throws -> Bool {
        try connection.query(try text("has_unordered"), key).only().bool("has_unordered")
    }

    /// Puts the events of transactions in order that this load or a killed one has touched; the source's feed is locked.
    func order(memory: inout SourceMemory) throws {
        if memory.growth.isTimeToMeasure() { try knowSizes() }
        try run("order", key + [.bool(source.unsignedCounts), .timestamp(now)])
        try run("end_unordered", key)
    }

    private func knowSizes() throws {
        try connection.execute(TableStatistics.fewSamples)
        try run("know_sizes")
    }

    /// Exact bytes that wait for a key, and those that need not any longer. `changed`: known events were judged anew.
    private func keep(_ waiting: [JudgedDelivery], with changed: Bool) throws {
        if !waiting.isEmpty {
            try connection.script(try text("waiting_table"))
            let columns = ["event_key", "received_at", "body_digest", "delivery", "body"]
            try connection.copyIn("pg_temp.webhook_waiting", columns: columns) { writer in
                for delivery in waiting {
                    try writer.row()
                    try writer.write(delivery.event.eventKey)
                    try writer.write(delivery.receivedAt)
                    try writer.write(bytes: delivery.bodyDigest)
                    try writer.write(PendingDelivery.text(delivery))
                    try writer.write(bytes: delivery.body)
                }
            }
            let expiry = now.adding(seconds: Self.patience)
            try run("keep_waiting", key + [.timestamp(expiry), .bool(source.unsignedCounts)])
            try connection.execute("drop table pg_temp.webhook_waiting")
        }
        if changed { try run("end_waiting", key) }
    }

    /// An open record in quarantine of an event whose good and proven delivery is here is over.
    func clearQuarantine(_ deliveries: some Sequence<JudgedDelivery>) throws {
        let open =
            "select 1 from tieout.quarantine where account_id = $1 and source_id = $2 and feed = 'webhook' and state = 'open' limit 1"
        if try connection.query(open, key).isEmpty { return }
        let keys = Set(deliveries.filter(\.isEvidence).map(\.event.eventKey))
        if keys.isEmpty { return }
        try run("clear_quarantine", key + [.timestamp(now), .textArray(Array(keys))])
    }
}
