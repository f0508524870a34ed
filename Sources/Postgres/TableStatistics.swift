/// The planner's knowledge of what the tables hold. The server gathers it by itself, but a job reads what it has loaded
/// seconds ago.
package struct TableStatistics: Sendable {
    let library: SQLLibrary

    /// Before an `analyze` in the same transaction that is to tell the planner a table's size and how often its keys
    /// repeat, and no more: it then reads 6 000 rows instead of 30 000.
    package static let fewSamples = "set local default_statistics_target = 20"

    package init(library: SQLLibrary) { self.library = library }

    /// Analyses each table of schema `tieout` that has at least doubled or halved since it was last analysed, and those
    /// that never were. Costs one small question where nothing has. A table stays locked against other analysers until the
    /// transaction ends. `only`: these tables with their partitions; nil: all. Returns the names of those analysed.
    ///
    /// Where the role does not own the tables the server declines silently and its own housekeeping remains.
    @discardableResult
    package func refresh(_ only: Set<String>? = nil, on connection: Connection) throws(PostgresError) -> [String] {
        var names: [String] = []
        for row in try connection.query(try library.text("SQL/statistics/stale.sql")) {
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
