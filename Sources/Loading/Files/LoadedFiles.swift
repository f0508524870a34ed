import Payments
import Postgres

/// The memory of files that were loaded whole, by digest.
enum LoadedFiles {
    /// Whether the same bytes were loaded before.
    static func knows(_ file: InputFile, feed: Feed, account: Int64, on connection: Connection) throws -> Bool {
        let sql = "select 1 from tieout.loaded_file where account_id = $1 and feed = $2 and digest = $3"
        return !(try connection.query(sql, [.int(account), .text(feed.rawValue), .bytes(file.digest)]).isEmpty)
    }

    /// Remembers the file, in the transaction that wrote the last of it.
    static func remember(
        _ file: InputFile, feed: Feed, records: Int, quarantined: Int, covers: ClosedRange<Timestamp>?,
        until: Timestamp?, context: LoadContext, on connection: Connection
    ) throws {
        try connection.execute(
            try context.sql.text("SQL/loading/remember_file.sql"),
            [
                .int(context.account), .text(feed.rawValue), .bytes(file.digest), .text(file.name), .int(context.run),
                .timestamp(context.clock.now()), .int(records), .int(quarantined), .timestamp(covers?.lowerBound),
                .timestamp(until ?? covers?.upperBound),
            ])
    }
}
