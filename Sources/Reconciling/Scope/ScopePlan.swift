import Crypto
import Payments
import Postgres

/// Decides whether a run may leave out what no news touches, from how far each rule has judged and by which texts; and
/// notes it when the run has judged. In the same transaction as the breaks: a run that dies has judged nothing.
struct ScopePlan {
    /// A full evaluation at least this often.
    static let fullEvery: Int64 = 7 * 86_400

    let scope: RunScope
    private let rules: [String]
    private let digests: [[UInt8]]

    /// `definitions` is everything besides the rules that decided something in a run.
    init(step: Step, catalogue: RuleCatalogue, definitions: RunDefinitions) throws {
        let surroundings = try step.connection.query(step.scopeText("surroundings"), [step.account])
        let common = try definitions.common() + [surroundings.only().text("body")]
        rules = catalogue.rules.map(\.id)
        digests = catalogue.rules.map { rule in
            let parts =
                common + [
                    rule.text, RunDefinitions.parameters(of: rule, step.context.tolerances).joined(separator: "\n"),
                ]
            return Digest.sha256(parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
        }
        scope = try Self.scope(step, rules: rules, digests: digests)
    }

    private static func scope(_ step: Step, rules: [String], digests: [[UInt8]]) throws -> RunScope {
        if step.context.isFull { return .everything(.asked) }
        var known: [String: [UInt8]] = [:]
        var since: Timestamp?
        var full: Timestamp?
        var seq = Int64.max
        for row in try step.connection.query(step.scopeText("rule_states"), [step.account]) {
            let judged = try row.timestamp("judged_to")
            known[try row.text("rule")] = try row.bytes("digest")
            since = since.map { min($0, judged) } ?? judged
            seq = min(seq, try row.int("judged_seq"))
            guard let last = try row.optionalTimestamp("full_at") else { return .everything(.definitions) }
            full = full.map { min($0, last) } ?? last
        }
        guard let since, let full else { return .everything(.first) }
        if known != Dictionary(uniqueKeysWithValues: zip(rules, digests)) { return .everything(.definitions) }
        if full.adding(seconds: fullEvery) <= step.context.asOf { return .everything(.weekly) }
        return .near(since: since, seq: seq)
    }

    /// Notes that every rule has judged up to the run's knowledge cut.
    func save(_ step: Step) throws {
        try step.connection.execute(step.scopeText("drop_rule_states"), [step.account, .textArray(rules)])
        try step.connection.execute(
            step.scopeText("save_rule_states"),
            [step.account, .textArray(rules), .bytesArray(digests), step.asOf, .bool(!scope.isNear)])
    }
}
