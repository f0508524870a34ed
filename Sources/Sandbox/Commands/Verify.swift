import Foundation

/// `tieout-sandbox verify`: did the reconciler find the truth, the whole truth, and nothing else?
package enum Verify {
    package static let options = ["truth", "breaks", "night", "rules", "rows", "directory"]
    /// The rules that the planted faults are about.
    package static let usualRules = [
        "duplicate_charge", "paid_unsettled", "expired_session", "webhook_missing", "amount_mismatch", "unknown_value",
        "taken_not_returned", "credited_unpaid", "expired_but_paid", "accepted_as_failed", "settled_uncredited",
        "currency_mismatch", "provider_missing", "book_missing", "book_conflict", "credited_unsettled",
        "webhook_conflict", "webhook_unverified", "status_regression", "reference_reused", "source_silent",
        "source_stale", "environment_mixed", "view_conflict", "refund_mismatch", "dispute_unbooked", "payout_variance",
        "settlement_missing", "destination_tag_missing", "fee_variance",
    ]

    /// Prints every discrepancy through `say`, then the summary; true where there is none.
    package static func run(_ words: ArraySlice<String>, say: (String) -> Void) throws -> Bool {
        let arguments = try Arguments(words, known: options)
        if let rows = arguments["rows"] { return try compare(rows: rows, arguments, say: say) }
        let truth = try read(arguments.required("truth"))
        let breaks = try read(arguments.required("breaks"))
        let rules = arguments["rules"]?.split(separator: ",").map(String.init) ?? usualRules
        let night: Int? = try arguments.number("night", in: 1...60)
        let verification = Verification(
            expected: try Verification.expectations(truth: truth, night: night), found: try FoundBreak.read(breaks),
            rules: Set(rules))
        for line in verification.missing { say("missing: \(line)") }
        for line in verification.unexpected { say("unexpected: \(line)") }
        say(verification.summary)
        return verification.agrees
    }

    /// Stored transactions against what the provider showed that night.
    private static func compare(rows path: String, _ arguments: Arguments, say: (String) -> Void) throws -> Bool {
        guard arguments["breaks"] == nil else { throw UsageError("--rows and --breaks are two questions: ask one") }
        let workspace = Workspace(directory: try arguments.required("directory"))
        guard let plan = workspace.plan() else { throw UsageError("\(workspace.directory) holds no world") }
        let shape = plan.shape
        let night: Int = try arguments.number("night", in: 1...shape.nights) ?? shape.nights
        let result = try RowVerification(CSVTable(read(path)), plan.world, at: shape.night(night))
        for line in result.details { say(line) }
        say(result.summary)
        return result.agrees
    }

    private static func read(_ path: String) throws(UsageError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError("\(path) cannot be read")
        }
        return Array(data)
    }
}
