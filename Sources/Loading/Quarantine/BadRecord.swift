import Payments
import Postgres

/// One record of a file that cannot be taken in, on its way to quarantine. Its text is not kept: it lies in the file.
struct BadRecord: Sendable {
    /// Nil: it belongs to no source.
    var source: String?
    var recordID: String?
    var references: [String] = []
    /// Names the column or member at fault, never a value.
    let reason: String
    let line: Int
    /// Bytes of the record.
    let length: Int
    /// SHA-256 of what it says.
    let digest: [UInt8]
}

/// Takes bad records of files into quarantine, set-based, inside the transaction that loads the good ones.
struct FileQuarantine {
    let context: LoadContext
    let connection: Connection
    let feed: Feed

    /// Makes the temporary table that collects them.
    func prepare() throws {
        try connection.execute(try context.sql.text("SQL/loading/quarantine/new_table.sql"))
    }

    /// `name`: what the places of the records begin with.
    func add(_ records: [BadRecord], file name: String) throws {
        if records.isEmpty { return }
        let columns = ["source_id", "record_id", "refs", "reason", "place", "line_no", "length", "digest"]
        try connection.copyIn("pg_temp.quarantine_new", columns: columns) { writer in
            for record in records {
                try writer.row()
                try writer.write(record.source ?? "")
                try writer.write(record.recordID)
                try writer.write(textArray: record.references)
                try writer.write(record.reason)
                try writer.write("\(name):\(record.line)")
                try writer.write(record.line)
                try writer.write(record.length)
                try writer.write(bytes: record.digest)
            }
        }
    }

    /// Stores what was collected. Returns how many of them were never met before.
    func store() throws -> Int {
        let account = SQLValue.int(context.account)
        let feed = SQLValue.text(feed.rawValue)
        let count = try context.sql.text("SQL/loading/quarantine/count_new.sql")
        let fresh = try connection.query(count, [account, feed]).only().int("fresh")
        try connection.execute(
            try context.sql.text("SQL/loading/quarantine/upsert.sql"),
            [account, feed, .int(context.run), .timestamp(context.clock.now())])
        return Int(fresh)
    }
}
