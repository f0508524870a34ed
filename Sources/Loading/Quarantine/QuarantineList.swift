package import Payments
package import Postgres

/// What could not be taken in, for people to work off. A row leaves the list when a readable version of its record is
/// loaded, or when somebody drops it.
package struct QuarantineList {
    /// One quarantined record.
    package struct Entry: Sendable, Hashable {
        package let id: String
        package let feed: String
        /// Empty: the record belongs to no source.
        package let source: String
        /// open | cleared | dropped
        package let state: String
        package let reason: String
        package let recordID: String?
        package let references: [String]
        /// File and line, or resource and page.
        package let place: String
        /// Bytes of the record.
        package let length: Int
        package let observedAt: Timestamp
        /// The runs that met it first and last.
        package let run: Int64
        package let lastRun: Int64
    }

    private let connection: Connection
    private let account: Int64
    private let sql: SQLLibrary

    package init(connection: Connection, account: Int64, sql: SQLLibrary) {
        self.connection = connection
        self.account = account
        self.sql = sql
    }

    /// Rows in the order in which they became known. `state` nil: every state; `limit` caps the rows.
    package func entries(
        feed: Feed? = nil, source: String? = nil, state: String? = "open", limit: Int = 1000
    ) throws -> [Entry] {
        let rows = try connection.query(
            try sql.text("SQL/loading/quarantine/list.sql"),
            [.int(account), .text(feed?.rawValue), .text(source), .text(state), .int(limit)])
        return try rows.map { row in
            Entry(
                id: try row.text("quarantine_id"), feed: try row.text("feed"), source: try row.text("source_id"),
                state: try row.text("state"), reason: try row.text("reason"),
                recordID: try row.optionalText("record_id"), references: try row.textArray("refs"),
                place: try row.text("place"), length: Int(try row.int("length")),
                observedAt: try row.timestamp("observed_at"), run: try row.int("run_id"),
                lastRun: try row.int("last_run_id"))
        }
    }

    /// Gives a record up: it is counted no more, and the same bytes stay dropped when they are met again. `actor` is the
    /// database login or operating-system user. False where no open row has this id.
    package func drop(_ id: String, actor: String, at moment: Timestamp) throws -> Bool {
        let statement = try sql.text("SQL/loading/quarantine/drop.sql")
        return try connection.execute(statement, [.int(account), .text(id), .text(actor), .timestamp(moment)]) > 0
    }
}
