package import Payments
package import Postgres

/// The monthly partitions of the insert-only tables: `transaction_history`, `book_order_history`,
/// `control_total_history` (by `superseded_at`) and `webhook_delivery` (by `received_at`).
package enum HistoryPartitions {
    /// Makes sure that `table` (without schema) has a partition for every UTC month of `span`. Call it outside a
    /// transaction: a rival that makes the same partition at the same moment is not an error here, but would end one.
    package static func ensure(
        on connection: Connection, table: String, covering span: ClosedRange<Timestamp>
    ) throws(PostgresError) {
        var month = Month(of: span.lowerBound)
        let last = Month(of: span.upperBound)
        while month <= last {
            try ensure(on: connection, table: table, month: month)
            month = month.next
        }
    }

    private static func ensure(on connection: Connection, table: String, month: Month) throws(PostgresError) {
        let name = "\(table)_\(month.suffix)"
        let known = try connection.query("select to_regclass($1) is not null as known", [.text("tieout.\(name)")])
        if try known[0].bool("known") { return }
        let parent = "tieout." + (try connection.quoteIdentifier(table))
        let child = "tieout." + (try connection.quoteIdentifier(name))
        let bounds = "from ('\(month.firstDay) 00:00:00+00') to ('\(month.next.firstDay) 00:00:00+00')"
        do throws(PostgresError) {
            try connection.execute("create table if not exists \(child) partition of \(parent) for values \(bounds)")
        } catch {
            // 23505 and 42P07: another run made it between our question and our answer.
            if error.sqlState != "23505" && error.sqlState != "42P07" { throw error }
        }
    }

    /// One calendar month in UTC.
    private struct Month: Comparable {
        let year: Int
        let month: Int

        init(year: Int, month: Int) {
            self.year = year
            self.month = month
        }

        init(of moment: Timestamp) {
            let text = moment.utcDate.split(separator: "-")
            year = text.first.flatMap { Int($0) } ?? 1970
            month = text.dropFirst().first.flatMap { Int($0) } ?? 1
        }

        var next: Month { month == 12 ? Month(year: year + 1, month: 1) : Month(year: year, month: month + 1) }
        var suffix: String { "\(year)_\(month < 10 ? "0" : "")\(month)" }
        var firstDay: String { "\(year)-\(month < 10 ? "0" : "")\(month)-01" }

        static func < (a: Month, b: Month) -> Bool { (a.year, a.month) < (b.year, b.month) }
    }
}
