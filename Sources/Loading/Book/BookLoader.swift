import Crypto
import Payments
package import Postgres

/// Loads the merchant's order book from CSV files. PostgreSQL's own CSV reader parses; validation and versioning are
/// set-based. One file is one transaction: it is taken in whole, less its bad rows, or not at all.
///
/// Orders that a book loaded as complete lacks are noted in `book_absence`, until a later export shows them again.
package struct BookLoader {
    /// Records between two looks at whether the run is to end.
    private static let breath = 10_000

    /// Columns of `tieout.book_order`.
    private static let columns = [
        "account_id", "order_id", "source_id", "run_id", "observed_at", "request_started_at", "version_time",
        "state_rank", "status", "direction", "amount", "currency", "created_at", "updated_at", "provider_order_id",
        "provider_session_id", "provider_transaction_id", "customer_id", "destination_amount", "destination_currency",
        "wallet_address", "wallet_tag", "payment_method", "country", "segment", "expires_at", "paid_at", "credited_at",
        "failed_at", "credited_amount", "refunded_amount", "idempotency_key", "extra", "refs", "file_digest", "line_no",
        "content_hash",
    ]

    private let context: LoadContext
    private let connection: Connection
    private let statements: FileStatements
    private let versions: FileVersions

    package init(_ context: LoadContext, _ connection: Connection) {
        self.context = context
        self.connection = connection
        statements = FileStatements(library: context.sql, folder: "book")
        versions = FileVersions(
            library: context.sql, table: "book_order", rows: "book_row", fates: "book_fate",
            key: ["account_id", "order_id"], columns: Self.columns)
    }

    /// Loads one file, `.gz` or plain, `-` for standard input. The same bytes again are a no-op. Throws `LoadFault`
    /// where the file is no order book, `PostgresError`, or `Fence.Lost`. `again`: reads a file that was loaded before,
    /// for the sake of what was quarantined then.
    package func load(path: String, options: BookOptions = BookOptions(), again: Bool = false) throws -> LoadOutcome {
        let file = try InputFile(path: path)
        if try !again
            && LoadedFiles.knows(
                file, feed: .book, account: context.account, exportedAt: options.exportedAt, on: connection)
        {
            var outcome = LoadOutcome()
            outcome.skippedFiles = 1
            context.log(LogLine(.info, "file skipped", [("feed", "book"), ("file", file.name), ("why", "known")]))
            return outcome
        }
        return try load(file, options) { _ in }
    }

    /// `mark` is called within the transaction, behind the last row.
    private func load(
        _ file: InputFile, _ options: BookOptions, mark: (Connection) throws -> Void
    ) throws -> LoadOutcome {
        let reader = try BookReader(file: file, options: options)
        // Ledger time stands still for one file: everything of it became known together.
        let now = context.clock.now()
        try HistoryPartitions.ensure(on: connection, table: "book_order_history", covering: now...now)
        let outcome = try connection.transaction { connection in
            try context.fence.check(on: connection)
            let outcome = try write(reader, now)
            try mark(connection)
            return outcome
        }
        log(outcome, file)
        return outcome
    }

    /// Reads the book from a query on the merchant's own database: its columns are those of a file, its rows are typed and
    /// refused alike. What it shows was so when its snapshot was taken. Throws what `load(path:)` throws; a `LoadFault`
    /// names the query.
    package func load(_ query: MerchantQuery) throws -> LoadOutcome {
        // Before the snapshot is taken: what is committed later may be missing.
        let snapshot = context.clock.now()
        let positions = ReadPositions(context: context, connection: connection, feed: .book)
        do {
            let extract = try BookExtract(query, stored: try positions.stored(query))
            var options = BookOptions(exportedAt: snapshot, coversUntil: snapshot, isComplete: query.isComplete)
            options.baseSource = query.source
            func mark(_ sources: [String]) throws {
                try positions.save(
                    query, position: extract.position, sources: sources, snapshot: snapshot, isWhole: true)
            }
            if extract.isEmpty {
                try connection.transaction { connection in
                    try context.fence.check(on: connection)
                    try mark([])
                }
                return LoadOutcome()
            }
            return try load(extract.file, options) { connection in
                try mark(
                    try connection.query(try statements.text("sources")).map { try $0.text("source_id") })
            }
        } catch let fault as LoadFault where fault.kind == .unreadable {
            try positions.note(fault, of: query)
            throw fault
        }
    }

    private func write(_ reader: BookReader, _ now: Timestamp) throws -> LoadOutcome {
        let exportedAt = reader.options.exportedAt ?? now
        let quarantine = FileQuarantine(context: context, connection: connection, feed: .book)
        try quarantine.prepare()
        let extras = reader.header.extras.count
        try connection.execute(
            FileStatements.filled(
                try statements.text("file_table"),
                ["extra_columns": (0..<extras).map { ",\n    extra_\($0 + 1) text" }.joined()]))
        let bad = try copy(reader)
        try versions.prepare(on: connection)
        let extra = (0..<extras).map { "f.extra_\($0 + 1)" }.joined(separator: ", ")
        try connection.execute(
            try statements.parse("parse", ["extra": extra]),
            [
                .int(context.account), .int(context.run), .timestamp(now), .timestamp(reader.options.exportedAt),
                .text(reader.options.baseSource), .bytes(reader.file.digest), .textArray(reader.header.extras),
            ])
        try versions.decide(on: connection)

        var outcome = try count(reader)
        try quarantine.add(bad, file: reader.file.name)
        let broken = try connection.execute(try statements.text("bad"), [.text(reader.file.name)])
        outcome.quarantined = bad.count + broken
        try connection.execute(try statements.text("clear"), [.int(context.account), .timestamp(now)])
        outcome.newlyQuarantined = try quarantine.store()
        try versions.write(outcome, account: .int(context.account), now: .timestamp(now), on: connection)
        try connection.execute(
            try statements.text("feed"),
            [
                .int(context.account), .timestamp(now), .timestamp(reader.options.coversUntil), .timestamp(exportedAt),
            ])
        let stamp: [SQLValue] = [.int(context.account), .int(context.run), .timestamp(now)]
        try connection.execute(try statements.text("returned"), stamp)
        if reader.options.isComplete {
            outcome.missing = try connection.execute(
                try statements.text("missing"), stamp + [.timestamp(exportedAt), .bytes(reader.file.digest)])
        }
        outcome.files = 1
        outcome.records = reader.records
        guard outcome.accounted == outcome.records else {
            throw LoadFault(
                .countsDiffer,
                "\(reader.file.name): \(outcome.records) records were read, \(outcome.accounted) are accounted for")
        }
        return outcome
    }

    /// Streams the records into `book_file`; returns those that PostgreSQL's reader would stumble over.
    private func copy(_ reader: BookReader) throws -> [BadRecord] {
        let columns = (["line_no", "record_length"] + reader.header.columns).joined(separator: ", ")
        let delimiter = try connection.quote(String(Unicode.Scalar(reader.header.delimiter)))
        let encoding = try connection.quote(reader.options.encoding)
        let format = "format csv, delimiter \(delimiter), encoding \(encoding)"
        var bad: [BadRecord] = []
        try connection.copyText("copy book_file (\(columns)) from stdin with (\(format))") { bytes in
            var records = 0
            bad = try reader.pass { record in
                records += 1
                if records % Self.breath == 0 { try context.stop.check() }
                try bytes.write(record)
            }
        }
        return bad
    }

    private func count(_ reader: BookReader) throws -> LoadOutcome {
        let row = try connection.query(try statements.text("counts")).only()
        var outcome = LoadOutcome()
        outcome.new = Int(try row.int("new"))
        outcome.changed = Int(try row.int("changed"))
        outcome.late = Int(try row.int("late"))
        outcome.unchanged = Int(try row.int("unchanged"))
        outcome.duplicates = Int(try row.int("duplicates"))
        outcome.unknownStatuses = Int(try row.int("unknown_statuses"))
        var covers: ClosedRange<Timestamp>?
        if let from = try row.optionalTimestamp("covers_from"), let newest = try row.optionalTimestamp("newest") {
            covers = from...max(from, newest)
        }
        try LoadedFiles.remember(
            reader.file, feed: .book, records: reader.records, quarantined: reader.records - Int(try row.int("good")),
            covers: covers, until: reader.options.coversUntil, exportedAt: reader.options.exportedAt, context: context,
            on: connection)
        return outcome
    }

    private func log(_ outcome: LoadOutcome, _ file: InputFile) {
        context.log(
            LogLine(
                .info, "file loaded",
                [
                    ("feed", "book"), ("file", file.name), ("records", "\(outcome.records)"),
                    ("new", "\(outcome.new)"), ("changed", "\(outcome.changed)"), ("late", "\(outcome.late)"),
                    ("unchanged", "\(outcome.unchanged)"), ("quarantined", "\(outcome.quarantined)"),
                    ("unknown_statuses", "\(outcome.unknownStatuses)"),
                ]))
    }
}
