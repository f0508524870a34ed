import JSON
import Payments
import Postgres

/// Where a source's provider feed stood before this run.
struct FeedState {
    var watermark: Timestamp?
    var failingSince: Timestamp?
    var backfillComplete = false
    /// Slice of the deep sweep → ledger time at which it was last walked to its end.
    var swept: [String: String] = [:]
    /// Ledger time before which the provider wants no request; nil: it said nothing.
    var notBefore: Timestamp?

    init(on connection: Connection, context: LoadContext, source: String) throws {
        let rows = try connection.query(
            try context.sql.text("SQL/loading/read_feed_state.sql"),
            [.int(context.account), .text(source), .text(Feed.provider.rawValue)])
        guard rows.count > 0 else { return }
        let row = rows[0]
        watermark = try row.optionalTimestamp("watermark")
        failingSince = try row.optionalTimestamp("failing_since")
        backfillComplete = try row.bool("backfill_complete")
        guard let counters = try? JSONDocument(try row.text("counters")).root else { return }
        if let slices = counters["swept"] {
            for (slice, at) in slices.members { swept[slice] = at.string }
        }
        notBefore = counters["not_before"]?.string.flatMap { Timestamp($0) }
    }
}
