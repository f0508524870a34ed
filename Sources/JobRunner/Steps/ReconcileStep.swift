import JSON
import Loading
import Payments
import Postgres
import Reconciling

/// Links, judges, keeps breaks, ties the sides out; then says which exit conditions follow.
struct ReconcileStep {
    let run: AccountRun
    let context: LoadContext
    let connection: Connection
    let asOf: Timestamp

    /// Returns the run's summary as JSON.
    func perform() throws -> String {
        let failOn = try FailOn(run.workspace.arguments)
        let fence = context.fence
        let log = context.log
        log(LogLine(.debug, "linking and judging"))
        let outcome = try Reconciler(
            connection: connection,
            context: ReconcileContext(
                account: context.account, run: context.run, asOf: asOf, clock: context.clock,
                fenceCheck: { try fence.check(on: $0) }, sql: context.sql, terms: run.account.terms.map(Term.init),
                tolerances: Tolerances(parameters: run.account.parameters),
                isFull: run.workspace.arguments.has("full"),
                log: { event, fields in log(LogLine(.info, event, fields.map { ($0.name, $0.value) })) })
        ).run()
        run.log(
            outcome.totalsTie ? .info : .warning, "reconciled",
            [
                ("open", String(outcome.open)), ("opened", String(outcome.opened)),
                ("reopened", String(outcome.reopened)),
                ("changed", String(outcome.changed)), ("healed", String(outcome.healed)),
                ("carried", String(outcome.carried)),
                ("awaiting", String(outcome.awaiting)), ("ties_out", outcome.totalsTie ? "yes" : "no"),
            ])
        for total in outcome.looseTotals {
            run.log(
                .warning, "totals do not tie out",
                [
                    ("pair", total.pair), ("source", total.source), ("direction", total.direction),
                    ("currency", total.currency), ("days", String(total.days)),
                    ("unexplained_records", String(total.records)), ("unexplained", total.sum ?? "-"),
                    ("see", "control-totals.csv"),
                ])
        }
        for silence in outcome.notEvaluated {
            run.log(
                .warning, "not evaluated",
                [
                    ("rule", silence.rule), ("source", silence.source), ("subjects", String(silence.subjects)),
                    ("why", silence.reason),
                ])
        }
        for feed in outcome.staleFeeds {
            run.log(
                .warning, "data incomplete",
                [
                    ("source", feed.source), ("feed", feed.feed), ("since", feed.since.wholeSeconds),
                    ("why", feed.reason),
                ])
        }
        for row in try connection.query(context.sql.text("SQL/jobs/draining.sql"), [.int(context.account)]) {
            run.log(
                .warning, "new rows at a draining source",
                [
                    ("source", try row.text("source_id")), ("rows", String(try row.int("records"))),
                    ("since", try row.timestamp("life_since").wholeSeconds),
                ])
        }
        for source in outcome.silentSources { run.log(.warning, "source silent", [("source", source)]) }
        if !outcome.notEvaluated.isEmpty || !outcome.staleFeeds.isEmpty { run.conditions.insert(.incomplete) }
        if !outcome.silentSources.isEmpty, run.workspace.arguments.has("strict") { run.conditions.insert(.incomplete) }
        if failOn.applies(to: outcome) { run.conditions.insert(.breaks) }
        if !outcome.totalsTie { run.conditions.insert(.unexplained) }
        return summary(outcome)
    }

    private func summary(_ outcome: ReconcileOutcome) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("open", integer: outcome.open)
            writer.member("opened", integer: outcome.opened)
            writer.member("reopened", integer: outcome.reopened)
            writer.member("changed", integer: outcome.changed)
            writer.member("healed", integer: outcome.healed)
            writer.member("carried", integer: outcome.carried)
            writer.member("awaiting", integer: outcome.awaiting)
            writer.member("ties_out", bool: outcome.totalsTie)
            writer.member("silent_sources", strings: outcome.silentSources)
        }
        return String(decoding: writer.take(), as: UTF8.self)
    }
}

/// `--fail-on SEVERITY` (default critical, `none`: never) and `--fail-on-new`.
struct FailOn {
    private let severity: Severity?
    private let onlyNew: Bool

    init(_ arguments: Arguments) throws(OperatorError) {
        onlyNew = arguments.has("fail-on-new")
        if try arguments.value("fail-on") == "none" {
            severity = nil
        } else {
            severity = try arguments.word("fail-on", Severity.self) ?? .critical
        }
    }

    func applies(to outcome: ReconcileOutcome) -> Bool {
        guard let severity else { return false }
        let counts = onlyNew ? outcome.fresh : outcome.standing
        return counts.contains { $0.key >= severity && $0.value > 0 }
    }
}

extension Term {
    fileprivate init(_ term: TermConfiguration) {
        self.init(
            source: term.source, provider: term.provider, method: term.paymentMethod, direction: term.direction,
            currency: term.currency, amount: term.amount, unit: term.unit, cutOff: term.cutOff,
            zone: term.zone ?? "UTC",
            calendars: term.calendars ?? "")
    }
}
