import Payments
import Postgres

/// The memory of files that were loaded whole, by digest.
enum LoadedFiles {
    /// Whether the same bytes were loaded before, for `source` where one is named. `exportedAt`: when the operator says
    /// that they were written; the same bytes under a later moment are a new statement.
    static func knows(
        _ file: InputFile, feed: Feed, account: Int64, source: String? = nil, exportedAt: Timestamp? = nil,
        on connection: Connection
    ) throws -> Bool {
        let sql =
            "select exported_at from tieout.loaded_file where account_id = $1 and feed = $2 and digest = $3 and coalesce(source_id = $4, true)"
        let rows = try connection.query(
            sql, [.int(account), .text(feed.rawValue), .bytes(file.digest), .text(source)])
        guard let row = rows.first else { return false }
        guard let exportedAt, let known = try row.optionalTimestamp("exported_at") else { return true }
        return exportedAt <= known
    }

    /// Remembers the file, in the transaction that wrote the last of it. `name`: nil for the file's own; `version`: how
    /// often it came, corrected, under its name; `moment`: nil for the ledger's time now.
    static func remember(
        _ file: InputFile, as name: String? = nil, feed: Feed, records: Int, quarantined: Int,
        covers: ClosedRange<Timestamp>?,
        until: Timestamp?, exportedAt: Timestamp? = nil, source: String? = nil, version: Int = 1,
        at moment: Timestamp? = nil, context: LoadContext, on connection: Connection
    ) throws {
        try connection.execute(
            try context.sql.text("SQL/loading/remember_file.sql"),
            [
                .int(context.account), .text(feed.rawValue), .bytes(file.digest), .text(name ?? file.name),
                .int(context.run),
                .timestamp(moment ?? context.clock.now()), .int(records), .int(quarantined),
                .timestamp(covers?.lowerBound),
                .timestamp(until ?? covers?.upperBound), .timestamp(exportedAt), .text(source ?? ""), .int(version),
            ])
    }
}
