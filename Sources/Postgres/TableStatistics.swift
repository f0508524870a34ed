/// The planner's knowledge of what the tables hold. The server gathers it by itself, but a job reads what it has loaded
/// seconds ago.
package struct TableStatistics: Sendable {
    let library: SQLLibrary

    /// Before an `analyze` in the same transaction that is to tell the planner a table's size and how often its keys
    /// repeat, and no more: it then reads 6 000 rows instead of 30 000.
    package static let fewSamples = "set local default_statistics_target = 20"

    package init(library: SQLLibrary) { self.library = library }

    /// Makes the server count what this connection has just written: it else does so within ten seconds. Outside of a
    /// transaction, before one that calls `refresh`.
    package func count(on connection: Connection) throws(PostgresError) {
        try connection.execute("select pg_stat_force_next_flush()")
    }

    /// Analyses each table of schema `tieout` that has at least doubled or halved since it was last analysed, those that
    /// never were, and those that took in more since than `account` was believed to have. Costs one small question where
    /// nothing has. A table stays locked against other analysers until the transaction ends. `only`: these tables with
    /// their partitions; nil: all. Returns the names of those analysed.
    ///
    /// Where the role does not own the tables the server declines silently and its own housekeeping remains.
    @discardableResult
    package func refresh(
        _ only: Set<String>? = nil, for account: Int64, on connection: Connection
    ) throws(PostgresError) -> [String] {
        var names: [String] = []
        for row in try connection.query(try library.text("SQL/statistics/stale.sql"), [.int(account)]) {
            if let only, !only.contains(try row.text("whole")) { continue }
            names.append(try row.text("name"))
        }
        if names.isEmpty { return [] }
        var tables: [String] = []
        for name in names { tables.append("tieout." + (try connection.quoteIdentifier(name))) }
        try connection.execute("analyze " + tables.joined(separator: ", "))
        return names
    }
}
