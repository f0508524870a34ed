import JSON
import Payments
package import Postgres
package import Providers

/// What reading the kept bytes anew has done.
package struct RedecodeCounts: Sendable, Hashable {
    /// Versions and events gone over.
    package var read = 0
    /// Of them: read differently now, and stored so.
    package var changed = 0
    /// Cannot be read any more: in quarantine, with their older reading standing.
    package var quarantined = 0
    /// Their bytes are gone.
    package var unread = 0

    package init() {}

    package static func += (a: inout RedecodeCounts, b: RedecodeCounts) {
        a.read += b.read
        a.changed += b.changed
        a.quarantined += b.quarantined
        a.unread += b.unread
    }
}

/// Reads the kept bytes of a source's transactions again after its status map or its mapping has changed. What reads
/// differently becomes a new version, known from now on: what a past moment knew stays what it was. Each batch is one
/// database transaction with the place it has reached in it; a run that was killed goes on there.
package struct Redecoder {
    /// Kept bytes of one batch at most.
    static let batchBytes = 32 << 20

    let context: LoadContext
    let connection: Connection
    /// Streams the rows, while `connection` writes.
    let reading: Connection
    let source: String
    /// Records of one batch at most.
    let batchRows: Int

    package init(
        context: LoadContext, connection: Connection, reading: Connection, source: String, batchRows: Int = 2000
    ) {
        self.context = context
        self.connection = connection
        self.reading = reading
        self.source = source
        self.batchRows = batchRows
    }

    /// `wanted` names the present reading. Throws what the database throws, `Fence.Lost`, and `CancellationError` where
    /// the run is to end.
    package func transactions(
        _ mapping: any ElementMapping, from state: DecodingState, to wanted: [UInt8], stop: StopFlag
    ) throws -> RedecodeCounts {
        var state = state
        state.begin(wanted)
        var counts = RedecodeCounts()
        var batch = RedecodeBatch(
            store: try TransactionStore(connection: connection, context: context, source: source, mapping: mapping))
        let packs = try PackReader(on: connection, context: context, source: source)
        let start = state.position
        try reading.stream(
            try context.sql.text("SQL/loading/decoding/transactions.sql"),
            [
                .int(context.account), .text(source), .text(mapping.resource), .int(start.run), .int(start.pack),
                .int(start.offset), .text(start.id),
            ]
        ) { row in
            let kept = try StoredVersion(row)
            batch.add(
                kept,
                try packs.bytes(
                    run: kept.position.run, pack: kept.position.pack, offset: kept.position.offset,
                    length: kept.length))
            if batch.count < batchRows && batch.bytes < Self.batchBytes { return }
            try commit(&batch, &state, &counts)
            if stop.isRequested { throw CancellationError() }
        }
        try commit(&batch, &state, &counts, reaching: wanted)
        return counts
    }

    private func commit(
        _ batch: inout RedecodeBatch, _ state: inout DecodingState, _ counts: inout RedecodeCounts,
        reaching wanted: [UInt8]? = nil
    ) throws {
        var next = state
        if let last = batch.last { next.reach(last) }
        let found = batch
        let done = try connection.transaction { connection in
            try context.fence.check(on: connection)
            let done = try found.write()
            next.miss(done.unread)
            if let wanted { next.finish(wanted) }
            try next.save(context, on: connection)
            return done
        }
        state = next
        counts += done
        context.log(LogLine(.debug, "decoding again", [("source", source), ("versions", String(counts.read))]))
        batch.clear()
    }

    /// Ids of transactions whose bytes are gone: only the provider can say what they are.
    package func unread(_ mapping: any ElementMapping) throws -> [String] {
        try connection.query(
            try context.sql.text("SQL/loading/decoding/unread.sql"),
            [.int(context.account), .text(source), .text(mapping.resource)]
        ).map { try $0.text(0) }
    }
}

/// One stored version with the place of its bytes.
struct StoredVersion {
    let id: String
    let position: DecodingState.Position
    let length: Int
    let contentHash: [UInt8]
    let requestStartedAt: Timestamp
    let isCurrent: Bool

    init(_ row: Row) throws(PostgresError) {
        id = try row.text("transaction_id")
        var place = DecodingState.Position()
        place.run = try row.int("run_id")
        place.pack = Int(try row.int("evidence_pack"))
        place.offset = Int(try row.int("evidence_offset"))
        place.id = id
        position = place
        length = Int(try row.int("evidence_length"))
        contentHash = try row.bytes("content_hash")
        requestStartedAt = try row.timestamp("request_started_at")
        isCurrent = try row.bool("is_current")
    }
}
