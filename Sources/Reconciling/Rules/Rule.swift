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

    /// One `shares:` line: columns of current facts that the rule compares across payments. Payments with equal values
    /// in all of them are looked at together; a row that lacks one of them shares nothing.
    package struct Share: Sendable, Hashable {
        package enum Relation: String, Sendable, CaseIterable {
            case transaction
            case order = "book_order"

            /// The ending of the name of the file under `SQL/links` that keeps them.
            var files: String { self == .order ? "orders" : "transactions" }
        }
        package let relation: Relation
        package let columns: [String]

        var name: String { "\(relation.rawValue) \(columns.joined(separator: " "))=" }
    }

    package let id: String
    package let title: String
    package let severity: Severity
    package let grain: Grain
    package let needs: [Feed]
    /// What it needs besides, of sources whose payments are settled by what lines say and by nothing else.
    package let needsWhereSettledByLines: [Feed]
    package let proves: Proof
    package let parameters: [Parameter]
    /// What ties payments of grain `customer` together.
    package let shares: [Share]
    package let why: String
    package let fix: String
    /// The whole file; its digest names what a run used.
    package let text: String

    /// Whether its verdict on a payment rests on that payment and on those that share something with it. The others look
    /// at a source as a whole, and are evaluated over everything each night.
    package var isOfPayments: Bool { grain == .payment || grain == .customer }

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
