package import Payments

/// One rule: the header and the text of one file of `SQL/rules`.
package struct Rule: Sendable {
    /// What must be looked at together.
    package enum Grain: String, Sendable, CaseIterable { case payment, customer, payout, source }

    /// What a finding rests on.
    package enum Proof: String, Sendable, CaseIterable {
        /// Something seen: it fires whatever else is stale.
        case presence
        /// Something not seen: a feed that does not reach far enough silences it.
        case absence
    }

    /// One `param:` line. In the text, `{name}` becomes a bound value of `type`.
    package struct Parameter: Sendable, Hashable {
        package enum Kind: String, Sendable, CaseIterable { case interval, numeric, text, bigint }
        package let name: String
        package let type: Kind
        /// The value as PostgreSQL reads it, e.g. `24 hours`.
        package let value: String
    }

    package let id: String
    package let title: String
    package let severity: Severity
    package let grain: Grain
    package let needs: [Feed]
    package let proves: Proof
    package let parameters: [Parameter]
    package let why: String
    package let fix: String
    /// The whole file; its digest names what a run used.
    package let text: String

    /// How long after a fact its absence elsewhere is no difference yet; the parameter `grace`, else none.
    package func grace(_ overrides: [String: String]) -> String {
        overrides["grace"] ?? parameters.first { $0.name == "grace" }?.value ?? "0"
    }
}

/// Why a rule file cannot be used, with file and line.
package struct RuleFault: Error, Hashable, CustomStringConvertible {
    package let file: String
    /// From 1.
    package let line: Int
    package let message: String

    package var description: String { "\(file):\(line): \(message)" }
}
