import Postgres

/// Notes what stands besides breaks, so that it is counted, and looked at again in its time, on nights that do not look
/// at everything; and what each rule did in this run.
struct Bookkeeping {
    let step: Step
    let catalogue: RuleCatalogue

    func run(_ outcome: inout ReconcileOutcome) throws {
        let isNear = step.scope.isNear
        try step.execute("watched", [step.asOf])
        try step.connection.script("analyze run_watch")
        let whole = catalogue.rules.filter { !$0.isOfPayments }.map(\.id)
        let limit = isNear ? try step.text("watch_limit") : ""
        try step.connection.execute(
            SQLScan.filled(step.text("drop_watch"), ["limit": limit]),
            [step.account] + (isNear ? [.textArray(whole)] : []))
        try step.execute("add_watch", [step.account])
        try Tally(step: step).count("records")
        try report(&outcome)
    }

    private func report(_ outcome: inout ReconcileOutcome) throws {
        let rules = catalogue.rules.map(\.id)
        let absences = catalogue.rules.filter { $0.proves == .absence }.map(\.id)
        let tolerances = step.context.tolerances
        let graces = catalogue.rules.map { $0.grace(tolerances.parameters[$0.id] ?? [:]) }
        let run = SQLValue.int(step.context.run)
        // A run that starts again after a crash judges again.
        try step.connection.execute(
            "delete from tieout.run_rule where account_id = $1 and run_id = $2", [step.account, run])
        try step.execute("run_rules", [step.account, run, .textArray(rules), .textArray(graces), .textArray(absences)])
        try step.execute("rules_not_installed", [step.account, run, .textArray(rules)])
        for row in try step.rows("stale_feeds", [step.account, step.asOf]) {
            outcome.staleFeeds.append(
                ReconcileOutcome.StaleFeed(
                    source: try row.text("source_id"), feed: try row.text("feed"), isFresh: try row.bool("is_fresh"),
                    since: try row.timestamp("since"), reason: try row.text("why")))
        }
        for row in try step.rows("silences", [step.account, run, .textArray(absences)]) {
            let silence = ReconcileOutcome.Silence(
                rule: try row.text("rule"), source: try row.text("source_id"), reason: try row.text("reason"),
                subjects: Int(try row.int("subjects")))
            if try row.bool("not_applicable") {
                outcome.notApplicable.append(silence)
            } else {
                outcome.notEvaluated.append(silence)
            }
        }
        let waiting = try step.connection.query(
            "select count(*) as subjects from tieout.watch where account_id = $1 and reason = 'awaiting'",
            [step.account])
        outcome.awaiting = Int(try waiting[0].int("subjects"))
    }
}
