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
}
