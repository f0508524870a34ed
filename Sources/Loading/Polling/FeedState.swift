import JSON
import Payments
import Postgres

/// Where a source's provider feed stood before this run.
struct FeedState {
    var failingSince: Timestamp?
    /// Ledger time before which the provider wants no request; nil: it said nothing.
    var notBefore: Timestamp?

    init(on connection: Connection, context: LoadContext, source: String) throws {
        let rows = try connection.query(
            try context.sql.text("SQL/loading/read_feed_state.sql"),
            [.int(context.account), .text(source), .text(Feed.provider.rawValue)])
        guard let row = rows.first else { return }
        failingSince = try row.optionalTimestamp("failing_since")
        guard let counters = try? JSONDocument(try row.text("counters")).root else { return }
        notBefore = counters["not_before"]?.string.flatMap { Timestamp($0) }
    }
}

/// How far one resource of a source was proven before this run.
struct ResourceState {
    var watermark: Timestamp?
    var backfillComplete = false
    /// Ledger time of the last poll that was complete.
    var lastSuccess: Timestamp?
    /// Slice of the deep sweep → ledger time at which it was last walked to its end.
    var swept: [String: String] = [:]

    /// Of a resource that was never polled.
    init() {}

    init(on connection: Connection, context: LoadContext, source: String, resource: String) throws {
        let rows = try connection.query(
            try context.sql.text("SQL/loading/read_resource_state.sql"),
            [.int(context.account), .text(source), .text(resource)])
        guard let row = rows.first else { return }
        watermark = try row.optionalTimestamp("watermark")
        backfillComplete = try row.bool("backfill_complete")
        lastSuccess = try row.optionalTimestamp("last_success_at")
        guard let slices = try? JSONDocument(try row.text("state")).root["swept"] else { return }
        for (slice, at) in slices.members { swept[slice] = at.string }
    }
}
