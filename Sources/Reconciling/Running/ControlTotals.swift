import Payments
import Postgres

/// Ties the sides out pair by pair: every record in exactly one class, every difference explained or called unexplained.
///
/// What each payment brings is kept (`tieout.control_unit`), so a run works out anew only what it looked at, and sums up
/// only the days of which something changed.
struct ControlTotals {
    let step: Step
    let catalogue: RuleCatalogue
    let now: Timestamp

    func run(_ outcome: inout ReconcileOutcome) throws {
        let rules = SQLValue.textArray(catalogue.rules.map(\.id))
        try step.execute("units_book", [step.account, step.asOf, rules])
        try step.execute("units_webhook", [step.account])
        try step.execute("units_view", [step.account])
        try step.execute("units_settlement", [step.account])
        try step.execute("units_payout", [step.account])
        try step.execute("units_abandoned", [step.account, step.asOf])
        try step.connection.script("analyze run_unit")
        try step.execute("parts", [])
        try step.connection.script("analyze run_part")
        try countAbandoned(&outcome)
        try limited(
            "drop_parts", [step.account],
            "and (u.payment_id < 0 or u.payment_id in (select r.payment_id from run_scope as r))")
        try step.execute("add_parts", [step.account])
        try step.connection.script("analyze run_day")
        try limited(
            "totals", [step.account],
            "and (u.pair, u.business_day) in (select d.pair, d.business_day from run_day as d)")
        try step.connection.script("analyze run_total")
        if let row = try step.rows("check_totals", [step.account]).first {
            throw ControlTotalFault(
                pair: try row.text("pair"), source: try row.text("source_id"),
                businessDay: try row.optionalText("business_day"), currency: try row.text("currency"),
                bucket: try row.text("bucket"), what: try row.text("what"))
        }
        try limited(
            "retire_totals", [step.account, .timestamp(now)],
            "and (c.pair, c.business_day) in (select d.pair, d.business_day from run_day as d)")
        outcome.totalsWritten = try step.execute(
            "write_totals", [step.account, .int(step.context.run), .timestamp(now)])
        outcome.looseTotals = try step.rows("loose_totals", [step.account]).map { row in
            LooseTotal(
                pair: try row.text("pair"), source: try row.text("source_id"), direction: try row.text("direction"),
                currency: try row.text("currency"), days: try row.int("days"), records: try row.int("records"),
                sum: try row.optionalText("unexplained"))
        }
    }

    private func countAbandoned(_ outcome: inout ReconcileOutcome) throws {
        try Tally(step: step).count("abandoned")
        let rows = try step.connection.query(
            "select source_id, units from tieout.tally where account_id = $1 and name = 'abandoned' order by source_id",
            [step.account])
        for row in rows { outcome.abandoned[try row.text("source_id")] = Int(try row.int("units")) }
    }

    /// `limit` stands where the text says `{limit}`, in a run that does not look at everything.
    private func limited(_ name: String, _ values: [SQLValue], _ limit: String) throws {
        let text = SQLScan.filled(try step.text(name), ["limit": step.scope.isNear ? limit : ""])
        try step.connection.execute(step.query.compose(text), values)
    }
}

/// Counts per source that a run shows, moved by what it looked at.
struct Tally {
    let step: Step

    /// `name` is that of a file `SQL/reconciling/count_NAME.sql`.
    func count(_ name: String) throws {
        let isNear = step.scope.isNear
        let known = isNear ? try step.text("known_\(name)") : ""
        let text = SQLScan.filled(try step.text("count_\(name)"), ["known": known])
        try step.connection.execute("delete from run_tally")
        try step.connection.execute(text, text.contains("$1") ? [step.account] : [])
        try step.connection.execute(step.text("set_tally"), [step.account, .bool(isNear)])
        try step.connection.execute(step.text("drop_tally"), [step.account, .text(name), .bool(!isNear)])
    }
}
