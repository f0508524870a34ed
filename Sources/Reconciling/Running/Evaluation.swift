import Payments
import Postgres

/// Runs every rule and puts each finding into its class: break, awaiting, not evaluated, before coverage, quarantined or
/// not applicable. Leaves `run_feed`, `run_rule_source`, `run_finding` and `run_judged` for what follows.
struct Evaluation {
    let step: Step
    let catalogue: RuleCatalogue
    let terms: Terms

    private var tolerances: Tolerances { step.context.tolerances }

    /// Makes the working tables, finds what is in quarantine and how far each rule can judge each source; call it once memberships are known.
    func prepare() throws {
        try step.connection.script(step.text("prepare"))
        try step.connection.script(step.text("prepare_judged"))
        try step.connection.execute(step.wholeQuery.compose(step.text("quarantined")), [step.account])
        let feeds = Feed.allCases
        let ages = feeds.map { tolerances.maximumAge[$0] ?? Tolerances.defaultMaximumAge }
        try HeldRelations(step: step).prepareWhole()
        // A flood is one of all events that a run learnt, in scope or not.
        try step.connection.execute(step.wholeQuery.compose(step.text("unverified")), [step.account])
        try step.connection.execute(step.wholeQuery.compose(step.text("unproven")), [step.account, step.asOf])
        try step.connection.script("analyze run_unproven")
        try step.execute(
            "feeds",
            [
                step.account, step.asOf, .int(step.context.run), .textArray(feeds.map(\.rawValue)), .textArray(ages),
            ])
        try step.execute("keep_verdicts", [step.account, step.asOf])
        for rule in catalogue.rules {
            try step.execute(
                "rule_sources",
                [
                    step.account, .text(rule.id), .textArray(rule.needs.map(\.rawValue)),
                    .textArray(rule.needsWhereSettledByLines.map(\.rawValue)),
                ])
        }
    }

    /// Evaluates the rules that look at a source as a whole; in a limited run before its scope is complete, so that what
    /// their findings are about comes into it.
    func runWhole() throws {
        for rule in catalogue.rules where !rule.isOfPayments { try evaluate(rule) }
    }

    /// Evaluates the rules about payments, and puts every finding into its class.
    func run() throws {
        let connection = step.connection
        try HeldRelations(step: step).prepare()
        try step.execute("due", [step.account] + terms.values)
        try connection.script("analyze run_due")
        try HeldRelations(step: step).prepareLast()
        if !step.scope.isNear { try runWhole() }
        for rule in catalogue.rules where rule.isOfPayments { try evaluate(rule) }
        try judge()
    }

    private func evaluate(_ rule: Rule) throws {
        let overrides = tolerances.parameters[rule.id] ?? [:]
        // $1 the account, $2 as_of, $3 the rule, $4 its rank; its parameters follow.
        let bound = rule.bound(from: 5, overrides: overrides)
        let isLimited = step.scope.isNear && rule.isOfPayments
        let limit = "and (f.payment_id is null or f.payment_id in (select r.payment_id from run_scope as r))"
        let tail = SQLScan.filled(try step.text("take_findings"), ["limit": isLimited ? limit : ""])
        let query = rule.isOfPayments ? step.query : step.wholeQuery
        let statement = try query.compose(finding: bound.text, tail: tail)
        let rank = catalogue.ranked.firstIndex(of: rule.id) ?? catalogue.ranked.count
        let count = try step.connection.execute(
            statement, [step.account, step.asOf, .text(rule.id), .int(rank)] + bound.values)
        step.context.log("rule", [("rule", rule.id), ("findings", "\(count)")])
    }

    private func judge() throws {
        let rules = catalogue.rules
        try step.connection.script("analyze run_finding, run_quarantined")
        let needs = rules.flatMap { rule in
            (rule.needs + rule.needsWhereSettledByLines).map { (rule: rule.id, feed: $0.rawValue) }
        }
        try step.execute(
            "judge",
            [
                step.account, step.asOf, .textArray(rules.map(\.id)), .textArray(graces), .textArray(absences),
                .textArray(needs.map(\.rule)), .textArray(needs.map(\.feed)), .int(step.context.run),
            ])
        try step.connection.script("analyze run_judged")
    }

    private var graces: [String] { catalogue.rules.map { $0.grace(tolerances.parameters[$0.id] ?? [:]) } }
    private var absences: [String] { catalogue.rules.filter { $0.proves == .absence }.map(\.id) }
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
