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
        return "copy (select \(columns.joined(separator: ", ")) from (\(query)) q \(joins.joined(separator: " "))"
            + " order by \(order.joined(separator: ", "))) to stdout (format csv, header true, encoding 'UTF8')"
    }

    private func expression(
        _ column: ReportDefinition.Column, _ value: String, _ digits: [String: String]
    ) throws -> String {
        switch column.type {
        case .text: raw ? value : Self.neutralising(value)
        case .word, .number, .json: value
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
