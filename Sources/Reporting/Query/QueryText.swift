import Payments
import Postgres

/// The report queries as they lie in `Reports/` and `SQL/reporting/`, with what they name in braces put in place:
/// `{account}`, `{run}`, `{as_of}`, … are values of the run; `{scope.transaction}` and its kin are the relations that rules
/// select from, as known at as_of; any other name is a relation of `SQL/reporting/`.
///
/// Queries are sent with bound parameters. COPY and CREATE TABLE AS take none: there the same names become typed
/// literals, which only numbers and moments may (their text is made here, of digits).
struct QueryText {
    let library: SQLLibrary
    var values: [String: SQLValue]
    /// Relations that go by another file's name, or by a table's.
    var relations: [String: String] = [:]

    /// The text of `path` with literals.
    func literal(_ path: String) throws -> String {
        try expand(library.text(path), path) { name, value throws(ReportingError) in
            guard let literal = Self.literal(value) else { throw ReportingError.query(path: path, name: name) }
            return literal
        }
    }

    /// The text of `path` with parameters, and their values. `more` adds values for this query.
    func bound(_ path: String, _ more: [String: SQLValue] = [:]) throws -> (sql: String, values: [SQLValue]) {
        var numbers: [String: Int] = [:]
        var used: [SQLValue] = []
        var query = self
        query.values.merge(more) { $1 }
        let sql = try query.expand(query.library.text(path), path) { name, value throws(ReportingError) in
            let number: Int
            if let known = numbers[name] {
                number = known
            } else {
                used.append(value)
                number = used.count
                numbers[name] = number
            }
            return "$\(number)::\(Self.type(of: name, value))"
        }
        return (sql, used)
    }

    private func expand(
        _ text: String, _ path: String, _ write: (String, SQLValue) throws(ReportingError) -> String
    ) throws -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            result += rest[..<open]
            let behind = rest.index(after: open)
            guard let close = rest[behind...].firstIndex(of: "}"),
                rest[behind..<close].allSatisfy({ $0.isLowercase || $0 == "_" || $0 == "." }), close != behind
            else {
                result += "{"
                rest = rest[behind...]
                continue
            }
            let name = String(rest[behind..<close])
            if let value = values[name] {
                result += try write(name, value)
            } else if let relation = relations[name], relation.hasPrefix("pg_temp.") {
                result += relation
            } else {
                guard let inner = try? relation(name) else { throw ReportingError.query(path: path, name: name) }
                result += "(" + (try expand(inner, name, write)) + ")"
            }
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    private func relation(_ name: String) throws -> String {
        let isPast = name.hasPrefix("past.")
        guard isPast || name.hasPrefix("scope.") else {
            return try library.text("SQL/reporting/\(relations[name] ?? name).sql")
        }
        let short = String(name.dropFirst(isPast ? 5 : 6))
        let text = try SQLScan.parts(of: isPast ? library.past(short) : library.scopeView(short)).map { part in
            switch part {
            case .verbatim(let piece): return String(piece)
            case .code(let code):
                return String(code).replacing("$1", with: "{account}").replacing("$2", with: "{as_of}")
                    // Linking as of a moment leaves its memberships in a table of the run, which a report has not.
                    .replacing(/\bscope\.(\w+)/) { $0.1 == "member" ? "{members}" : "{scope.\($0.1)}" }
                    .replacing(/\btieout\.(\w+)/) { match in
                        !isPast && SQLLibrary.changing.contains(String(match.1)) ? "{past.\(match.1)}" : String(match.0)
                    }
            }
        }.joined()
        // Several accounts may lie in one database.
        return SQLLibrary.ofAllAccounts.contains(short)
            ? text : "select v.* from (\n\(text)\n) as v where v.account_id = {account}"
    }

    private static func type(of name: String, _ value: SQLValue) -> String {
        switch value {
        case .int: "bigint"
        case .timestamp: "timestamptz"
        case .null: "timestamptz"
        default: "text"
        }
    }

    private static func literal(_ value: SQLValue) -> String? {
        switch value {
        case .int(let number): "(\(number)::bigint)"
        case .timestamp(let moment): "('\(moment.description)'::timestamptz)"
        case .null: "(null::timestamptz)"
        default: nil
        }
    }
}
