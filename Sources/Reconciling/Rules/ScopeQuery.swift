import Postgres
import Synchronization

/// Which versions the relations of schema `scope` show.
package enum Knowledge: String, Sendable, CaseIterable {
    /// What is current now.
    case live
    /// What was current at `$2`.
    case asOf = "as_of"
}

/// A statement that names relations of schema `scope`, made runnable: each relation becomes a `with` member with the text
/// of its view, limited to account `$1`.
///
/// Views that read a setting, functions with parameters and temporary views each fail on a clustered database; plain
/// subqueries do not.
struct ScopeQuery {
    /// Every relation, each before those that use it.
    static let relations = [
        "source", "member", "currency", "state_matrix", "due", "feed", "arrival", "version", "claim",
        "unverified_event",
        "webhook_event", "transaction", "book_order", "payment", "verdict",
    ]
    /// Relations that a run computes: they exist within it only.
    static let ofRun: Set<String> = ["due", "feed", "claim", "unverified_event", "verdict"]
    /// Relations that all accounts share.
    static let shared: Set<String> = ["currency", "state_matrix"]
    /// Relations that can be limited to payments in scope.
    static let ofPayments: Set<String> = ["transaction", "book_order", "payment", "verdict"]

    let library: SQLLibrary
    let knowledge: Knowledge
    /// True: only payments in the temporary table `run_scope`.
    var isLimited = false
    /// True: memberships are those that linking has just left in the temporary table `link_member`, whose statistics the
    /// planner knows; the stored ones say the same.
    var isLinkedHere = false
    /// Relations of this account that the run holds as temporary tables `held_NAME`; see `HeldRelations`.
    var held: Set<String> = []

    /// A name in schema `scope` that no view defines.
    struct UnknownRelation: Error, CustomStringConvertible {
        let name: String
        var description: String {
            "scope.\(name) is no relation; known are \(ScopeQuery.relations.joined(separator: ", "))"
        }
    }

    /// `statement` with the `with` members it needs before it, ahead of its own.
    func compose(_ statement: String) throws -> String {
        let members = try members(for: statement)
        let text = Self.renamed(statement).text
        if members.isEmpty { return text }
        var body = text[...]
        while body.hasPrefix("--") { body = body.drop { !$0.isNewline }.drop(while: \.isWhitespace) }
        let own = body.hasPrefix("with ") ? ",\n" + body.dropFirst(5) : "\n" + body
        return "with " + members.joined(separator: ",\n") + own
    }

    /// `with … , finding as (rule) tail`.
    func compose(finding rule: String, tail: String) throws -> String {
        let members = try members(for: rule) + ["finding as (\n\(Self.renamed(rule).text)\n)"]
        return "with \(members.joined(separator: ",\n"))\n\(tail)"
    }

    private func members(for statement: String) throws -> [String] {
        var needed: [String: String] = [:]
        var open = Self.renamed(statement).names
        while let name = open.popFirst() {
            if needed[name] != nil { continue }
            guard Self.relations.contains(name) else { throw UnknownRelation(name: name) }
            let view = Self.renamed(try definition(name))
            needed[name] = view.text
            open.formUnion(view.names)
        }
        return Self.relations.compactMap { name in
            needed[name].map { "scope_\(name) as not materialized (select v.* from (\n\($0)\n) as v\(filter(name)))" }
        }
    }

    private func definition(_ name: String) throws -> String {
        if held.contains(name) { return "select h.* from held_\(name) as h" }
        let kind = isLinkedHere && name == "member" ? Knowledge.asOf : knowledge
        return try library.text("SQL/views/\(kind.rawValue)/\(name).sql")
    }

    private func filter(_ name: String) -> String {
        if Self.shared.contains(name) { return "" }
        let scope = isLimited && Self.ofPayments.contains(name)
        return " where v.account_id = $1"
            + (scope ? " and v.payment_id in (select r.payment_id from run_scope as r)" : "")
    }

    private static let known = Mutex<[String: (text: String, names: Set<String>)]>([:])

    /// The text with `scope.NAME` as `scope_NAME`, outside strings and comments, and the names met.
    static func renamed(_ text: String) -> (text: String, names: Set<String>) {
        if let result = known.withLock({ $0[text] }) { return result }
        let result = rename(text)
        known.withLock { $0[text] = result }
        return result
    }

    private static func rename(_ text: String) -> (text: String, names: Set<String>) {
        var result = ""
        var names: Set<String> = []
        for part in SQLScan.parts(of: text) {
            switch part {
            case .verbatim(let text): result += text
            case .code(let code):
                var rest = code
                while let dot = rest.firstRange(of: "scope.") {
                    let before = code[..<dot.lowerBound].last
                    let isWordStart = before.map { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." } ?? true
                    result += rest[..<dot.lowerBound]
                    rest = rest[dot.upperBound...]
                    guard isWordStart else {
                        result += "scope."
                        continue
                    }
                    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                    names.insert(String(name))
                    result += "scope_\(name)"
                    rest = rest[name.endIndex...]
                }
                result += rest
            }
        }
        return (result, names)
    }
}

/// The live views of schema `scope`, for people in psql.
enum ScopeViews {
    /// Makes them anew. What exists only within a run is left out.
    static func install(on connection: Connection, library: SQLLibrary) throws {
        let names = ScopeQuery.relations.filter { !ScopeQuery.ofRun.contains($0) }
        for name in names.reversed() { try connection.execute("drop view if exists scope.\(name)") }
        for name in names {
            try connection.execute("create view scope.\(name) as\n\(library.text("SQL/views/live/\(name).sql"))")
        }
    }
}
