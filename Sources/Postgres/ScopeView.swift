/// Which versions the relations of schema `scope` show.
package enum Knowledge: String, Sendable, CaseIterable {
    /// What is current now.
    case live
    /// What was current at `$2`.
    case asOf = "as_of"
}

extension SQLLibrary {
    /// Relations of `scope` that name no stored version themselves, only other relations, what a run computed, or
    /// reference data: their text in `views/live` serves every moment.
    package static let ofAnyMoment: Set<String> = [
        "source", "currency", "state_matrix", "tag_asset", "fee_schedule", "due", "feed", "refund", "dispute",
        "settlement_line", "payout", "transaction", "second_view", "payment", "verdict",
    ]

    /// Relations that all accounts share: every other one is asked for the rows of one account.
    package static let ofAllAccounts: Set<String> = ["currency", "state_matrix", "tag_asset", "fee_schedule"]

    /// The text of the relation `scope.name`: `$1` in it is the account, `$2` the moment. A relation that there is not is a
    /// `.usage` error that names the file.
    package func scopeView(_ name: String, _ knowledge: Knowledge) throws(PostgresError) -> String {
        let folder = Self.ofAnyMoment.contains(name) ? Knowledge.live : knowledge
        return try text("SQL/views/\(folder.rawValue)/\(name).sql")
    }
}
