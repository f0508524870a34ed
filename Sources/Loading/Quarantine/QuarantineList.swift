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
        /// SHA-256 of what makes it the same record when it is met again.
        package let digest: [UInt8]
        /// Its text was kept, cut of secret and personal data.
        package let isKept: Bool
        package let observedAt: Timestamp
        /// The runs that met it first and last.
        package let run: Int64
        package let lastRun: Int64
        /// When it was cleared or dropped, and by whom (`system`, or an operating-system user).
        package let changedAt: Timestamp?
        package let changedBy: String?
    }

    /// Which records are wanted; nil stands for all.
    package struct Filter: Sendable, Hashable {
        package var feed: Feed?
        package var source: String?
        package var state: String? = "open"
        /// Words that the reason holds, in any letter case.
        package var reason: String?
        /// Known from then on.
        package var since: Timestamp?
        package var ids: [String]?
        /// Rows at most.
        package var limit = 1000

        package init() {}
    }

    /// One thing that was done about a record.
    package struct Event: Sendable, Hashable {
        /// dropped | retried | cleared
        package let event: String
        package let at: Timestamp
        package let actor: String
        package let run: Int64?
        package let reason: String?
    }

    private let connection: Connection
    private let account: Int64
    private let sql: SQLLibrary

    package init(connection: Connection, account: Int64, sql: SQLLibrary) {
        self.connection = connection
        self.account = account
        self.sql = sql
    }

    /// Rows in the order in which they became known. Throws what the database throws.
    package func entries(_ filter: Filter = Filter()) throws -> [Entry] {
        let rows = try connection.query(
            try sql.text("SQL/loading/quarantine/list.sql"),
            [
                .int(account), .text(filter.feed?.rawValue), .text(filter.source), .text(filter.state),
                .text(filter.reason), .timestamp(filter.since), filter.ids.map { .textArray($0) } ?? .null,
                .int(filter.limit),
            ])
        return try rows.map { row in
            Entry(
                id: try row.text("quarantine_id"), feed: try row.text("feed"), source: try row.text("source_id"),
                state: try row.text("state"), reason: try row.text("reason"),
                recordID: try row.optionalText("record_id"), references: try row.textArray("refs"),
                place: try row.text("place"), length: Int(try row.int("length")), digest: try row.bytes("digest"),
                isKept: try row.bool("is_kept"), observedAt: try row.timestamp("observed_at"),
                run: try row.int("run_id"), lastRun: try row.int("last_run_id"),
                changedAt: try row.optionalTimestamp("state_changed_at"),
                changedBy: try row.optionalText("state_changed_by"))
        }
    }

    /// The record of this id in any state; nil where there is none.
    package func entry(_ id: String) throws -> Entry? {
        var filter = Filter()
        filter.state = nil
        filter.ids = [id]
        return try entries(filter).first
    }

    /// What people did about it, oldest first.
    package func events(_ id: String) throws -> [Event] {
        let rows = try connection.query(
            try sql.text("SQL/loading/quarantine/events.sql"), [.int(account), .text(id)])
        return try rows.map { row in
            Event(
                event: try row.text("event"), at: try row.timestamp("at"), actor: try row.text("actor"),
                run: try row.optionalInt("run_id"), reason: try row.optionalText("reason"))
        }
    }

    /// Gives a record up, for a reason that stays in its trail: it is counted no more, and the same bytes stay dropped
    /// when they are met again. `actor` is the operating-system user. False where no open row has this id.
    package func drop(_ id: String, reason: String, actor: String, at moment: Timestamp) throws -> Bool {
        let statement = try sql.text("SQL/loading/quarantine/drop.sql")
        let values: [SQLValue] = [.int(account), .text(id), .text(actor), .timestamp(moment), .text(reason)]
        return try connection.execute(statement, values) > 0
    }
}
