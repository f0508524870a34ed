import JSON
import Payments

/// One break as the reconciler reports it, in the few columns that the truth speaks of.
package struct FoundBreak: Sendable, Hashable {
    package let rule: String
    /// What it may be about: the published columns name order and transaction, not which of them is the subject.
    package let subjects: [String]
    package let severity: String
    /// `open` (acknowledged ones too: they still differ) or `healed`.
    package let state: String
    package let difference: String
    package let currency: String

    package init(
        rule: String, subjects: [String], severity: String, state: String, difference: String, currency: String
    ) {
        self.rule = rule
        self.subjects = subjects
        self.severity = severity
        self.state = ["resolved", "written_off", "healed"].contains(state) ? "healed" : "open"
        self.difference = Self.normal(difference)
        self.currency = currency
    }

    /// `-120.10` and `-120.1` are one number; nothing and zero are both no difference.
    static func normal(_ text: String) -> String {
        if text.isEmpty { return "0" }
        return (try? ExactDecimal(text))?.description ?? text
    }

    /// Reads breaks.csv, a JSON array, an object with a member `breaks`, or one JSON object a line.
    package static func read(_ bytes: [UInt8]) throws(UsageError) -> [FoundBreak] {
        let first = bytes.first { $0 > 32 }
        if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") { return try read(json: bytes) }
        return try read(csv: bytes)
    }

    private static func read(csv bytes: [UInt8]) throws(UsageError) -> [FoundBreak] {
        let table = CSVTable(bytes)
        if table.rows.isEmpty, table.header.isEmpty { return [] }
        var found: [FoundBreak] = []
        for row in table.rows {
            found.append(try make { table.value($0, in: row) })
        }
        return found
    }

    private static func read(json bytes: [UInt8]) throws(UsageError) -> [FoundBreak] {
        var found: [FoundBreak] = []
        for value in try objects(bytes) { found.append(try make { value[$0]?.scalarText }) }
        return found
    }

    private static func objects(_ bytes: [UInt8]) throws(UsageError) -> [JSONValue] {
        if let document = try? JSONDocument(bytes) {
            let root = document.root
            if root.isArray { return Array(root.elements) }
            if let list = root["breaks"], list.isArray { return Array(list.elements) }
            return [root]
        }
        var objects: [JSONValue] = []
        for line in bytes.split(separator: 10) {
            guard let document = try? JSONDocument(Array(line)) else { throw UsageError("the breaks are no JSON") }
            objects.append(document.root)
        }
        return objects
    }

    private static func make(_ value: (String) -> String?) throws(UsageError) -> FoundBreak {
        guard let rule = value("rule"), let severity = value("severity"), let state = value("state") else {
            throw UsageError("a break has no rule, severity or state")
        }
        return FoundBreak(
            rule: rule, subjects: try subjects(rule, value), severity: severity, state: state,
            difference: value("difference") ?? "", currency: value("currency") ?? "")
    }

    private static func subjects(_ rule: String, _ value: (String) -> String?) throws(UsageError) -> [String] {
        if let subject = value("subject"), !subject.isEmpty { return [subject] }
        var subjects: [String] = []
        if let transaction = value("transaction_id"), !transaction.isEmpty {
            subjects.append("transaction:\(value("source") ?? Names.source)/\(transaction)")
        }
        if let order = value("order_id"), !order.isEmpty { subjects.append(Subject.order(order)) }
        if subjects.isEmpty { throw UsageError("a break of \(rule) names neither subject, order nor transaction") }
        return subjects
    }
}
