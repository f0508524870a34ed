import Crypto
import Postgres

/// A statement that names relations of schema `scope`, made runnable: each relation becomes a `with` member with the text
/// of its view, limited to account `$1`.
///
/// Views that read a setting, functions with parameters and temporary views each fail on a clustered database; plain
/// subqueries do not.
struct ScopeQuery {
    /// Every relation, each before those that use it.
    static let relations = [
        "source", "member", "currency", "state_matrix", "tag_asset", "fee_schedule", "due", "feed", "arrival",
        "vanished", "version", "claim", "unverified_event", "webhook_event", "record", "book_order", "reported",
        "file_line", "file_payout", "refund", "dispute", "settlement_line", "payout", "transaction", "second_view",
        "announced", "heard", "charge", "payment", "verdict", "settlement",
    ]
    /// Relations that a run computes: they exist within it only.
    static let ofRun: Set<String> = ["due", "feed", "unverified_event", "verdict", "settlement"]

    let library: SQLLibrary
    let knowledge: Knowledge
    /// Tables of schema `tieout` in whose place a temporary table is read, by name; see `NearFacts`. As of a moment,
    /// `with` members of what the tables held then take their places.
    var standIns: [String: String] = [:]
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
        let text = renamed(statement).text
        if members.isEmpty { return text }
        var body = text[...]
        while body.hasPrefix("--") { body = body.drop { !$0.isNewline }.drop(while: \.isWhitespace) }
        let own = body.hasPrefix("with ") ? ",\n" + body.dropFirst(5) : "\n" + body
        return "with " + members.joined(separator: ",\n") + own
    }

    /// `with … , finding as (rule) tail`.
    func compose(finding rule: String, tail: String) throws -> String {
        let members = try members(for: rule) + ["finding as (\n\(renamed(rule).text)\n)"]
        return "with \(members.joined(separator: ",\n"))\n\(tail)"
    }

    private func members(for statement: String) throws -> [String] {
        var needed: [String: String] = [:]
        let own = renamed(statement)
        var open = own.names
        var tables = own.past
        while let name = open.popFirst() {
            if needed[name] != nil { continue }
            guard Self.relations.contains(name) else { throw UnknownRelation(name: name) }
            let view = renamed(try definition(name))
            needed[name] = view.text
            open.formUnion(view.names)
            tables.formUnion(view.past)
        }
        let past = try tables.sorted().map { table in
            "past_\(table) as not materialized (select v.* from (\n\(try library.past(table))\n) as v where v.account_id = $1)"
        }
        return past
            + Self.relations.compactMap { name in
                needed[name].map {
                    "scope_\(name) as not materialized (select v.* from (\n\($0)\n) as v\(filter(name)))"
                }
            }
    }

    private func definition(_ name: String) throws -> String {
        if held.contains(name) { return "select h.* from held_\(name) as h" }
        return try library.scopeView(name)
    }

    /// What is read in the place of a table of schema `tieout`.
    private func standIn(_ table: String) -> String? {
        if isLinkedHere, table == "payment_member" { return "link_member" }
        if knowledge == .asOf, SQLLibrary.changing.contains(table) { return "past_\(table)" }
        return standIns[table]
    }

    private func filter(_ name: String) -> String {
        SQLLibrary.ofAllAccounts.contains(name) ? "" : " where v.account_id = $1"
    }

    /// A statement made runnable, the names that it meets in `scope`, and the tables of which it reads the past.
    struct Renamed {
        var text = ""
        var names: Set<String> = []
        var past: Set<String> = []
    }

    /// The text with `scope.NAME` as `scope_NAME` and stand-ins in the place of tables, outside strings and comments.
    func renamed(_ text: String) -> Renamed {
        var result: [UInt8] = []
        var renamed = Renamed()
        for part in SQLScan.parts(of: text) {
            switch part {
            case .verbatim(let piece): result += piece.utf8
            case .code(let code): rename(Array(code.utf8), &result, &renamed)
            }
        }
        renamed.text = String(decoding: result, as: UTF8.self)
        return renamed
    }

    private func rename(_ code: [UInt8], _ result: inout [UInt8], _ renamed: inout Renamed) {
        var index = 0
        while index < code.count {
            // A whole name with its schema; what stands behind a point belongs to what stands before it.
            guard SQLScan.isWord(code[index]) else {
                result.append(code[index])
                index += 1
                continue
            }
            var end = index
            while end < code.count, SQLScan.isWord(code[end]) { end += 1 }
            let word = String(decoding: code[index..<end], as: UTF8.self)
            let isQualified = index > 0 && code[index - 1] == UInt8(ascii: ".")
            guard !isQualified, word == "scope" || word == "tieout", end < code.count, code[end] == UInt8(ascii: ".")
            else {
                result += code[index..<end]
                index = end
                continue
            }
            var nameEnd = end + 1
            while nameEnd < code.count, SQLScan.isWord(code[nameEnd]) { nameEnd += 1 }
            let name = String(decoding: code[(end + 1)..<nameEnd], as: UTF8.self)
            if word == "scope" {
                renamed.names.insert(name)
                result += "scope_\(name)".utf8
            } else {
                let standIn = standIn(name)
                if standIn == "past_\(name)" { renamed.past.insert(name) }
                result += (standIn ?? "tieout.\(name)").utf8
            }
            index = nameEnd
        }
    }
}

/// The live views of schema `scope`, for people in psql.
enum ScopeViews {
    /// Makes them anew where their texts or the tables beneath have changed since, or where one is missing: every command
    /// comes by here, and to make them each time cost 40 ms of server time and locked out whoever was reading them. What
    /// exists only within a run is left out.
    static func install(on connection: Connection, library: SQLLibrary) throws {
        let names = ScopeQuery.relations.filter { !ScopeQuery.ofRun.contains($0) }
        guard let first = names.first else { return }
        let texts = try names.map { "\($0)\n\(try library.scopeView($0))" }
        // `*` in a view means the columns that there were when it was made.
        let digest = Hex.encode(Digest.short(texts.joined(separator: "\n").utf8))
        let mark = "select 'texts ' || $1 || ', migration ' || max(version) as mark from tieout.schema_migration"
        let wanted = try connection.query(mark, [.text(digest)]).only().optionalText("mark")
        let stands = try connection.query(
            library.text("SQL/views/standing.sql"), [.text("scope." + first)]
        ).only()
        if let wanted, try stands.optionalText("mark") == wanted, try stands.int("views") == Int64(names.count) {
            return
        }
        for name in names.reversed() { try connection.execute("drop view if exists scope.\(name)") }
        for name in names {
            try connection.execute("create view scope.\(name) as\n\(library.scopeView(name))")
        }
        if let wanted { try connection.execute("comment on view scope.\(first) is \(connection.quote(wanted))") }
    }
}
