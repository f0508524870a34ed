import Payments
import Postgres

/// Finds what a run that does not evaluate everything must look at, and copies its facts into the tables of `NearFacts`.
///
/// First what linking may change (`findNews`), then, once that is linked, whatever else is in scope (`findRest`):
/// subjects that wait, breaks that stand, what is in quarantine, and whoever shares with any of these what a rule compares
/// across payments.
struct ScopeFinder {
    /// A chain of payments, each sharing something else with the next, is followed this far.
    static let maximumRounds = 10_000

    /// Sharing did not come to an end.
    struct NoEnd: Error, CustomStringConvertible {
        var description: String { "payments that share something did not end in \(maximumRounds) rounds" }
    }

    let step: Step

    /// Fills `run_scope` with the payments that news since `since` can link otherwise, and copies their facts.
    func findNews(since: Timestamp) throws {
        try step.connection.script(step.scopeText("prepare"))
        try run("news", [.timestamp(since)])
        try step.connection.script("analyze scope_news")
        try run("affected", [])
        try step.connection.script("analyze run_scope")
        try run("keys_before", [])
        try run("records_linked", [])
        try copy(round: 1)
        try step.connection.script(
            "analyze near_transaction, near_book_order, near_settlement_line, near_webhook_event")
    }

    /// Fills `run_scope` with whatever else is to be looked at and copies its facts; `seq` is the end of the trail when the
    /// rules last judged. The number of payments in scope.
    func findRest(seq: Int64) throws -> Int {
        try run("linked", [])
        try run("loose_events", [step.asOf])
        try run("waiting", [step.asOf, .int(seq)])
        try run("about_loose_events", [])
        try followSharing()
        try run("records_more", [])
        try copy(round: 2)
        try run("drop_shown_lines", [])
        try run("near_payouts", [])
        try run("near_order_versions", [])
        try run("near_events_about", [])
        try run("near_members", [])
        let tables = NearFacts.all.values.sorted().joined(separator: ", ")
        try step.connection.script("analyze run_scope, \(tables)")
        return Int(try step.connection.query("select count(*) from run_scope").only().int(0))
    }

    /// Adds whoever shares a key with a payment in scope, until nobody is left.
    private func followSharing() throws {
        for round in 0..<Self.maximumRounds {
            if round > 0 { try run("keys_of_round", [.int(round)]) }
            try step.connection.script("analyze run_scope, scope_key")
            if try run("sharers", [.int(round)]) == 0, round > 0 { return }
        }
        throw NoEnd()
    }

    private func copy(round: Int) throws {
        try step.connection.script("analyze scope_record")
        for name in ["near_transactions", "near_transaction_versions", "near_orders", "near_lines", "near_events"] {
            try run(name, [.int(round)])
        }
    }

    @discardableResult
    private func run(_ name: String, _ values: [SQLValue]) throws -> Int {
        try step.connection.execute(
            ScopeQuery(library: step.context.sql, knowledge: .live).compose(step.scopeText(name)),
            [step.account] + values)
    }
}
