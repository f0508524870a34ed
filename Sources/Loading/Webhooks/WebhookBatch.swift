import Payments
import Postgres
import Providers

/// Writes deliveries of one source, set-based, within the caller's transaction. Whatever the order in which deliveries
/// and files come, and however often, the tables end up the same: an event is judged over all of its deliveries.
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

    private func run(_ name: String, _ values: [SQLValue] = []) throws {
        try connection.execute(try text(name), values)
    }

    private func text(_ name: String) throws -> String { try context.sql.text("SQL/loading/webhooks/\(name).sql") }

    /// `numbers` hands out the source's evidence packs.
    func write(_ deliveries: [JudgedDelivery], numbers: inout EvidenceNumbers) throws -> Counts {
        let now = SQLValue.timestamp(context.clock.now())
        let run = SQLValue.int(context.run)
        let key: [SQLValue] = [.int(context.account), .text(source.id)]
        let unsigned = SQLValue.bool(source.unsignedCounts)
        try self.run("lock_feed", key + [now])

        var counts = Counts()
        let once = Self.distinct(deliveries)
        let (landed, someProven) = try unknown(once, key)
        counts.unchanged = deliveries.count - landed.count
        if landed.isEmpty { return counts }
        try connection.script(try text("landed_table"))
        try connection.script(try text("waiting_table"))
        try connection.script(try text("every_table"))
        try copy(landed, numbers: &numbers)
        if someProven { try self.run("upgrade", key + [run, now]) }
        try self.run("every", key + [unsigned])
        try self.run("touched", key)
        let row = try connection.query(try text("counts")).only()
        let fresh = Int(try row.int("fresh"))
        counts.new = Int(try row.int("new"))
        counts.changed = Int(try row.int("changed"))
        counts.duplicates = landed.count - counts.new - counts.changed
        counts.notEvidence = landed.count { !$0.isEvidence }
        counts.unknownStatuses = landed.count { $0.event.reading.map { !$0.isKnown } ?? false }

        let stored = try connection.execute(try text("insert_delivery"), key + [run, now])
        guard stored == fresh else {
            throw LoadFault(.countsDiffer, "\(fresh) deliveries were counted, \(stored) are in the database")
        }
        try self.run("tally_run", key + [run, now, unsigned])
        let held = try connection.execute(try text("upsert_event"), key + [run, now])
        guard held == counts.new + counts.changed else {
            throw LoadFault(
                .countsDiffer, "\(counts.new + counts.changed) events were counted, \(held) are in the database")
        }
        try self.run("recount_event", key)
        try self.run("clear_quarantine", key + [now])
        try self.run("reapply", key)
        // What was just loaded the planner does not know: it would take the source for one row and compare all with all.
        try TableStatistics(library: context.sql).refresh(["webhook_event", "webhook_delivery"], on: connection)
        try self.run("order", key + [unsigned])
        let expiry = context.clock.now().adding(seconds: Self.patience)
        try self.run("keep_waiting", key + [.timestamp(expiry), unsigned])
        try self.run("end_waiting", key)
        try self.run("count_feed", key + [.int(counts.new)])
        for table in ["landed", "waiting", "every", "touched"] {
            try connection.execute("drop table pg_temp.webhook_\(table)")
        }
        return counts
    }

    /// The same delivery twice in one batch is one.
    private static func distinct(_ deliveries: [JudgedDelivery]) -> [JudgedDelivery] {
        struct Key: Hashable {
            let event: String
            let digest: [UInt8]
        }
        var places: [Key: Int] = [:]
        var once: [JudgedDelivery] = []
        for delivery in deliveries {
            let key = Key(event: delivery.event.eventKey, digest: delivery.deliveryDigest)
            if places.updateValue(once.count, forKey: key) == nil { once.append(delivery) }
        }
        return once
    }

    /// Those that are not stored yet, or with a worse verdict (`someProven`: there are such). Nothing is asked where the source has no event that the
    /// batch could belong to.
    private func unknown(
        _ deliveries: [JudgedDelivery], _ key: [SQLValue]
    ) throws -> (landed: [JudgedDelivery], someProven: Bool) {
        let times = deliveries.map(\.delivery.receivedAt)
        guard let first = times.min(), let last = times.max() else { return ([], false) }
        let window = try connection.query(try text("in_window"), key + [.timestamp(first), .timestamp(last)])
        guard try window.only().bool("has_events") else { return (deliveries, false) }
        let rows = try connection.query(
            try text("known"),
            key + [
                .textArray(deliveries.map(\.event.eventKey)), .timestampArray(times),
                .bytesArray(deliveries.map(\.deliveryDigest)), .intArray(deliveries.map { $0.isEvidence ? 1 : 0 }),
                .bool(source.unsignedCounts),
            ])
        var known: Set<Int> = []
        var someProven = false
        for row in rows {
            if try row.bool("is_worse") {
                someProven = true
            } else {
                known.insert(Int(try row.int("place")) - 1)
            }
        }
        return (deliveries.indices.filter { !known.contains($0) }.map { deliveries[$0] }, someProven)
    }

    private func copy(_ deliveries: [JudgedDelivery], numbers: inout EvidenceNumbers) throws {
        var pack = EvidencePack()
        var places: [[UInt8]: (offset: Int, length: Int)] = [:]
        // Deliveries of one body share its bytes.
        for delivery in deliveries where delivery.isEvidence && places[delivery.bodyDigest] == nil {
            places[delivery.bodyDigest] = pack.append(delivery.kept)
        }
        let packNo = pack.isEmpty ? nil : numbers.next()
        try connection.copyIn("pg_temp.webhook_landed", columns: Self.columns) { writer in
            for delivery in deliveries {
                try Self.write(delivery, places[delivery.bodyDigest], packNo, to: &writer)
            }
        }
        if let packNo {
            try pack.write(
                on: connection, account: context.account, source: source.id, run: context.run, packNo: packNo)
        }
        let columns = ["event_key", "received_at", "body_digest", "delivery", "body"]
        let waiting = deliveries.filter { !$0.isEvidence }
        if waiting.isEmpty { return }
        try connection.copyIn("pg_temp.webhook_waiting", columns: columns) { writer in
            for delivery in waiting {
                try writer.row()
                try writer.write(delivery.event.eventKey)
                try writer.write(delivery.delivery.receivedAt)
                try writer.write(bytes: delivery.bodyDigest)
                try writer.write(PendingDelivery.text(delivery))
                try writer.write(bytes: delivery.delivery.body)
            }
        }
    }
}
