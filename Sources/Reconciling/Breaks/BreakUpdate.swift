import Payments
import Postgres

/// Turns what the rules found into breaks: opens, reopens, changes, heals or carries them, and appends each of these to
/// the audit trail. A break that stands as it stood writes nothing.
struct BreakUpdate {
    let step: Step
    let catalogue: RuleCatalogue
    let now: Timestamp

    func run(_ outcome: inout ReconcileOutcome) throws {
        let ran = catalogue.rules.map(\.id)
        try step.connection.script(step.text("prepare_events"))
        let trail = BreakTrail(connection: step.connection, library: step.context.sql, account: step.context.account)
        let head = try trail.lock()
        try step.execute(
            "stand",
            [step.account, step.asOf, .timestamp(now), .textArray(catalogue.ranked), .textArray(ran)])
        try step.connection.script("analyze run_stand")
        try step.execute("changes", [step.account, .int(step.context.run), .timestamp(now)])
        let counts = try step.connection.query("select event, count(*) as n from run_event group by event")
        for row in counts {
            let number = Int(try row.int("n"))
            switch try row.text("event") {
            case "opened": outcome.opened = number
            case "reopened": outcome.reopened = number
            case "healed": outcome.healed = number
            case "carried": outcome.carried = number
            default: outcome.changed += number
            }
        }
        try trail.append(after: head)
        try step.execute("move_breaks", [step.account])
        try count(&outcome)
    }

    private func count(_ outcome: inout ReconcileOutcome) throws {
        for row in try step.rows("standing", [step.account, .int(step.context.run)]) {
            guard let severity = Severity(rawValue: try row.text("severity")) else { continue }
            outcome.standing[severity] = Int(try row.int("standing"))
            outcome.fresh[severity] = Int(try row.int("fresh"))
        }
        let silent = try step.connection.query(
            "select source_id from tieout.break where account_id = $1 and rule = 'source_silent' and state = 'open' order by 1",
            [step.account])
        outcome.silentSources = try silent.map { try $0.text("source_id") }
        let open = try step.connection.query(
            "select count(*) as n from tieout.break where account_id = $1 and state in ('open', 'acknowledged')",
            [step.account])
        outcome.open = Int(try open[0].int("n"))
    }
}
