/// One break that must be raised, and how it must stand after each night. Written down by whoever plants the fault, never
/// by looking at what a reconciler makes of it.
package struct Planted: Sendable, Hashable {
    /// How a break stands after one night.
    package struct Standing: Sendable, Hashable {
        package let night: Int
        /// `open`, or `healed` from the first night on whose data no longer shows it.
        package let state: String
        package let severity: String
    }

    package let rule: String
    package let subject: String
    /// Another name for the same subject, where the design allows two.
    package let or: String?
    /// Nights before the first one here: not there yet.
    package let standing: [Standing]
    /// Book − provider, plain decimal; empty where the difference is none of amount.
    package let difference: String
    package let currency: String
    /// False: another break of the same payment ranks before it.
    package let isPrimary: Bool
    package let why: String

    /// - Parameters:
    ///   - opens: the first night whose data shows it.
    ///   - severity: from that night on.
    ///   - worse: nights from which the severity is another one.
    ///   - heals: the first night whose data no longer shows it.
    package init(
        _ rule: String, _ subject: String, or: String? = nil, nights: Int, opens: Int = 1, severity: String,
        worse: [Int: String] = [:], heals: Int? = nil, difference: String = "", currency: String = "",
        isPrimary: Bool = true, why: String
    ) {
        self.rule = rule
        self.subject = subject
        self.or = or
        self.difference = difference
        self.currency = currency
        self.isPrimary = isPrimary
        self.why = why
        var current = severity
        var standing: [Standing] = []
        for night in max(opens, 1)...max(nights, opens) where night <= nights {
            if let changed = worse[night] { current = changed }
            let healed = heals.map { $0 <= night } ?? false
            standing.append(Standing(night: night, state: healed ? "healed" : "open", severity: current))
        }
        self.standing = standing
    }

    package func standing(night: Int) -> Standing? { standing.first { $0.night == night } }
}

/// How subjects are written.
package enum Subject {
    package static func order(_ id: String) -> String { "order:\(id)" }
    package static func event(_ id: String) -> String { "event:\(Names.source)/\(Deliveries.profile)/\(id)" }
    package static func transaction(_ id: String, source: String = Names.source) -> String {
        "transaction:\(source)/\(id)"
    }
}

/// The names a generated world goes by.
package enum Names {
    /// The provider of a world of which nothing else is said.
    package static let provider = "meld"
    package static let source = "meld-sandbox"
    package static let account = "demo"
    package static let webhookURL = "https://recon.example.com/hooks/meld"
    package static let version = "2026-05-01"
}
