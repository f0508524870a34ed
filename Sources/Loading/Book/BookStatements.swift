import Postgres

/// The statements of a book load, with the readings of single values put in: `{amount X}`, `{moment X}` and
/// `{reference KIND VALUE}` stand for the expressions in the files of those names. (SQL functions would have to be
/// immutable to be inlined, and reading a time is not.)
struct BookStatements {
    let library: SQLLibrary

    func text(_ name: String) throws -> String { try library.text("SQL/loading/book/\(name).sql") }

    /// The statement that types every record; `extras` columns follow the known ones.
    func parse(extras: Int) throws -> String {
        let list = (0..<extras).map { "f.extra_\($0 + 1)" }.joined(separator: ", ")
        let whole = try text("parse").replacing("{extra}", with: list)
        var filled = ""
        var rest = whole[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            filled += rest[..<open]
            filled += try expression(rest[rest.index(after: open)..<close])
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }

    func fileTable(extras: Int) throws -> String {
        let list = (0..<extras).map { ",\n    extra_\($0 + 1) text" }.joined()
        return try text("file_table").replacing("{extra_columns}", with: list)
    }

    private func expression(_ call: Substring) throws -> String {
        let words = call.split(separator: " ", maxSplits: 2).map(String.init)
        // Braces of a regular expression stay what they are.
        guard let name = words.first, let value = words.last, ["amount", "moment", "reference"].contains(name) else {
            return "{\(call)}"
        }
        let lines = try text(name).split(separator: "\n").filter { !$0.hasPrefix("--") }
        return lines.joined(separator: "\n").replacing("{value}", with: value)
            .replacing("{kind}", with: words.count == 3 ? words[1] : "")
    }
}
