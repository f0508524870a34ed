import Foundation

/// `tieout-sandbox verify`: did the reconciler find the truth, the whole truth, and nothing else?
package enum Verify {
    package static let options = ["truth", "breaks", "night", "rules"]
    /// The rules that the planted faults are about.
    package static let usualRules = [
        "duplicate_charge", "paid_unsettled", "expired_session", "webhook_missing", "amount_mismatch", "unknown_value",
    ]

    /// Prints every discrepancy through `say`, then the summary; true where there is none.
    package static func run(_ words: ArraySlice<String>, say: (String) -> Void) throws -> Bool {
        let arguments = try Arguments(words, known: options)
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

    private static func read(_ path: String) throws(UsageError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError("\(path) cannot be read")
        }
        return Array(data)
    }
}
