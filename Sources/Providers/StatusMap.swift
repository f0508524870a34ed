package import Payments

/// What a provider's raw statuses mean, as data: one CSV per provider in `SQL/reference/status_map`, read top down, the
/// first row that fits wins, and a last row `*` catches what nobody modelled.
package struct StatusMap: Sendable {
    /// Whether a state comes with a webhook event.
    package enum EventExpectation: String, Sendable, Hashable {
        /// A missing event is a finding.
        case expected
        /// The provider sends none for it.
        case none
        /// It may come; that it is missing proves nothing.
        case unproven
    }

    /// What one status means for one transaction or event.
    package struct Reading: Sendable, Hashable {
        package let state: PaymentState
        /// Place in the version order among versions of the same time.
        package let rank: Int
        package let isFinal: Bool
        /// By this version alone.
        package let money: MoneyState
        /// Instead of `money`, where the object says that something was captured; nil: no difference.
        package let moneyWhenCaptured: MoneyState?
        /// Instead of `money`, where held, taken or delivered was seen earlier; nil: no difference.
        package let afterHeld: MoneyState?
        package let afterTaken: MoneyState?
        package let afterDelivered: MoneyState?
        package let event: EventExpectation
        /// False where only the catch-all row fitted: a value nobody modelled.
        package let isKnown: Bool

        /// The same with other money, where the object itself says more than its status.
        func with(_ money: MoneyState) -> Reading {
            Reading(
                state: state, rank: rank, isFinal: isFinal, money: money, moneyWhenCaptured: moneyWhenCaptured,
                afterHeld: afterHeld, afterTaken: afterTaken, afterDelivered: afterDelivered, event: event,
                isKnown: isKnown)
        }
    }

    /// What decides between several rows of one status; empty text stands for "not known" and fits only rows that do
    /// not ask.
    package struct Circumstances: Sendable {
        package var direction: Direction
        /// The provider's type, verbatim.
        package var kind: String
        /// The mapping's own class of the kind (`crypto`, `fiat`), which `when_kind` may name too.
        package var kindClass: String
        /// Who carries it out, beneath an aggregator.
        package var provider: String
        package var method: String

        package init(
            direction: Direction, kind: String = "", kindClass: String = "", provider: String = "", method: String = ""
        ) {
            self.direction = direction
            self.kind = kind
            self.kindClass = kindClass
            self.provider = provider
            self.method = method
        }
    }

    /// Why a file is no status map. `line` counts from 1.
    package struct Fault: Error, CustomStringConvertible, Sendable {
        package let line: Int
        package let message: String
        package var description: String { "status map line \(line): \(message)" }
    }

    private struct Rule: Sendable {
        let direction: Direction?
        let kinds: [String]
        let providers: [String]
        let methods: [String]
        let reading: Reading

        func fits(_ c: Circumstances) -> Bool {
            (direction == nil || direction == c.direction)
                && (kinds.isEmpty || kinds.contains(c.kind) || kinds.contains(c.kindClass))
                && (providers.isEmpty || providers.contains(c.provider))
                && (methods.isEmpty || methods.contains(c.method))
        }
    }

    private let rules: [String: [Rule]]
    private let otherwise: Reading
    /// The file as it was read: what a run stores by digest.
    package let text: String

    package static let columns = [
        "raw_status", "direction", "when_kind", "when_provider", "when_method", "state", "rank", "final", "money",
        "money_when_captured", "after_held", "after_taken", "after_delivered", "event", "why",
    ]

    /// Reads the CSV. Every word is checked: a typing error in a status map must never become a silent `unknown`.
    package init(csv text: String) throws(Fault) {
        self.text = text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let header = lines.first, Self.fields(header) == Self.columns else {
            throw Fault(line: 1, message: "the header must be \(Self.columns.joined(separator: ","))")
        }
        var rules: [String: [Rule]] = [:]
        var last: Reading?
        for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            let number = index + 1
            if last != nil { throw Fault(line: number, message: "the row * must be the last") }
            let fields = Self.fields(line)
            guard fields.count == Self.columns.count else {
                throw Fault(line: number, message: "\(fields.count) fields, \(Self.columns.count) expected")
            }
            let rule = try Self.rule(fields, line: number)
            if fields[0] == "*" {
                last = rule.reading
            } else {
                rules[fields[0], default: []].append(rule)
            }
        }
        guard let last else { throw Fault(line: lines.count, message: "no last row *") }
        self.rules = rules
        otherwise = last
    }

    /// What `rawStatus` means under the given circumstances.
    package func reading(_ rawStatus: String, _ circumstances: Circumstances) -> Reading {
        rules[rawStatus]?.first { $0.fits(circumstances) }?.reading ?? otherwise
    }

    /// Raw statuses that some row names, sorted.
    package var knownStatuses: [String] { rules.keys.sorted() }

    /// Raw statuses whose event must come: its absence is a finding. Sorted.
    package var announcedStatuses: [String] {
        rules.filter { $0.value.contains { $0.reading.event == .expected } }.keys.sorted()
    }

    private static func rule(_ fields: [String], line: Int) throws(Fault) -> Rule {
        func fault(_ column: Int) -> Fault {
            Fault(line: line, message: "`\(fields[column])` is no \(columns[column])")
        }
        func money(_ column: Int) throws(Fault) -> MoneyState? {
            if fields[column].isEmpty { return nil }
            guard let money = MoneyState(rawValue: fields[column]) else { throw fault(column) }
            return money
        }
        var direction: Direction?
        if !fields[1].isEmpty {
            guard let named = Direction(rawValue: fields[1]) else { throw fault(1) }
            direction = named
        }
        guard let state = PaymentState(rawValue: fields[5]) else { throw fault(5) }
        guard let rank = Int(fields[6]), (0...999).contains(rank) else { throw fault(6) }
        guard fields[7] == "yes" || fields[7] == "no" else { throw fault(7) }
        guard let own = try money(8) else { throw fault(8) }
        guard let event = EventExpectation(rawValue: fields[13]) else { throw fault(13) }
        let reading = Reading(
            state: state, rank: rank, isFinal: fields[7] == "yes", money: own, moneyWhenCaptured: try money(9),
            afterHeld: try money(10), afterTaken: try money(11), afterDelivered: try money(12), event: event,
            isKnown: fields[0] != "*")
        return Rule(
            direction: direction, kinds: list(fields[2]), providers: list(fields[3]), methods: list(fields[4]),
            reading: reading)
    }

    private static func list(_ field: String) -> [String] { field.split(separator: "|").map(String.init) }

    // No quoting: the files are ours, and a comma in a reason is written as a semicolon.
    private static func fields(_ line: Substring) -> [String] {
        let bare = line.last == "\r" ? line.dropLast() : line
        return bare.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
}
