import Payments
import Postgres

extension TransactionStore {
    /// How many rows of one resource are held, and when the first and the last were created.
    static func held(
        _ connection: Connection, _ context: LoadContext, _ source: String, _ resource: String
    ) throws -> (records: Int, span: ClosedRange<Timestamp>?) {
        let row = try connection.query(
            try context.sql.text("SQL/loading/held_span.sql"),
            [.int(context.account), .text(source), .text(resource)]
        ).only()
        let records = Int(try row.int("records"))
        guard let oldest = try row.optionalTimestamp("oldest"), let newest = try row.optionalTimestamp("newest") else {
            return (records, nil)
        }
        return (records, oldest...newest)
    }

    /// How many rows are held is kept with the rows: to count them all for each poll costs as much as reading them again.
    func keepCount(_ new: Int) throws {
        if new == 0 { return }
        try connection.execute(
            try context.sql.text("SQL/loading/count_held.sql"), key + [.int(records + new)])
    }

    /// What a list shows without a gap is one span; rows that were read one by one, and a stored row's moment that differs
    /// from the list's, may lie anywhere.
    func hold(_ moments: [Timestamp], span: ClosedRange<Timestamp>?) {
        if let span, !moments.isEmpty { held.insert(span) }
        for moment in moments where span?.contains(moment) != true { held.insert(moment...moment) }
    }

    /// Tells the planner how many rows there are now: what a load asks next compares all ids that others name with all that
    /// are stored. Taken for one row, a first load of 50 000 transactions beside 200 000 events was compared row by row for
    /// more than ten minutes, and each group of a first load of 500 000 read all that were stored before it. Measuring a few
    /// thousand rows costs 0.03 s of the server's CPU, whatever the size. Within a transaction.
    func tellSize() throws {
        try connection.execute(TableStatistics.fewSamples)
        try connection.execute(try context.sql.text("SQL/loading/know_size.sql"))
    }

    /// The same as a transaction of its own.
    func tellSizeNow() throws {
        try connection.transaction { _ in try tellSize() }
        growth.wasMeasured()
    }
}
