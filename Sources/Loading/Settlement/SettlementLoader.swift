import JSON
import Payments
package import Postgres

/// Loads settlement files. PostgreSQL's own CSV reader parses; validation and versioning are set-based. One file is one
/// transaction: it is taken in whole, less its bad rows, or not at all.
///
/// A file that comes again under its name, corrected, supersedes: rows it lists no longer are superseded and kept.
package struct SettlementLoader {
    /// Columns that lines and payouts share, behind their key and before what only one of them has.
    private static let stamp = ["run_id", "observed_at", "request_started_at", "version_time", "state_rank"]
    private static let lineColumns =
        ["account_id", "source_id", "line_id"] + stamp + [
            "payout_id", "kind", "type_word", "raw_status", "state", "gross", "fee", "tax", "other", "net", "currency",
            "transaction_amount", "transaction_currency", "fx_rate", "settled_at", "happened_at", "payment_method",
            "segment", "reference", "refs", "flags", "file_name", "file_digest", "line_no", "content_hash",
        ]
    private static let payoutColumns =
        ["account_id", "source_id", "payout_id"] + stamp + [
            "amount", "currency", "paid_at", "items", "gross_total", "fee_total", "refs", "flags", "file_name",
            "file_digest", "line_no", "content_hash",
        ]

    private let context: LoadContext
    private let connection: Connection
    private let statements: FileStatements
    private let lines: FileVersions
    private let payouts: FileVersions

    package init(_ context: LoadContext, _ connection: Connection) {
        self.context = context
        self.connection = connection
        statements = FileStatements(library: context.sql, folder: "settlement")
        lines = FileVersions(
            library: context.sql, table: "settlement_line", rows: "settlement_line_row", fates: "settlement_line_fate",
            key: ["account_id", "source_id", "line_id"], columns: Self.lineColumns)
        payouts = FileVersions(
            library: context.sql, table: "payout", rows: "payout_row", fates: "payout_fate",
            key: ["account_id", "source_id", "payout_id"], columns: Self.payoutColumns)
    }

    /// Loads one file, `.gz` or plain, `-` for standard input. The same bytes again are a no-op. Throws `LoadFault`
    /// where the file is no settlement file, `PostgresError`, or `Fence.Lost`. `again`: reads a file that was loaded
    /// before, for the sake of what was quarantined then. `name`: under which it is corrected (nil: its base name).
    package func load(
        path: String, as name: SettlementName? = nil, options: SettlementOptions, again: Bool = false
    ) throws -> LoadOutcome {
        let file = try InputFile(path: path)
        let name = name ?? (path == "-" ? .none : .known(file.name))
        if try !again
            && LoadedFiles.knows(
                file, feed: .settlement, account: context.account, source: options.source,
                exportedAt: options.exportedAt, on: connection)
        {
            var outcome = LoadOutcome()
            outcome.skippedFiles = 1
            context.log(
                LogLine(.info, "file skipped", [("feed", "settlement"), ("file", file.name), ("why", "known")]))
            return outcome
        }
        let reader = try SettlementReader(file: file, options: options)
        let words = try SettlementWords(context.sql, format: reader.format)
        // Ledger time stands still for one file: everything of it became known together.
        let now = context.clock.now()
        for table in ["settlement_line_history", "payout_history"] {
            try HistoryPartitions.ensure(on: connection, table: table, covering: now...now)
        }
        return try connection.transaction { connection in
            try context.fence.check(on: connection)
            return try write(reader, name, words, now)
        }
    }

    private func write(
        _ reader: SettlementReader, _ name: SettlementName, _ words: SettlementWords, _ now: Timestamp
    ) throws -> LoadOutcome {
        let of = self.of(reader, name)
        let known = try connection.query(
            try statements.text("versions"),
            of + [.bytes(reader.file.digest), .timestamp(reader.options.exportedAt ?? now)]
        ).only()
        let version = Int(try known.int("version"))
        let quarantine = FileQuarantine(context: context, connection: connection, feed: .settlement)
        try quarantine.prepare()
        try connection.execute(try statements.text("file_table"))
        let bad = try copy(reader)
        try connection.script("create index on settlement_file (block) where is_head; analyze settlement_file")
        try lines.prepare(on: connection, more: ",\n    null::int as block")
        try payouts.prepare(on: connection, more: ",\n    null::int as block")
        let values = typing(reader, version, now)
        try connection.execute(try statements.parse("parse_payouts"), values)
        try connection.execute(
            try statements.parse("parse_lines"),
            values + [
                .textArray(words.columns), .textArray(words.words), .textArray(words.meanings),
                .text(reader.format.rawValue), .text(name.text ?? reader.file.name),
            ])
        try connection.execute(try statements.text("turn_signs"))
        try checkHeads(reader)
        let isCorrection = try name.isCertain || corrects(of)
        let isOlder = try isCorrection && known.bool("is_older")
        for records in [lines, payouts] {
            try records.decide(on: connection)
            if isOlder {
                try connection.execute(FileStatements.filled(try statements.text("late"), records.fragments))
            }
        }

        var outcome = try count(reader, name, version, now)
        try quarantine.add(bad, file: reader.file.name)
        let broken = try connection.execute(try statements.text("bad"), [.text(reader.file.name)])
        outcome.quarantined = bad.count + broken
        try connection.execute(
            try statements.text("clear"), [.int(context.account), .text(reader.options.source), .timestamp(now)])
        outcome.newlyQuarantined = try quarantine.store()
        // What cannot be read may be any record: then nothing is known to be gone.
        let isWhole = outcome.quarantined == 0 && !isOlder
        outcome.superseded = try store(now, of, isWhole: isWhole, isCorrection: isCorrection)
        // What an older version lists was dropped by a newer one; two strangers of one name are no versions of each other.
        if name.text != nil, isCorrection, !isOlder { try connection.execute(try statements.text("list"), of) }
        outcome.files = 1
        outcome.records = reader.records
        guard outcome.accounted == outcome.records else {
            throw LoadFault(
                .countsDiffer,
                "\(reader.file.name): \(outcome.records) records were read, \(outcome.accounted) are accounted for")
        }
        log(outcome, reader, version)
        return outcome
    }

    /// `$1` account, `$2` source, `$3` the name under which the file is corrected.
    private func of(_ reader: SettlementReader, _ name: SettlementName) -> [SQLValue] {
        [.int(context.account), .text(reader.options.source), .text(name.text)]
    }

    /// Whether the file in hand is a version of what was listed under its name before.
    private func corrects(_ of: [SQLValue]) throws -> Bool {
        try connection.query(try statements.text("corrects"), of).only().bool("corrects")
    }

    private func typing(_ reader: SettlementReader, _ version: Int, _ now: Timestamp) -> [SQLValue] {
        [
            .int(context.account), .int(context.run), .timestamp(now), .timestamp(reader.options.exportedAt),
            .text(reader.options.source), .bytes(reader.file.digest), .text(reader.file.name), .int(version),
            .text(reader.options.decimal?.rawValue),
        ]
    }

    /// Streams the records into `settlement_file`; returns those that PostgreSQL's reader would stumble over.
    private func copy(_ reader: SettlementReader) throws -> [BadRecord] {
        let columns = SettlementReader.columns.joined(separator: ", ")
        let delimiter = try connection.quote(String(Unicode.Scalar(reader.delimiter)))
        let encoding = try connection.quote(reader.options.encoding)
        let format = "format csv, delimiter \(delimiter), encoding \(encoding)"
        var bad: [BadRecord] = []
        try connection.copyText("copy settlement_file (\(columns)) from stdin with (\(format))") { bytes in
            bad = try reader.pass { piece in
                try context.stop.check()
                try bytes.write(piece)
            }
        }
        return bad
    }

    /// Says where the totals of a head are not those of its rows.
    private func checkHeads(_ reader: SettlementReader) throws {
        for row in try connection.query(try statements.text("check_heads")) {
            let flags = try row.textArray("flags")
            if flags.isEmpty { continue }
            var fields: [(name: String, value: String)] = [
                ("file", "\(reader.file.name):\(try row.int("line_no"))"), ("payout", try row.text("payout_id")),
                ("differ", flags.joined(separator: " ")), ("currency", try row.text("currency")),
            ]
            if let items = try row.optionalInt("items") {
                fields.append(("items", "\(items) stated, \(try row.int("found_items")) found"))
            }
            for name in ["gross", "fee", "net"] {
                guard let stated = try row.optionalText(name) else { continue }
                fields.append((name, "\(stated) stated, \(try row.text("found_\(name)")) found"))
            }
            context.log(LogLine(.warning, "head and rows of a payout differ", fields))
        }
    }

    private func count(
        _ reader: SettlementReader, _ name: SettlementName, _ version: Int, _ now: Timestamp
    ) throws -> LoadOutcome {
        let row = try connection.query(try statements.text("counts")).only()
        var outcome = LoadOutcome()
        outcome.new = Int(try row.int("new"))
        outcome.changed = Int(try row.int("changed"))
        outcome.late = Int(try row.int("late"))
        outcome.unchanged = Int(try row.int("unchanged"))
        outcome.duplicates = Int(try row.int("duplicates"))
        outcome.unknownStatuses = Int(try row.int("unknown_statuses"))
        let from = try row.optionalTimestamp("covers_from")
        let newest = try row.optionalTimestamp("newest")
        try LoadedFiles.remember(
            reader.file, as: name.text, feed: .settlement, records: reader.records,
            quarantined: reader.records - Int(try row.int("good")),
            covers: from.map { $0...max($0, newest ?? $0) }, until: reader.options.coversUntil,
            exportedAt: reader.options.exportedAt, source: reader.options.source, version: version, at: now,
            context: context, on: connection)
        var counters = JSONWriter()
        counters.object { writer in
            writer.member("records", integer: reader.records)
            writer.member("new", integer: outcome.new)
            writer.member("changed", integer: outcome.changed)
            writer.member("late", integer: outcome.late)
            writer.member("unknown", integer: outcome.unknownStatuses)
        }
        try connection.execute(
            try statements.text("feed"),
            [
                .int(context.account), .text(reader.options.source), .timestamp(now),
                .timestamp(reader.options.coversUntil), .timestamp(from), .timestamp(newest), .int(outcome.new),
                .json(String(decoding: counters.take(), as: UTF8.self)),
            ])
        return outcome
    }

    /// Puts the versions where they belong. Returns how many records the file lists no longer: where it is read whole
    /// and is another version of the one that had its name.
    private func store(_ now: Timestamp, _ of: [SQLValue], isWhole: Bool, isCorrection: Bool) throws -> Int {
        var gone = 0
        for (records, name) in [(lines, "line"), (payouts, "payout")] {
            try records.write(
                try LoadOutcome(counts(records)), account: of[0], now: .timestamp(now), on: connection)
            guard isWhole, isCorrection else { continue }
            let more = records.fragments.merging(["record": name]) { $1 }
            gone += try connection.execute(
                FileStatements.filled(try statements.text("drop_gone"), more), of + [.timestamp(now)])
        }
        guard isWhole else { return gone }
        gone += try connection.execute(
            FileStatements.filled(try statements.text("drop_gone_of_payout"), lines.fragments),
            [of[0], of[1], .timestamp(now)])
        if isCorrection { try connection.execute(try statements.text("unlist"), of) }
        return gone
    }

    /// What becomes of the records of one kind: new and changed.
    private func counts(_ records: FileVersions) throws -> Row {
        try connection.query(
            "select count(*) filter (where fate = 'new') as new, count(*) filter (where fate = 'changed') as changed from \(records.fates)"
        ).only()
    }

    private func log(_ outcome: LoadOutcome, _ reader: SettlementReader, _ version: Int) {
        context.log(
            LogLine(
                .info, "file loaded",
                [
                    ("feed", "settlement"), ("file", reader.file.name), ("format", reader.format.rawValue),
                    ("version", "\(version)"), ("records", "\(outcome.records)"), ("new", "\(outcome.new)"),
                    ("changed", "\(outcome.changed)"), ("late", "\(outcome.late)"),
                    ("unchanged", "\(outcome.unchanged)"), ("superseded", "\(outcome.superseded)"),
                    ("quarantined", "\(outcome.quarantined)"), ("unknown", "\(outcome.unknownStatuses)"),
                ]))
    }
}

extension LoadOutcome {
    fileprivate init(_ row: Row) throws {
        self.init()
        new = Int(try row.int("new"))
        changed = Int(try row.int("changed"))
    }
}
