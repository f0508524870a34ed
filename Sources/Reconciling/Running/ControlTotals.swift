import Payments
import Postgres

/// Ties the sides out pair by pair: every record in exactly one class, every difference explained or called unexplained.
struct ControlTotals {
    let step: Step
    let catalogue: RuleCatalogue
    let now: Timestamp

    func run(_ outcome: inout ReconcileOutcome) throws {
        let rules = SQLValue.textArray(catalogue.rules.map(\.id))
        try step.execute("units_book", [step.account, step.asOf, rules])
        try step.execute("units_webhook", [step.account])
        try step.connection.script("analyze run_unit")
        try step.execute("totals", [])
        try step.connection.script("analyze run_total")
        if let row = try step.rows("check_totals", [step.account]).first {
            throw ControlTotalFault(
                pair: try row.text("pair"), source: try row.text("source_id"),
                businessDay: try row.optionalText("business_day"), currency: try row.text("currency"),
                bucket: try row.text("bucket"), what: try row.text("what"))
        }
        try step.execute("retire_totals", [step.account, .timestamp(now)])
        outcome.totalsWritten = try step.execute(
            "write_totals", [step.account, .int(step.context.run), .timestamp(now)])
        let loose = try step.connection.query(
            "select count(*) as n from run_total where unexplained_count <> 0 or unexplained_sum <> 0")
        outcome.totalsTie = try loose[0].int("n") == 0
    }
}
