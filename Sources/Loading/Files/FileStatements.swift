import Postgres

/// The statements that load a file into versions of its records, with what differs by kind of file put in.
///
/// `{amount X}`, `{moment X}`, `{reference KIND VALUE}`, … stand for the readings of single values in `SQL/loading/values`.
/// (SQL functions would have to be immutable to be inlined, and reading a time is not.)
struct FileStatements {
    private static let readings = ["amount", "moment", "reference", "number", "dated"]

    let library: SQLLibrary
    /// The folder below `SQL/loading` of the kind's own statements.
    let folder: String

    func text(_ name: String) throws -> String { try library.text("SQL/loading/\(folder)/\(name).sql") }

    /// A statement of the folder with every reading of a value in full.
    func parse(_ name: String, _ fragments: [String: String] = [:]) throws -> String {
        let whole = Self.filled(try text(name), fragments)
        var filled = ""
        var rest = whole[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            filled += rest[..<open]
            filled += try expression(rest[rest.index(after: open)..<close])
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }

    /// `text` with each `{name}` of `fragments` in full; other braces stay what they are.
    static func filled(_ text: String, _ fragments: [String: String]) -> String {
        fragments.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    private func expression(_ call: Substring) throws -> String {
        let words = call.split(separator: " ", maxSplits: 2).map(String.init)
        // Braces of a regular expression stay what they are.
        guard let name = words.first, let value = words.last, Self.readings.contains(name) else { return "{\(call)}" }
        let text = try library.text("SQL/loading/values/\(name).sql")
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("--") }
        return Self.filled(
            lines.joined(separator: "\n"), ["value": value, "kind": words.count == 3 ? words[1] : ""])
    }
}

/// One table of versions that files are loaded into, and the temporary tables on the way there: `ROWS` holds the typed
/// records of the file in hand, `FATES` what becomes of each.
struct FileVersions {
    let library: SQLLibrary
    let table: String
    let rows: String
    let fates: String
    /// Columns that tell records apart, the account first.
    let key: [String]
    /// Every column of the table.
    let columns: [String]

    /// What the statements of `SQL/loading/versions` are filled with.
    var fragments: [String: String] {
        [
            "table": table, "rows": rows, "fates": fates, "key": key.joined(separator: ", "),
            "row_key": key.map { "r.\($0)" }.joined(separator: ", "),
            "match": key.map { "o.\($0) = r.\($0)" }.joined(separator: " and "),
            "columns": columns.joined(separator: ", "),
            "row_columns": columns.map { "r.\($0)" }.joined(separator: ", "), "id": key.last ?? "",
        ]
    }

    func text(_ name: String, _ more: [String: String] = [:]) throws -> String {
        FileStatements.filled(
            try library.text("SQL/loading/versions/\(name).sql"), fragments.merging(more) { $1 })
    }

    /// Makes the table of typed records; `more` columns stand before those of a version.
    func prepare(on connection: Connection, more: String = "") throws {
        try connection.execute(try text("row_table", ["more": more]))
    }

    /// Decides what becomes of each record.
    func decide(on connection: Connection) throws {
        // Only what the steps below join by: all columns cost as much as storing them.
        let joined = (key + ["line_no", "reason"]).joined(separator: ", ")
        try connection.execute("analyze \(rows) (\(joined))")
        try connection.execute(try text("fate_table"))
        try connection.execute("analyze \(fates)")
    }

    /// Puts the versions where they belong and asks the database whether they are there. Throws a `LoadFault` where not.
    func write(_ outcome: LoadOutcome, account: SQLValue, now: SQLValue, on connection: Connection) throws {
        let replaced = try connection.execute(try text("supersede"), [account, now])
        try connection.execute(try text("insert_current"))
        try connection.execute(try text("insert_late"), [now])
        let held = Int(try connection.query(try text("verify"), [account]).only().int("held"))
        guard held == outcome.new + outcome.changed, replaced <= outcome.changed else {
            throw LoadFault(
                .countsDiffer,
                "\(outcome.new + outcome.changed) records were counted, \(held) are in the database")
        }
    }
}
