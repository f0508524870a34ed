import Postgres

/// Makes the COPY statement of one report. PostgreSQL prints, neutralises, sorts and quotes; nothing is parsed here.
struct CSVExport {
    let report: ReportDefinition
    /// Text as it is: the machine-readable twin.
    let raw: Bool

    /// The statement. `query` is the report's query with everything in place; it names its columns as the report does.
    func statement(_ query: String, quote: (String) throws -> String) throws -> String {
        var joins: [String] = []
        var digits: [String: String] = [:]
        for currency in Set(report.columns.compactMap(\.in)).sorted() {
            let alias = "k\(joins.count)"
            joins.append("left join tieout.currency \(alias) on \(alias).code = q.\(try quote(currency))")
            digits[currency] = "\(alias).exponent"
        }
        var columns: [String] = []
        for column in report.columns {
            let value = try expression(column, "q.\(quote(column.name))", digits)
            columns.append("\(value) as \(try quote(raw ? column.name : Self.neutralised(column.name)))")
        }
        // Ids order by their bytes, whatever the database's collation.
        let types = Dictionary(report.columns.map { ($0.name, $0.type) }) { first, _ in first }
        let order = try report.order.map { name in
            let isText = types[name] == .text || types[name] == .word
            return "q.\(try quote(name))" + (isText ? " collate \"C\"" : "")
        }
        let source = raw ? "(\(query)) q" : try marked(query, quote: quote)
        return "copy (select \(columns.joined(separator: ", ")) from \(source) \(joins.joined(separator: " "))"
            + " order by \(order.joined(separator: ", "))) to stdout (format csv, header true, encoding 'UTF8')"
    }

    /// The report's columns, JSON as text, and whether any text of the row has something to escape: asked once a row. The
    /// `offset`s are fences, without which each place that uses a column would work it out anew.
    private func marked(_ query: String, quote: (String) throws -> String) throws -> String {
        let columns = try report.columns.map { column in
            let name = try quote(column.name)
            return column.type == .json ? "r.\(name)::text as \(name)" : "r.\(name)"
        }
        let texts = try report.columns.filter { $0.type == .text || $0.type == .json }.map { "t.\(try quote($0.name))" }
        let test = texts.isEmpty ? "false" : "concat_ws(' ', \(texts.joined(separator: ", "))) ~ \(Self.invisible)"
        return
            "(select t.*, \(test) as \(Self.mark) from (select \(columns.joined(separator: ", ")) from (\(query)) r offset 0) t"
            + " offset 0) q"
    }

    private func expression(
        _ column: ReportDefinition.Column, _ value: String, _ digits: [String: String]
    ) throws -> String {
        switch column.type {
        case .text: raw ? value : Self.escaping(Self.neutralising(value), of: value)
        // They stand in strings alone, where JSON has an escape of its own.
        case .json:
            raw ? value : Self.escaping(value, of: value, value, as: #"'\u' || lpad(to_hex(ascii(c)), 4, '0')"#)
        case .word, .number: value
        case .date: "to_char(\(value), 'YYYY-MM-DD')"
        case .time: Self.utc(value)
        case .amount: Self.printed(value, digits: digits[column.in ?? ""] ?? "null::int")
        }
    }

    /// An apostrophe before what a spreadsheet would run. Blanks, controls and invisible characters in front do not
    /// hide it, nor do full-width forms. Most texts begin with a letter: one comparison of bytes spares them the
    /// pattern.
    private static func neutralising(_ value: String) -> String {
        let pattern =
            "e'^[\\\\u0001-\\\\u0020\\\\u00a0\\\\u200b-\\\\u200f\\\\u2000-\\\\u200a\\\\u2028-\\\\u202f\\\\u2060-\\\\u2069"
            + "\\\\u3000\\\\ufeff]*[-=+@\\\\uff0b\\\\uff0d\\\\uff1d\\\\uff20]|^[\\\\t\\\\r]'"
        return "case when \(value) collate \"C\" >= 'A' and \(value) collate \"C\" < '{' then \(value)"
            + " when \(value) ~ \(pattern) then '''' || \(value) else \(value) end"
    }

    /// Says of a row whether a text of it has anything to escape.
    private static let mark = "has_invisible"

    /// Control characters, what turns the direction of writing, and what nobody sees, as on a terminal.
    private static let characters =
        #"[\\u0001-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff]"#
    /// The same, and what looks like the escape of one.
    private static let invisible = "e'\(characters)" + #"|\\\\u\\{'"#

    /// `printed`, a text that holds the characters of `value`, with each of them as `\u{1b}`. A backslash that would begin
    /// an escape is escaped too, so that no two texts are printed alike.
    private static func escaping(_ printed: String, of value: String) -> String {
        escaping(
            printed, of: value, #"replace(\#(printed), '\u{', '\u{5c}u{')"#, as: #"'\u{' || to_hex(ascii(c)) || '}'"#)
    }

    /// `parts` is what is printed, to be gone through character by character (column `c`).
    private static func escaping(
        _ printed: String, of value: String, _ parts: String, as escape: String
    ) -> String {
        "case when q.\(mark) and \(value) ~ \(invisible) then (select string_agg(case when c ~ e'\(characters)'"
            + " then \(escape) else c end, '' order by n)"
            + " from regexp_split_to_table(\(parts), '') with ordinality as s (c, n)) else \(printed) end"
    }

    /// The same for a header name.
    static func neutralised(_ name: String) -> String {
        let visible = name.unicodeScalars.drop { $0.value <= 0x20 || $0.properties.isWhitespace }
        let first = name.unicodeScalars.first
        let starts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}"]
        let runs = visible.first.map { starts.contains($0) } ?? false
        return runs || first == "\t" || first == "\r" ? "'" + name : name
    }

    /// UTC, `2026-08-21T11:03:00Z`, with six fraction digits where it is no whole second: no session setting decides.
    private static func utc(_ value: String) -> String {
        // Truncating to seconds is the same in every zone.
        "to_char(\(value) at time zone 'UTC', case when date_trunc('second', \(value)) = \(value)"
            + " then 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"' else 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"' end)"
    }

    /// At least the currency's digits, and never fewer than the amount has; an unknown currency as it came.
    private static func printed(_ value: String, digits: String) -> String {
        "case when \(digits) is null then \(value)"
            + " else round(\(value), greatest(\(digits)::int, min_scale(\(value)))) end"
    }
}
