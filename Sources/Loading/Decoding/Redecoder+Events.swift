import JSON
import Payments
import Postgres
package import Providers

extension Redecoder {
    /// The same for webhook events: an event that reads differently is kept as it was read until now, with the moment at
    /// which that ended. Signatures are not judged again: the bytes are the same.
    package func events(
        _ scheme: any WebhookScheme, from state: DecodingState, to wanted: [UInt8], stop: StopFlag
    ) throws -> RedecodeCounts {
        var state = state
        state.begin(wanted)
        let now = context.clock.now()
        try HistoryPartitions.ensure(on: connection, table: "webhook_event_history", covering: now...now)
        let packs = try PackReader(on: connection, context: context, source: source)
        var counts = RedecodeCounts()
        var batch = EventBatch(scheme: scheme)
        let start = state.position
        try reading.stream(
            try context.sql.text("SQL/loading/decoding/events.sql"),
            [
                .int(context.account), .text(source), .int(start.run), .int(start.pack), .int(start.offset),
                .text(start.id),
            ]
        ) { row in
            var place = DecodingState.Position()
            place.run = try row.int("run_id")
            place.pack = Int(try row.int("pack"))
            place.offset = Int(try row.int("place"))
            place.id = try row.text("event_key")
            let body = try row.optionalBytes("body")
            let length = Int(try row.int("length"))
            let kept = try body ?? packs.bytes(run: place.run, pack: place.pack, offset: place.offset, length: length)
            try batch.add(row, kept, place)
            if batch.count < batchRows && batch.bytes < Self.batchBytes { return }
            try commit(&batch, &state, &counts)
            if stop.isRequested { throw CancellationError() }
        }
        try commit(&batch, &state, &counts, reaching: wanted)
        return counts
    }

    private func commit(
        _ batch: inout EventBatch, _ state: inout DecodingState, _ counts: inout RedecodeCounts,
        reaching wanted: [UInt8]? = nil
    ) throws {
        var next = state
        if let last = batch.last { next.reach(last) }
        next.miss(batch.unread)
        if let wanted { next.finish(wanted) }
        let (keys, readings) = (batch.keys, batch.readings)
        let key: [SQLValue] = [.int(context.account), .text(source)]
        let now = SQLValue.timestamp(context.clock.now())
        let keep = try context.sql.text("SQL/loading/decoding/keep_events.sql")
        let read = try context.sql.text("SQL/loading/decoding/read_events.sql")
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            if !keys.isEmpty {
                try connection.execute(keep, key + [.textArray(keys), now])
                try connection.execute(read, key + [now, .json(readings)])
            }
            try next.save(context, on: connection)
        }
        state = next
        counts.read += batch.count
        counts.changed += keys.count
        counts.unread += batch.unread
        counts.quarantined += batch.refused
        batch.clear()
    }
}

/// Events that are read again together.
private struct EventBatch {
    let scheme: any WebhookScheme
    private(set) var keys: [String] = []
    private(set) var count = 0
    private(set) var bytes = 0
    private(set) var unread = 0
    /// Cannot be read any more; they stay as they were read once.
    private(set) var refused = 0
    private(set) var last: DecodingState.Position?
    private var texts: [String] = []

    init(scheme: any WebhookScheme) { self.scheme = scheme }

    /// What differs, as a JSON array.
    var readings: String { "[" + texts.joined(separator: ",") + "]" }

    mutating func clear() { self = EventBatch(scheme: scheme) }

    mutating func add(_ row: Row, _ kept: [UInt8]?, _ place: DecodingState.Position) throws {
        count += 1
        last = place
        guard let kept else {
            unread += 1
            return
        }
        // Without what it was sent with it would read as another event.
        guard let receivedAt = try row.optionalTimestamp("received_at") else {
            unread += 1
            return
        }
        bytes += kept.count
        let delivery = WebhookDelivery(
            receivedAt: receivedAt, url: try row.optionalText("url") ?? "",
            headers: try SignatureHeaders.read(try row.text("signature_headers")), body: kept)
        let event: MappedEvent
        do throws(RowFault) {
            event = try scheme.event(delivery, bodyDigest: try Self.digest(row))
        } catch {
            refused += 1
            return
        }
        // Another key would be another event.
        guard event.eventKey == place.id else {
            refused += 1
            return
        }
        let found = Reading(event, flagsOfLoader: try row.textArray("flags").filter(JudgedDelivery.isOfLoader))
        if found == (try Reading(row)) { return }
        keys.append(place.id)
        texts.append(found.json(key: place.id))
    }

    private static func digest(_ row: Row) throws(RowFault) -> [UInt8] {
        do throws(PostgresError) { return try row.bytes("body_digest") } catch { throw RowFault("no digest") }
    }

    /// The columns of an event that its body decides.
    private struct Reading: Equatable {
        var kind: String?
        var transactionID: String?
        var rawStatus: String?
        var state: String?
        var rank: Int64?
        var money: String?
        var afterHeld: String?
        var afterTaken: String?
        var afterDelivered: String?
        var direction: String?
        var eventTime: Timestamp?
        var isTest: Bool
        var customerID: String?
        var references: [String]
        var flags: [String]

        /// Flags that follow from other deliveries or from the signature are not the body's to decide.
        init(_ event: MappedEvent, flagsOfLoader: [String]) {
            kind = event.kind
            transactionID = event.transactionID
            rawStatus = event.rawStatus
            state = event.reading?.state.rawValue
            rank = event.reading.map { Int64($0.rank) }
            money = event.money?.rawValue
            afterHeld = event.reading?.afterHeld?.rawValue
            afterTaken = event.reading?.afterTaken?.rawValue
            afterDelivered = event.reading?.afterDelivered?.rawValue
            direction = event.direction?.rawValue
            eventTime = event.eventTime
            isTest = event.isTest
            customerID = event.customerID
            references = event.referenceTexts
            flags = Set(event.flagTexts + flagsOfLoader).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }

        init(_ row: Row) throws(PostgresError) {
            kind = try row.optionalText("kind")
            transactionID = try row.optionalText("transaction_id")
            rawStatus = try row.optionalText("raw_status")
            state = try row.optionalText("state")
            rank = try row.optionalInt("state_rank")
            money = try row.optionalText("money")
            afterHeld = try row.optionalText("after_held")
            afterTaken = try row.optionalText("after_taken")
            afterDelivered = try row.optionalText("after_delivered")
            direction = try row.optionalText("direction")
            eventTime = try row.optionalTimestamp("event_time")
            isTest = try row.bool("is_test")
            customerID = try row.optionalText("customer_id")
            references = try row.textArray("refs")
            flags = try row.textArray("flags")
        }

        func json(key: String) -> String {
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("event_key", key)
                writer.member("kind", kind)
                writer.member("transaction_id", transactionID)
                writer.member("raw_status", rawStatus)
                writer.member("state", state)
                writer.member("state_rank", rank.map { String($0) })
                writer.member("money", money)
                writer.member("after_held", afterHeld)
                writer.member("after_taken", afterTaken)
                writer.member("after_delivered", afterDelivered)
                writer.member("direction", direction)
                writer.member("event_time", eventTime?.description)
                writer.member("is_test", bool: isTest)
                writer.member("customer_id", customerID)
                writer.member("refs", strings: references)
                writer.member("flags", strings: flags)
            }
            return writer.text
        }
    }
}
