import Postgres

/// What every section of the pages needs.
struct PageContext {
    let connection: Connection
    let queries: QueryText
    let run: RunFacts
    let overview: Overview
    let amounts: AmountStyle
    let texts: [String: RuleText]
    let options: PublishOptions
    /// `2026-08-21 03:42` in the account's zone.
    let asOf: String
    /// The same for the report that this one is compared with.
    let since: String?

    func rows(_ name: String, _ more: [String: SQLValue] = [:]) throws -> Rows {
        let query = try queries.bound("Reports/index/\(name).sql", more)
        return try connection.query(query.sql, query.values)
    }

    func text(of rule: String) -> RuleText { texts[rule] ?? RuleText(rule: rule, body: nil) }
}

/// A list cell's text: cut where it is longer than `limit`, isolated from the direction of the text around it.
func outside(_ text: String?, limit: Int = 160) -> HTML {
    guard let text else { return "<span class=\"none\">–</span>" }
    if text.unicodeScalars.count <= limit { return "<bdi>\(text)</bdi>" }
    return "<bdi>\(String(text.unicodeScalars.prefix(limit)))</bdi><span class=\"cut\">… cut</span>"
}

/// A heading cell.
func head(_ text: HTML, number: Bool = false) -> HTML {
    number ? "<th scope=\"col\" class=\"n\">\(text)</th>" : "<th scope=\"col\">\(text)</th>"
}
