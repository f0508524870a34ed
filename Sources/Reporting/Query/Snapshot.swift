import Crypto
import Payments
import Postgres

/// The run as one transaction sees it, and what the queries need to speak of it.
struct Snapshot {
    let run: RunFacts
    let head: ChainHead
    let currencies: [String: Int]
    let definitions: [UsedDefinition]
    private let asOf: String
    private let since: String?

    /// Reads the run, completes `queries` with its moments, and decides where breaks are read from: the current table
    /// where nothing was added to the audit trail since, else a temporary table rebuilt from the trail.
    init(_ connection: Connection, _ queries: inout QueryText, _ options: PublishOptions) throws {
        func rows(_ name: String, _ more: [String: SQLValue] = [:]) throws -> Rows {
            let query = try queries.bound("Reports/index/\(name).sql", more)
            return try connection.query(query.sql, query.values)
        }
        guard let row = try rows("run").first else {
            throw ReportingError.noRun(account: options.account, run: options.run)
        }
        let run = try RunFacts(row, account: options.account, isWhole: options.isWhole)
        self.run = run
        let now = try ChainHead(try rows("chain").first) ?? .none
        let head = try ChainHead(try rows("head", ["as_of": .timestamp(run.asOf)]).first) ?? .none
        var sinceHead: ChainHead?
        if let sinceRun = run.sinceRun, let sinceAsOf = run.sinceAsOf {
            let query = try queries.bound(
                "Reports/index/head.sql", ["run": .int(sinceRun), "as_of": .timestamp(sinceAsOf)])
            sinceHead = try ChainHead(try connection.query(query.sql, query.values).first)
        }
        self.head = head
        currencies = Dictionary(
            try rows("currencies").map { (try $0.text("code"), Int(try $0.int("exponent"))) }
        ) { first, _ in first }
        definitions = try rows("definitions").map { row in
            UsedDefinition(
                kind: try row.text("kind"), name: try row.text("name"), digest: Hex.encode(try row.bytes("digest")),
                body: try row.optionalText("body"))
        }
        queries.values.merge([
            "as_of": .timestamp(run.asOf), "period_from": .timestamp(run.periodFrom),
            "period_to": .timestamp(run.periodTo), "since_run": .int(run.sinceRun ?? 0),
            "since_as_of": .timestamp(run.sinceAsOf),
            "since_head": .int(sinceHead?.seq ?? 0), "head": .int(head.seq),
        ]) { $1 }
        let local = try queries.bound("Reports/index/moments.sql")
        let moments = try connection.query(local.sql, local.values).only()
        asOf = try moments.text("as_of")
        since = try moments.optionalText("since")
        if let relink = options.relink, run.hasSuccessor {
            try relink(connection, run.asOf)
            queries.relations["members"] = "pg_temp.link_member"
        }
        queries.relations["feed_state"] = run.keepsFeeds ? "feed_state_kept" : "feed_state_live"
        if head.seq == now.seq {
            queries.relations["breaks"] = "breaks_current"
        } else {
            try connection.execute(queries.literal("Reports/index/rebuild.sql"))
            queries.relations["breaks"] = "pg_temp.tieout_report_break"
        }
        try Self.keep(connection, &queries)
    }

    /// What several files and pages read is worked out once, each from those before it. A login that may not make temporary
    /// tables, or only reads, gets the same from each query anew.
    private static func keep(_ connection: Connection, _ queries: inout QueryText) throws {
        let may =
            "select current_setting('transaction_read_only') = 'off' and has_database_privilege(current_database(), 'temporary') as may"
        guard try connection.query(may).only().bool("may") else { return }
        for name in ["stranded", "source_notes", "abandoned", "charged"] {
            let query = try queries.literal("SQL/reporting/\(name).sql")
            try connection.execute("create temporary table tieout_report_\(name) on commit drop as \(query)")
            queries.relations[name] = "pg_temp.tieout_report_\(name)"
        }
    }

    func page(
        _ connection: Connection, _ queries: QueryText, _ overview: Overview, _ options: PublishOptions
    ) -> PageContext {
        var texts: [String: RuleText] = [:]
        for definition in definitions where definition.kind == "rule" {
            texts[definition.name] = RuleText(rule: definition.name, body: definition.body)
        }
        // A run that recorded no texts (or of a rule since added) is titled by the files.
        for rule in overview.rules where texts[rule.rule] == nil {
            texts[rule.rule] = RuleText(rule: rule.rule, body: try? queries.library.text("SQL/rules/\(rule.rule).sql"))
        }
        return PageContext(
            connection: connection, queries: queries, run: run, overview: overview,
            amounts: AmountStyle(digits: currencies), texts: texts, options: options, asOf: asOf, since: since)
    }
}
