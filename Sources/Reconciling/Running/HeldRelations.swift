import Postgres

/// The relations that every rule asks for, computed once per run into temporary tables, gone at commit.
///
/// As parts of a statement they would be computed anew at each mention, and the planner, which cannot see through the
/// effective money, would take thousands of charges for one and compare all with all.
struct HeldRelations {
    /// Each before those that use it.
    static let order = ["book_order", "transaction", "second_view", "claim", "verdict"]
    /// Payouts are looked at as a whole, whatever is in scope.
    static let whole = "payout"
    /// Needs to know what is due when.
    static let last = "settlement"
    static let names = Set(order + [whole, last])
    /// Wide columns that no condition asks for: to sample and sort them costs most of an analysis.
    private static let unasked = ["book_order": ["refs", "extra"], "transaction": ["refs"]]

    let step: Step

    /// Fills the table of payouts; call it once memberships are known, before any rule runs.
    func prepareWhole() throws {
        var query = step.wholeQuery
        query.held = []
        let rows = try query.compose("select v.* from scope.\(Self.whole) as v where v.account_id = $1")
        try step.connection.execute(
            "create temporary table held_\(Self.whole) on commit drop as \(rows)", [step.account])
        try step.connection.execute("analyze held_\(Self.whole)")
    }

    /// Fills the other tables.
    func prepare() throws {
        var query = step.query
        query.held = [Self.whole]
        for name in Self.order {
            try fill(name, query)
            query.held.insert(name)
        }
    }

    /// Fills the table that rests on `run_due`.
    func prepareLast() throws {
        var query = step.query
        query.held.remove(Self.last)
        try fill(Self.last, query)
    }

    private func fill(_ name: String, _ query: ScopeQuery) throws {
        let rows = try query.compose("select v.* from scope.\(name) as v where v.account_id = $1")
        try step.connection.execute("create temporary table held_\(name) on commit drop as \(rows)", [step.account])
        try step.connection.execute("create index on held_\(name) (payment_id)")
        for column in Self.unasked[name] ?? [] {
            try step.connection.execute("alter table held_\(name) alter column \(column) set statistics 0")
        }
        try step.connection.execute("analyze held_\(name)")
    }
}
