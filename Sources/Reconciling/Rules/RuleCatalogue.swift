import FoundationEssentials
package import Postgres

/// All rules under `SQL/rules`, in rank order.
package struct RuleCatalogue: Sendable {
    /// The order in which findings of one payment rank; the first is its headline. Rules not named here come last, by id.
    package static let order = [
        "duplicate_charge", "taken_not_returned", "credited_unpaid", "expired_but_paid", "accepted_as_failed",
        "settled_uncredited", "paid_unsettled", "amount_mismatch", "currency_mismatch", "refund_mismatch",
        "dispute_unbooked", "payout_variance", "settlement_missing", "payout_unbanked", "provider_missing",
        "book_missing", "book_conflict", "view_conflict", "webhook_conflict", "webhook_unverified", "webhook_missing",
        "credited_unsettled", "expired_session", "fee_variance", "status_regression", "reference_reused",
        "destination_tag_missing", "environment_mixed", "unknown_value", "source_silent", "source_stale",
        "decline_spike",
    ]

    package let rules: [Rule]

    package init(rules: [Rule]) { self.rules = rules.sorted { Self.rank($0.id) < Self.rank($1.id) } }

    /// Reads every file of `root/SQL/rules`. Throws `RuleFault` with file and line.
    package static func load(_ library: SQLLibrary) throws -> RuleCatalogue {
        let directory = "\(library.root)/SQL/rules"
        let files = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
        var rules: [Rule] = []
        for file in files where file.hasSuffix(".sql") {
            rules.append(try Rule(text: library.text("SQL/rules/\(file)"), file: "SQL/rules/\(file)"))
        }
        return RuleCatalogue(rules: rules)
    }

    /// Every id in rank order: the known order, then whatever else is installed.
    package var ranked: [String] {
        Self.order + rules.map(\.id).filter { !Self.order.contains($0) }
    }

    private static func rank(_ id: String) -> (Int, String) { (order.firstIndex(of: id) ?? order.count, id) }
}
