import Crypto
import FoundationEssentials
import Payments
import Postgres

/// Stores by digest the text of everything that decided something in a run, so that a report re-made as of that run uses
/// the same rules.
struct RunDefinitions {
    private struct Definition {
        let kind: String
        let name: String
        let body: String
        var digest: [UInt8] { Digest.sha256(Array(body.utf8)) }
    }

    private let step: Step
    private let catalogue: RuleCatalogue
    private let definitions: [Definition]

    init(step: Step, catalogue: RuleCatalogue, terms: Terms) throws {
        self.step = step
        self.catalogue = catalogue
        let sql = step.context.sql
        func file(_ kind: String, _ folder: String, _ name: String) throws -> Definition {
            Definition(kind: kind, name: name, body: try sql.text("\(folder)/\(name).sql"))
        }
        var definitions = catalogue.rules.map { Definition(kind: "rule", name: $0.id, body: $0.text) }
        for name in ScopeQuery.relations { definitions.append(try file("view", "SQL/views/live", name)) }
        for name in try Self.names(in: "\(sql.root)/SQL/links") {
            definitions.append(try file("link", "SQL/links", name))
        }
        definitions.append(Definition(kind: "terms", name: "terms", body: terms.canonical))
        definitions.append(Definition(kind: "params", name: "params", body: Self.parameters(step, catalogue)))
        for name in try Self.names(in: "\(sql.root)/SQL/reference/status_map", ending: ".csv") {
            definitions.append(
                Definition(kind: "status_map", name: name, body: try sql.text("SQL/reference/status_map/\(name).csv")))
        }
        for row in try step.connection.query(step.text("calendars")) {
            definitions.append(
                Definition(kind: "calendar", name: try row.text("calendar"), body: try row.text("body")))
        }
        for row in try step.connection.query(step.text("reference")) {
            definitions.append(
                Definition(kind: "reference", name: try row.text("name"), body: try row.text("body")))
        }
        for row in try step.connection.query(step.text("state_matrix")) {
            definitions.append(Definition(kind: "state_matrix", name: "state_matrix", body: try row.text("body")))
        }
        self.definitions = definitions
    }

    func store() throws {
        let kinds = SQLValue.textArray(definitions.map(\.kind))
        let names = SQLValue.textArray(definitions.map(\.name))
        let digests = SQLValue.bytesArray(definitions.map(\.digest))
        try step.connection.execute(
            step.text("add_definitions"), [digests, kinds, names, .textArray(definitions.map(\.body))])
        try step.connection.execute(
            step.text("add_run_definitions"), [step.account, .int(step.context.run), kinds, names, digests])
    }

    /// What the verdicts of every rule rest on besides its own text and parameters: the ranks of all rules, views, links,
    /// terms, calendars, the state matrix, the ages of feeds and the statements that follow the rules. A changed status map gives
    /// new versions, which are news.
    func common() throws -> [String] {
        var texts = [catalogue.ranked.joined(separator: " ")]
        texts += definitions.filter { !["rule", "params", "status_map"].contains($0.kind) }.map(\.body)
        texts += Self.ages(step)
        let sql = step.context.sql
        for folder in ["SQL/reconciling", "SQL/scope"] {
            for name in try Self.names(in: "\(sql.root)/\(folder)") {
                texts.append(try sql.text("\(folder)/\(name).sql"))
            }
        }
        return texts
    }

    /// The rule's parameters with the values that count, one a line.
    static func parameters(of rule: Rule, _ tolerances: Tolerances) -> [String] {
        rule.parameters.map { parameter in
            let value = tolerances.parameters[rule.id]?[parameter.name] ?? parameter.value
            return "\(rule.id).\(parameter.name) = \(value)"
        }
    }

    /// Every parameter with the value that counted, and the ages, one a line.
    private static func parameters(_ step: Step, _ catalogue: RuleCatalogue) -> String {
        let lines = catalogue.rules.flatMap { parameters(of: $0, step.context.tolerances) }
        return (lines + ages(step)).joined(separator: "\n")
    }

    private static func ages(_ step: Step) -> [String] {
        let ages = step.context.tolerances.maximumAge.sorted { $0.key.rawValue < $1.key.rawValue }
        return ages.map { "max_age.\($0.key.rawValue) = \($0.value)" } + ["max_age = \(Tolerances.defaultMaximumAge)"]
    }

    private static func names(in folder: String, ending: String = ".sql") throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        return files.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(4)) }.sorted()
    }
}
