import Payments
package import Postgres

/// Links what belongs together, runs every rule, turns findings into breaks and ties the sides out, for one account.
///
/// All of it is one database transaction under the account's fence: a run that dies leaves nothing half judged, and a
/// second run over the same facts writes nothing but its own `run_rule` rows.
package struct Reconciler {
    let connection: Connection
    let context: ReconcileContext

    package init(connection: Connection, context: ReconcileContext) {
        self.connection = connection
        self.context = context
    }

    /// Throws `RuleFault` for a rule file that cannot be used, `ControlTotalFault` where a control total does not hold,
    /// what `fenceCheck` throws where the lock is lost, and `PostgresError`.
    package func run() throws -> ReconcileOutcome {
        let catalogue = try RuleCatalogue.load(context.sql)
        let now = context.clock.now()
        try prepareHistory(now)
        return try connection.transaction { connection in
            try context.fenceCheck(connection)
            try prepareSession(connection)
            let terms =
                try context.terms.isEmpty
                ? Terms.defaults(on: connection, library: context.sql) : Terms(context.terms)
            var step = Step(connection: connection, context: context)
            let definitions = try RunDefinitions(step: step, catalogue: catalogue, terms: terms)
            let plan = try ScopePlan(step: step, catalogue: catalogue, definitions: definitions)
            step.scope = plan.scope
            var outcome = ReconcileOutcome()
            outcome.scope = plan.scope
            let evaluation = Evaluation(step: step, catalogue: catalogue, terms: terms)
            try link(evaluation, &outcome)
            try evaluation.run()
            try BreakUpdate(step: step, catalogue: catalogue, now: now).run(&outcome)
            try Bookkeeping(step: step, catalogue: catalogue).run(&outcome)
            try ControlTotals(step: step, catalogue: catalogue, now: now).run(&outcome)
            try definitions.store()
            try plan.save(step)
            context.log(
                "reconciled",
                [("opened", "\(outcome.opened)"), ("healed", "\(outcome.healed)"), ("open", "\(outcome.open)")])
            return outcome
        }
    }

    /// What suits one long run over much data, until its transaction ends.
    private func prepareSession(_ connection: Connection) throws {
        // Compiling statements of this size takes longer than running them.
        try connection.execute("set local jit = off")
        // Working tables are as regular as what they are made of: a tenth of the usual sample says as much of them.
        try connection.execute("set local default_statistics_target = 10")
        // A server as installed sorts and hashes in 4 MB, which writes most of what is joined here to disk and reads it back.
        try connection.execute(context.sql.text("SQL/reconciling/raise_memory.sql"))
    }

    /// Links what the run's scope can change, and finds the rest of it.
    private func link(_ evaluation: Evaluation, _ outcome: inout ReconcileOutcome) throws {
        let step = evaluation.step
        let finder = ScopeFinder(step: step)
        let shares = Set(evaluation.catalogue.rules.flatMap(\.shares)).sorted { $0.name < $1.name }
        let linker = Linker(library: context.sql, knowledge: .live, shares: shares)
        if case .near(let since, _) = step.scope { try finder.findNews(since: since) }
        outcome.linked = try linker.link(
            step.connection, account: context.account, asOf: context.asOf, isNear: step.scope.isNear)
        context.log("linked", [("rounds", "\(outcome.linked.rounds)"), ("added", "\(outcome.linked.added)")])
        try evaluation.prepare()
        switch step.scope {
        case .near(_, let seq):
            try evaluation.runWhole()
            outcome.inScope = try finder.findRest(seq: seq)
            context.log("scope", [("payments", "\(outcome.inScope ?? 0)")])
        case .everything(let reason):
            context.log("scope", [("payments", "all"), ("why", reason.rawValue)])
        }
    }

    /// The month's partition of the totals' history; made in a transaction of its own, so that a lost race costs nothing.
    private func prepareHistory(_ now: Timestamp) throws {
        let month = MonthPartition(table: "control_total_history", holding: now)
        try connection.transaction { connection in
            try context.fenceCheck(connection)
            try month.ensure(on: connection)
        }
    }
}

/// Runs the statements of `SQL/reconciling` for one account.
struct Step {
    let connection: Connection
    let context: ReconcileContext

    var account: SQLValue { .int(context.account) }
    var asOf: SQLValue { .timestamp(context.asOf) }
    var scope = RunScope.everything(.asked)

    /// What a rule about payments reads.
    var query: ScopeQuery {
        ScopeQuery(
            library: context.sql, knowledge: .live, standIns: scope.isNear ? NearFacts.all : [:],
            isLinkedHere: !scope.isNear, held: HeldRelations.names)
    }
    /// What a rule about a whole source reads, in whatever scope.
    var wholeQuery: ScopeQuery {
        scope.isNear ? ScopeQuery(library: context.sql, knowledge: .live, held: [HeldRelations.whole]) : query
    }

    func scopeText(_ name: String) throws -> String { try context.sql.text("SQL/scope/\(name).sql") }

    func text(_ name: String) throws -> String { try context.sql.text("SQL/reconciling/\(name).sql") }

    @discardableResult
    func execute(_ name: String, _ values: [SQLValue]) throws -> Int {
        try connection.execute(query.compose(text(name)), values)
    }

    func rows(_ name: String, _ values: [SQLValue]) throws -> Rows {
        try connection.query(query.compose(text(name)), values)
    }
}

/// One month of a history table that is partitioned by time.
struct MonthPartition {
    let table: String
    let holding: Timestamp

    func ensure(on connection: Connection) throws {
        let month = holding.description.prefix(7)
        let name = "\(table)_\(month.prefix(4))_\(month.suffix(2))"
        let year = Int(month.prefix(4)) ?? 0
        let number = Int(month.suffix(2)) ?? 1
        let next = number == 12 ? (year + 1, 1) : (year, number + 1)
        let upper = String(next.0) + "-" + (next.1 < 10 ? "0" : "") + String(next.1)
        let known = try connection.query(
            "select 1 from pg_class where oid = to_regclass($1)", [.text("tieout.\(name)")])
        if !known.isEmpty { return }
        let bounds = "from ('\(month)-01T00:00:00Z') to ('\(upper)-01T00:00:00Z')"
        try connection.execute(
            "create table if not exists tieout.\(name) partition of tieout.\(table) for values \(bounds)")
    }
}
