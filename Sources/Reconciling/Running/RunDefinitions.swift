import Crypto
import FoundationEssentials
import Payments
import Postgres

/// Stores by digest the text of everything that decided something in a run, so that a report re-made as of that run uses
/// the same rules.
struct RunDefinitions {
    let step: Step

    func store(catalogue: RuleCatalogue, terms: Terms) throws {
        var definitions: [Definition] = []
        for rule in catalogue.rules {
            definitions.append(Definition(kind: "rule", name: rule.id, body: rule.text))
        }
        for name in ScopeQuery.relations {
            definitions.append(try file("view", name, "SQL/views/live/\(name).sql"))
        }
        for name in try names(in: "SQL/links") { definitions.append(try file("link", name, "SQL/links/\(name).sql")) }
        definitions.append(Definition(kind: "terms", name: "terms", body: terms.canonical))
        definitions.append(Definition(kind: "params", name: "params", body: parameters(catalogue)))
        for name in try names(in: "SQL/reference/status_map", ending: ".csv") {
            definitions.append(try file("status_map", name, "SQL/reference/status_map/\(name).csv"))
        }
        for row in try step.connection.query(step.text("calendars")) {
            definitions.append(
                Definition(kind: "calendar", name: try row.text("calendar"), body: try row.text("body")))
        }
        for row in try step.connection.query(step.text("state_matrix")) {
            definitions.append(Definition(kind: "state_matrix", name: "state_matrix", body: try row.text("body")))
        }
        try write(definitions)
    }

    private struct Definition {
        let kind: String
        let name: String
        let body: String
        var digest: [UInt8] { Digest.sha256(Array(body.utf8)) }
    }

    private func write(_ definitions: [Definition]) throws {
        let kinds = SQLValue.textArray(definitions.map(\.kind))
        let names = SQLValue.textArray(definitions.map(\.name))
        let digests = SQLValue.bytesArray(definitions.map(\.digest))
        try step.connection.execute(
            step.text("add_definitions"), [digests, kinds, names, .textArray(definitions.map(\.body))])
        try step.connection.execute(
            step.text("add_run_definitions"), [step.account, .int(step.context.run), kinds, names, digests])
    }

    private func file(_ kind: String, _ name: String, _ path: String) throws -> Definition {
        Definition(kind: kind, name: name, body: try step.context.sql.text(path))
    }

    private func names(in folder: String, ending: String = ".sql") throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(step.context.sql.root)/\(folder)")
        return files.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(4)) }.sorted()
    }

    /// Every parameter with the value that counted, and the ages, one a line.
    private func parameters(_ catalogue: RuleCatalogue) -> String {
        let tolerances = step.context.tolerances
        var lines: [String] = []
        for rule in catalogue.rules {
            for parameter in rule.parameters {
                let value = tolerances.parameters[rule.id]?[parameter.name] ?? parameter.value
                lines.append("\(rule.id).\(parameter.name) = \(value)")
            }
        }
        for (feed, age) in tolerances.maximumAge.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.append("max_age.\(feed.rawValue) = \(age)")
        }
        lines.append("max_age = \(Tolerances.defaultMaximumAge)")
        return lines.joined(separator: "\n")
    }
}
