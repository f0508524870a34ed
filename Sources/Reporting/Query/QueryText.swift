import Payments
import Postgres
import Synchronization

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
    private let texts = RelationTexts()

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
        var known: [String: String] = [:]
        return try expand(text, path, write, &known)
    }

    /// `known` are relations of this query that are whole already: the same name stands for the same text.
    private func expand(
        _ text: String, _ path: String, _ write: (String, SQLValue) throws(ReportingError) -> String,
        _ known: inout [String: String]
    ) throws -> String {
        var result = ""
        var rest = text.utf8[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
            result += String(Substring(rest[..<open]))
            let behind = rest.index(after: open)
            guard let close = rest[behind...].firstIndex(of: UInt8(ascii: "}")), close != behind,
                rest[behind..<close].allSatisfy({ Self.isOfName($0) })
            else {
                result += "{"
                rest = rest[behind...]
                continue
            }
            let name = String(Substring(rest[behind..<close]))
            if let value = values[name] {
                result += try write(name, value)
            } else if let relation = relations[name], relation.hasPrefix("pg_temp.") {
                result += relation
            } else {
                if known[name] == nil {
                    guard let inner = try? relation(name) else { throw ReportingError.query(path: path, name: name) }
                    known[name] = "(" + (try expand(inner, name, write, &known)) + ")"
                }
                result += known[name, default: ""]
            }
            rest = rest[rest.index(after: close)...]
        }
        return result + String(Substring(rest))
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || [UInt8(ascii: "_"), UInt8(ascii: ".")].contains(byte)
    }

    private func relation(_ name: String) throws -> String {
        let isPast = name.hasPrefix("past.")
        guard isPast || name.hasPrefix("scope.") else {
            return try library.text("SQL/reporting/\(relations[name] ?? name).sql")
        }
        return try texts.text(name) { try scoped(String(name.dropFirst(isPast ? 5 : 6)), isPast: isPast) }
    }

    /// The text of a relation that rules select from, or of a table as of a moment.
    private func scoped(_ short: String, isPast: Bool) throws -> String {
        let text = try SQLScan.parts(of: isPast ? library.past(short) : library.scopeView(short)).map { part in
            switch part {
            case .verbatim(let piece): return String(piece)
            case .code(let code):
                return Self.named(code) { schema, name in
                    // Linking as of a moment leaves its memberships in a table of the run, which a report has not.
                    if schema == "scope" { return name == "member" ? "{members}" : "{scope.\(name)}" }
                    return !isPast && SQLLibrary.changing.contains(name) ? "{past.\(name)}" : nil
                }
            }
        }.joined()
        // Several accounts may lie in one database.
        return SQLLibrary.ofAllAccounts.contains(short)
            ? text : "select v.* from (\n\(text)\n) as v where v.account_id = {account}"
    }

    /// The code with `$1` and `$2` named, and each relation of the schemas `scope` and `tieout` as `rename` says; nil leaves
    /// it. By bytes: a report names some hundred relations, and a regular expression is compiled at each use.
    static func named(_ code: Substring, rename: (_ schema: String, _ name: String) -> String?) -> String {
        let bytes = Array(code.utf8)
        var result: [UInt8] = []
        func word(from start: Int) -> Range<Int> {
            start..<(bytes[start...].firstIndex { !SQLScan.isWord($0) } ?? bytes.count)
        }
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "$") {
                let number = word(from: index + 1)
                switch String(decoding: bytes[number], as: UTF8.self) {
                case "1": result += "{account}".utf8
                case "2": result += "{as_of}".utf8
                default: result += bytes[index..<number.upperBound]
                }
                index = number.upperBound
                continue
            }
            guard SQLScan.isWord(bytes[index]) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let schema = word(from: index)
            index = schema.upperBound
            let first = String(decoding: bytes[schema], as: UTF8.self)
            if ["scope", "tieout"].contains(first), index < bytes.count, bytes[index] == UInt8(ascii: ".") {
                let name = word(from: index + 1)
                if !name.isEmpty, let other = rename(first, String(decoding: bytes[name], as: UTF8.self)) {
                    result += other.utf8
                    index = name.upperBound
                    continue
                }
            }
            result += bytes[schema]
        }
        return String(decoding: result, as: UTF8.self)
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

/// Relations as reports name them, read once for all the queries of a report.
private final class RelationTexts: Sendable {
    private let known = Mutex<[String: String]>([:])

    func text(_ name: String, make: () throws -> String) throws -> String {
        if let text = known.withLock({ $0[name] }) { return text }
        let text = try make()
        known.withLock { $0[name] = text }
        return text
    }
}
