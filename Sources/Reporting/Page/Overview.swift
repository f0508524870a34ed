import Payments
import Postgres

/// Everything small that the pages say: counts and sums, read once.
struct Overview {
    struct AtRisk {
        let currency: String
        let amount, critical, news, acknowledged: String
        let breaks: Int64
    }

    struct Counts {
        let standing, primaries, acknowledged, opened, reopened, carried, baseline: Int64
        /// Primary breaks, worst first.
        let bySeverity: [(word: String, count: Int64)]
        let healed, resolved, writtenOff: Int64
    }

    struct RuleCount {
        let rule: String
        let breaks, secondary, news, acknowledged: Int64
        /// By age: 0–1, 2–7, 8–30, 31–60, 61–90, 91+.
        let ages: [Int64]
        var atRisk: [(currency: String, amount: String)] = []
    }

    struct Feed {
        let source, feed, state, life, environment: String
        /// In the account's zone, to the minute, as the page shows them.
        let coveredFrom, watermark, lastSuccess, failingSince, incompleteSince, failure: String?
        /// The same moments as they are, for machines.
        let watermarkAt, failingAt, incompleteAt: Timestamp?
        let backfillComplete: Bool
        let lateArrivals, records: Int64
        var isBehind: Bool { state != "current" && state != "retired" }
    }

    struct Total {
        let pair, direction, currency, firstDay, lastDay: String
        let aCount, bCount, breaksCount, awaitingCount, otherCount, unexplainedCount, openRows: Int64
        let aSum, bSum, difference, unexplainedSum: String?
        let breaksSum, awaitingSum, otherSum: String
        var tiesOut: Bool { unexplainedCount == 0 && (unexplainedSum.map(AmountStyle.isZero) ?? true) }
    }

    /// What was not taken in or not judged, though every feed may be current.
    struct Gaps {
        /// Records in quarantine.
        let quarantined: Int64
        /// Rules that looked at nothing, or not at everything, because a feed or a record is missing.
        let silentRules: Int64
        /// Subjects they left open.
        let notEvaluated: Int64
        var isNone: Bool { quarantined == 0 && silentRules == 0 }
    }

    static let buckets = ["0–1", "2–7", "8–30", "31–60", "61–90", "91+"]

    let atRisk: [AtRisk]
    let counts: Counts
    let rules: [RuleCount]
    let feeds: [Feed]
    let totals: [Total]
    let gaps: Gaps

    /// Reads it all; fills the temporary table of cells first.
    init(_ connection: Connection, _ queries: QueryText) throws {
        try connection.execute(queries.literal("Reports/index/cells.sql"))
        func rows(_ name: String) throws -> Rows {
            let query = try queries.bound("Reports/index/\(name).sql")
            return try connection.query(query.sql, query.values)
        }
        atRisk = try rows("at_risk").map { row in
            AtRisk(
                currency: try row.text("currency"), amount: try row.text("at_risk"), critical: try row.text("critical"),
                news: try row.text("news"), acknowledged: try row.text("acknowledged"), breaks: try row.int("breaks"))
        }
        let count = try rows("counts").only()
        let closed = try rows("closed_counts").only()
        counts = Counts(
            standing: try count.int("standing"), primaries: try count.int("primaries"),
            acknowledged: try count.int("acknowledged"), opened: try count.int("opened"),
            reopened: try count.int("reopened"), carried: try count.int("carried"),
            baseline: try count.int("baseline"),
            bySeverity: try ["critical", "high", "medium", "low", "info"].map { ($0, try count.int($0)) },
            healed: try closed.int("healed"), resolved: try closed.int("resolved"),
            writtenOff: try closed.int("written_off"))
        var byRule = try rows("rules").map { row in
            RuleCount(
                rule: try row.text("rule"), breaks: try row.int("breaks"), secondary: try row.int("secondary"),
                news: try row.int("news"), acknowledged: try row.int("acknowledged"),
                ages: try (1...6).map { try row.int("age_\($0)") })
        }
        for row in try rows("rule_risk") {
            let rule = try row.text("rule")
            if let index = byRule.firstIndex(where: { $0.rule == rule }) {
                byRule[index].atRisk.append((try row.text("currency"), try row.text("at_risk")))
            }
        }
        rules = byRule
        feeds = try rows("feeds").map { row in
            Feed(
                source: try row.text("source"), feed: try row.text("feed"), state: try row.text("state"),
                life: try row.text("life"), environment: try row.text("environment"),
                coveredFrom: try row.optionalText("covered_from"), watermark: try row.optionalText("watermark"),
                lastSuccess: try row.optionalText("last_success"),
                failingSince: try row.optionalText("failing_since"),
                incompleteSince: try row.optionalText("incomplete_since"), failure: try row.optionalText("failure"),
                watermarkAt: try row.optionalTimestamp("watermark_at"),
                failingAt: try row.optionalTimestamp("failing_at"),
                incompleteAt: try row.optionalTimestamp("incomplete_at"),
                backfillComplete: try row.bool("backfill_complete"), lateArrivals: try row.int("late_arrivals"),
                records: try row.int("records"))
        }
        let gap = try rows("completeness").only()
        gaps = Gaps(
            quarantined: try gap.int("quarantined"), silentRules: try gap.int("silent_rules"),
            notEvaluated: try gap.int("not_evaluated"))
        totals = try rows("totals").map { row in
            Total(
                pair: try row.text("pair"), direction: try row.text("direction"), currency: try row.text("currency"),
                firstDay: try row.text("first_day"), lastDay: try row.text("last_day"), aCount: try row.int("a_count"),
                bCount: try row.int("b_count"), breaksCount: try row.int("breaks_count"),
                awaitingCount: try row.int("awaiting_count"), otherCount: try row.int("other_count"),
                unexplainedCount: try row.int("unexplained_count"), openRows: try row.int("open_rows"),
                aSum: try row.optionalText("a_sum"), bSum: try row.optionalText("b_sum"),
                difference: try row.optionalText("difference"),
                unexplainedSum: try row.optionalText("unexplained_sum"), breaksSum: try row.text("breaks_sum"),
                awaitingSum: try row.text("awaiting_sum"), otherSum: try row.text("other_sum"))
        }
    }

    var behind: [Feed] { feeds.filter(\.isBehind) }
    var isCurrent: Bool { !feeds.isEmpty && behind.isEmpty }
    /// Every feed current, every record taken in, every rule heard.
    var isComplete: Bool { isCurrent && gaps.isNone }
    var untied: [Total] { totals.filter { !$0.tiesOut } }
    var tiesOut: Bool { !totals.isEmpty && untied.isEmpty }
}
