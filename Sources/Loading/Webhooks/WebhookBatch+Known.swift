import Payments
import Postgres
import Providers

extension WebhookBatch {
    /// Judges known events over the deliveries that are stored and those that have come. True where something changed;
    /// `webhook_landed` and `webhook_every` then say what, until they are dropped.
    func write(
        known events: [EventFold.Event], _ counts: inout Counts, numbers: inout EvidenceNumbers,
        waiting: inout [JudgedDelivery]
    ) throws -> Bool {
        if events.isEmpty { return false }
        var all: [JudgedDelivery] = []
        for event in events { event.forEach { all.append($0) } }
        let (landed, someProven) = try unknown(all)
        counts.unchanged += all.count - landed.count
        if landed.isEmpty { return false }
        let unsigned = SQLValue.bool(source.unsignedCounts)
        let stamp: [SQLValue] = [.int(context.run), .timestamp(now)]
        try connection.script(try text("landed_table"))
        try connection.script(try text("every_table"))
        try copy(landed, numbers: &numbers)
        waiting += landed.filter { !$0.isEvidence }
        if someProven { try run("upgrade", key + stamp) }
        try run("every", key + [unsigned])
        // Before the events change: by their old bodies they may belong to other transactions.
        try run("touched", key)
        let row = try connection.query(try text("counts")).only()
        let fresh = Int(try row.int("fresh"))
        let new = Int(try row.int("new"))
        let changed = Int(try row.int("changed"))
        counts.new += new
        counts.changed += changed
        counts.duplicates += landed.count - new - changed
        counts.notEvidence += landed.count { !$0.isEvidence }
        counts.unknownStatuses += landed.count { $0.event.reading.map { !$0.isKnown } ?? false }

        let stored = try run("insert_delivery", key + stamp)
        guard stored == fresh else {
            throw LoadFault(.countsDiffer, "\(fresh) deliveries were counted, \(stored) are in the database")
        }
        try run("tally_run", key + stamp + [unsigned])
        let held = try run("upsert_event", key + stamp)
        guard held == new + changed else {
            throw LoadFault(.countsDiffer, "\(new + changed) events were counted, \(held) are in the database")
        }
        try run("recount_event", key + [.timestamp(now)])
        try clearQuarantine(landed)
        try run("reapply", key)
        return true
    }

    /// Those that are not stored yet, or with a worse verdict (`someProven`: there are such).
    private func unknown(_ deliveries: [JudgedDelivery]) throws -> (landed: [JudgedDelivery], someProven: Bool) {
        let rows = try connection.query(
            try text("known"),
            key + [
                .textArray(deliveries.map(\.event.eventKey)), .timestampArray(deliveries.map(\.receivedAt)),
                .bytesArray(deliveries.map(\.deliveryDigest)), .intArray(deliveries.map { $0.isEvidence ? 1 : 0 }),
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
        try connection.copyIn("pg_temp.webhook_landed", columns: Self.landedColumns) { writer in
            for delivery in deliveries {
                try Self.write(delivery, places[delivery.bodyDigest], packNo, to: &writer)
            }
        }
        if let packNo {
            try pack.write(
                on: connection, account: context.account, source: source.id, run: context.run, packNo: packNo)
        }
    }
}
