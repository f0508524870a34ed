/// Which versions the relations of schema `scope` show.
package enum Knowledge: String, Sendable, CaseIterable {
    /// What is current now.
    case live
    /// What was current at `$2`.
    case asOf = "as_of"
}

extension SQLLibrary {
    /// Relations that all accounts share: every other one is asked for the rows of one account.
    package static let ofAllAccounts: Set<String> = ["currency", "state_matrix", "tag_asset", "fee_schedule"]

    /// Tables of schema `tieout` whose rows change: as of a moment, `past` stands in for each.
    package static let changing: Set<String> = [
        "transaction", "transaction_history", "book_order", "book_absence", "settlement_line", "payout",
        "webhook_event", "vanished", "stranger", "payment_member",
    ]

    /// The text of the relation `scope.name`: `$1` in it is the account. It names tables as they are now; as of a moment
    /// `past` takes the place of those that change. A relation that there is not is a `.usage` error that names the file.
    package func scopeView(_ name: String) throws(PostgresError) -> String {
        try text("SQL/views/live/\(name).sql")
    }

    /// What a table of `changing` held at the moment `$2`. A file that selects from `{version}` does so from the current
    /// versions and from those that were superseded later: one list of columns for both.
    package func past(_ table: String) throws(PostgresError) -> String {
        let version = try text("SQL/views/as_of/\(table).sql")
        guard version.contains("{version}") else { return version }
        let current = version.replacing("{version}", with: "tieout.\(table) as x\nwhere x.observed_at <= $2")
        let superseded = version.replacing(
            "{version}", with: "tieout.\(table)_history as x\nwhere x.observed_at <= $2 and x.superseded_at > $2")
        return "\(current)union all\n\(superseded)"
    }
}
