import Crypto
package import Payments
package import Postgres

/// One record that could not be taken in.
package struct QuarantinedRecord: Sendable {
    package var source: String
    package var feed: Feed
    /// `type_changed: fee int->object`; holds no value of the record.
    package var reason: String
    /// As members of payments are named: `T1`, `refund/R1`; the id of an order, event or settlement line.
    package var recordID: String?
    package var references: [Reference]
    /// File and line, or resource and page.
    package var place: String
    /// The record's text, only where it parsed and was cut of secret and personal data.
    package var raw: String?
    /// Bytes of the whole record as it was met.
    package var length: Int
    /// SHA-256 of what makes it the same record when it is met again.
    package var digest: [UInt8]

    package init(
        source: String, feed: Feed, reason: String, recordID: String? = nil, references: [Reference] = [],
        place: String, raw: String? = nil, length: Int, digest: [UInt8]
    ) {
        self.source = source
        self.feed = feed
        self.reason = reason
        self.recordID = recordID
        self.references = references
        self.place = place
        self.raw = raw
        self.length = length
        self.digest = digest
    }

    /// `Q` and 12 hexadecimal digits: derived from what it is, so the same bad record met again is not a new one.
    package var quarantineID: String {
        var hasher = SHA256Hasher()
        hasher.update(field: source)
        hasher.update(field: feed.rawValue)
        hasher.update(digest)
        return "Q" + String(Hex.encode(hasher.finish()).prefix(12))
    }
}

/// Writes quarantined records and clears those whose record came well later; inside the transaction of the rows they
/// came with.
package struct QuarantineWriter: Sendable {
    private let context: LoadContext

    package init(_ context: LoadContext) { self.context = context }

    /// Returns the ids of those that are this run's; one that is met twice in a run is returned twice.
    @discardableResult
    package func write(_ records: [QuarantinedRecord], on connection: Connection) throws -> Set<String> {
        if records.isEmpty { return [] }
        let sql = try context.sql.text("SQL/loading/quarantine_records.sql")
        let now = context.clock.now()
        var new: Set<String> = []
        for record in records {
            let references = Set(record.references.map(\.description)).sorted()
            let values: [SQLValue] = [
                .int(context.account), .text(record.source), .text(record.feed.rawValue), .text(record.quarantineID),
                .int(context.run), .timestamp(now), .text(record.reason), .text(record.recordID),
                .textArray(references), .text(record.place), .text(record.raw), .int(record.length),
                .bytes(record.digest),
            ]
            if try connection.query(sql, values)[0].bool("is_new") { new.insert(record.quarantineID) }
        }
        return new
    }

    /// Ids of the records that this run has set aside.
    package func ofRun(source: String, feed: Feed, on connection: Connection) throws -> Set<String> {
        let rows = try connection.query(
            try context.sql.text("SQL/loading/quarantine/of_run.sql"),
            [.int(context.account), .text(source), .text(feed.rawValue), .int(context.run)])
        return Set(try rows.map { try $0.text(0) })
    }

    /// Clears the open records of these names: a later version of theirs was taken in.
    package func clear(_ recordIDs: [String], source: String, feed: Feed, on connection: Connection) throws {
        if recordIDs.isEmpty { return }
        try connection.execute(
            try context.sql.text("SQL/loading/clear_quarantine.sql"),
            [
                .int(context.account), .text(source), .text(feed.rawValue), .textArray(recordIDs),
                .timestamp(context.clock.now()),
            ])
    }

    /// Clears open records by their own ids: what they were was taken in after all.
    package func settle(_ quarantineIDs: [String], on connection: Connection) throws {
        if quarantineIDs.isEmpty { return }
        try connection.execute(
            try context.sql.text("SQL/loading/quarantine/settle.sql"),
            [.int(context.account), .textArray(quarantineIDs), .timestamp(context.clock.now())])
    }

    /// The record ids that wait in a source's feed.
    package func openIDs(source: String, feed: Feed, on connection: Connection) throws -> Set<String> {
        let rows = try connection.query(
            try context.sql.text("SQL/loading/open_quarantine.sql"),
            [.int(context.account), .text(source), .text(feed.rawValue)])
        return Set(try rows.map { try $0.text("record_id") })
    }
}
