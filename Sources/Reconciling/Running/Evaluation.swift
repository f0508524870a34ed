import Payments
import Postgres

/// Runs every rule and puts each finding into its class: break, awaiting, not evaluated, before coverage, quarantined or
/// not applicable. Leaves `run_feed`, `run_rule_source`, `run_finding` and `run_judged` for what follows.
struct Evaluation {
    let step: Step
    let catalogue: RuleCatalogue
    let terms: Terms

    private var tolerances: Tolerances { step.context.tolerances }

    func run(_ outcome: inout ReconcileOutcome) throws {
        let connection = step.connection
        try connection.script(step.text("prepare"))
        try connection.script(step.text("prepare_judged"))
        try HeldRelations(step: step).prepare()
        let feeds = Feed.allCases
        let ages = feeds.map { tolerances.maximumAge[$0] ?? Tolerances.defaultMaximumAge }
        try step.execute("unverified", [step.account])
        try step.execute("unproven", [step.account, step.asOf])
        try connection.script("analyze run_unproven")
        try step.execute(
            "feeds",
            [
                step.account, step.asOf, .int(step.context.run), .textArray(feeds.map(\.rawValue)), .textArray(ages),
            ])
        try step.execute("keep_verdicts", [step.account, step.asOf])
        try step.execute("quarantined", [step.account])
        try step.execute("due", [step.account] + terms.values)
        try connection.script("analyze run_due")
        for rule in catalogue.rules { try evaluate(rule) }
        try judge()
        try report(&outcome)
    }

    private func evaluate(_ rule: Rule) throws {
        try step.execute(
            "rule_sources", [step.account, .text(rule.id), .textArray(rule.needs.map(\.rawValue))])
        let overrides = tolerances.parameters[rule.id] ?? [:]
        // $1 the account, $2 as_of, $3 the rule, $4 its rank; its parameters follow.
        let bound = rule.bound(from: 5, overrides: overrides)
        let tail = try step.text("take_findings")
        let statement = try step.query.compose(finding: bound.text, tail: tail)
        let rank = catalogue.ranked.firstIndex(of: rule.id) ?? catalogue.ranked.count
        let count = try step.connection.execute(
            statement, [step.account, step.asOf, .text(rule.id), .int(rank)] + bound.values)
        step.context.log("rule", [("rule", rule.id), ("findings", "\(count)")])
    }

    private func judge() throws {
        let rules = catalogue.rules
        try step.connection.script("analyze run_finding, run_quarantined")
        let needs = rules.flatMap { rule in rule.needs.map { (rule: rule.id, feed: $0.rawValue) } }
        try step.execute(
            "judge",
            [
                step.account, step.asOf, .textArray(rules.map(\.id)), .textArray(graces), .textArray(absences),
                .textArray(needs.map(\.rule)), .textArray(needs.map(\.feed)), .int(step.context.run),
            ])
        try step.connection.script("analyze run_judged")
        try step.execute("drop_watch", [step.account, step.asOf])
        try step.execute("add_watch", [step.account, step.asOf])
    }

    private var graces: [String] { catalogue.rules.map { $0.grace(tolerances.parameters[$0.id] ?? [:]) } }
    private var absences: [String] { catalogue.rules.filter { $0.proves == .absence }.map(\.id) }

    private func report(_ outcome: inout ReconcileOutcome) throws {
        let rules = catalogue.rules.map(\.id)
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
        for row in try step.rows("abandoned", [step.account, step.asOf]) {
            outcome.abandoned[try row.text("source_id")] = Int(try row.int("orders"))
        }
    }
}

extension Rule {
    /// The text with each `{name}` as a bound value, numbered from `first`, and those values.
    func bound(from first: Int, overrides: [String: String]) -> (text: String, values: [SQLValue]) {
        var text = ""
        let bindable = bindable
        for part in SQLScan.parts(of: self.text) {
            switch part {
            case .verbatim(let piece): text += piece
            case .code(let piece):
                var code = String(piece)
                for (index, parameter) in bindable.enumerated() {
                    code = code.replacing("{\(parameter.name)}", with: "$\(first + index)::\(parameter.type.rawValue)")
                }
                text += code
            }
        }
        // Texts, cast by the server: one notation for headers and configuration alike.
        return (text, bindable.map { .text(overrides[$0.name] ?? $0.value) })
    }

    /// Parameters that the text uses; `grace` may serve the runner alone.
    private var bindable: [Parameter] {
        let used = parameterNames(in: text)
        return parameters.filter { used.contains($0.name) }
    }
}
