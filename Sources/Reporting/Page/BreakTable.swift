import Postgres

/// The breaks of one rule as a table, the worst first.
struct BreakTable {
    let page: PageContext
    let rule: String

    /// Rows as markup, at most `limit` and at most `bytes` of them.
    func rows(limit: Int, bytes: Int) throws -> [HTML] {
        var result: [HTML] = []
        var size = 0
        var queries = page.queries
        queries.relations["every_break"] = queries.relations["breaks"]
        queries.relations["breaks"] = "worst"
        let query = try queries.bound(
            "Reports/index/rule_breaks.sql", ["rule": .text(rule), "limit": .int(limit)])
        for row in try page.connection.query(query.sql, query.values) {
            let html = try html(row)
            size += html.text.utf8.count
            if size > bytes { break }
            result.append(html)
        }
        return result
    }

    func table(_ rows: [HTML], caption: HTML) -> HTML {
        """
        <table class="breaks" role="table"><caption>\(caption)</caption>
        <thead role="rowgroup"><tr role="row">\(Self.heads)</tr></thead>
        <tbody role="rowgroup">
        \(HTML.joined(rows))</tbody></table>

        """
    }

    private static let heads: HTML = HTML.joined(
        [
            "<th scope=\"col\" role=\"columnheader\">Break and subject</th>",
            "<th scope=\"col\" role=\"columnheader\">What differs</th>",
            "<th scope=\"col\" role=\"columnheader\" class=\"n\">Difference</th>",
            "<th scope=\"col\" role=\"columnheader\" class=\"n\">At risk</th>",
            "<th scope=\"col\" role=\"columnheader\">Due and age</th>",
            "<th scope=\"col\" role=\"columnheader\">State</th>",
        ] as [HTML])

    private func html(_ row: Row) throws -> HTML {
        let currency = try row.optionalText("currency")
        let id = try row.text("break_id")
        let code: HTML = currency.map { " <span class=\"code\">\(String($0.prefix(24)))</span>" } ?? ""
        let difference = try row.optionalText("difference")
        let risk = try row.text("at_risk")
        let primary = try row.optionalText("primary_break_id")
        let atRisk: HTML =
            primary != nil
            ? "<span class=\"none\">counted there</span>"
            : AmountStyle.isZero(risk) ? "<span class=\"none\">none</span>" : page.amounts.html(risk, currency) + code
        let signed: HTML =
            difference.map {
                AmountStyle.isZero($0)
                    ? "<span class=\"none\">none</span>" : page.amounts.html($0, currency, signed: true) + code
            } ?? "<span class=\"none\">–</span>"
        return """
            <tr role="row" id="\(id)"><td role="cell" class="subject">\(try subject(row))</td>\
            <td role="cell" class="facts">\(try facts(row))</td>\
            <td role="cell" class="n" data-label="Difference">\(signed)</td>\
            <td role="cell" class="n" data-label="At risk">\(atRisk)</td>\
            <td role="cell" class="age" data-label="Due and age">\(try age(row))</td>\
            <td role="cell" class="state" data-label="State">\(try state(row, primary: primary))</td></tr>

            """
    }

    private func subject(_ row: Row) throws -> HTML {
        let subject = try row.text("subject")
        var lines: HTML = "<b>\(outside(subject))</b><span class=\"id\">\(try row.text("break_id"))</span>"
        if let order = try row.optionalText("order_id"), subject != "order:\(order)" {
            lines += "<span class=\"ref\">order \(outside(order))</span>"
        }
        if let transaction = try row.optionalText("transaction_id"), !subject.hasSuffix("/\(transaction)") {
            lines += "<span class=\"ref\">transaction \(outside(transaction))</span>"
        }
        if let source = try row.optionalText("source"), !subject.contains(":\(source)") {
            lines += "<span class=\"ref\">at \(outside(source))</span>"
        }
        return lines
    }

    private func facts(_ row: Row) throws -> HTML {
        let names = try row.textArray("names")
        let a = try row.textArray("a")
        let b = try row.textArray("b")
        let aFrom = try row.textArray("a_from")
        let bFrom = try row.textArray("b_from")
        var lines = HTML.empty
        for index in names.indices {
            // One value alone, such as a hint, is not set against anything.
            let isAlone = aFrom[index] == bFrom[index] && (a[index] == "\u{1}" || b[index] == "\u{1}")
            if isAlone {
                let one = a[index] == "\u{1}" ? b[index] : a[index]
                lines +=
                    "<div><span class=\"field\">\(outside(names[index], limit: 80))</span> \(value(one))\(from(aFrom[index]))</div>"
                continue
            }
            let other: HTML =
                " <span class=\"vs\">against</span> \(value(b[index]))\(from(bFrom[index]))"
            lines +=
                "<div><span class=\"field\">\(outside(names[index], limit: 80))</span> \(value(a[index]))\(from(aFrom[index]))\(other)</div>"
        }
        let more = try row.int("more")
        if more > 0 { lines += "<div class=\"soft\">and \(plural(more, "more field")) in breaks.csv</div>" }
        return lines.isEmpty ? "<span class=\"none\">–</span>" : lines
    }

    private func value(_ text: String) -> HTML {
        text == "\u{1}" ? "<span class=\"none\">nothing</span>" : "<span class=\"v\">\(outside(text))</span>"
    }

    private func from(_ text: String) -> HTML {
        text.isEmpty ? "" : " <small>(\(outside(text, limit: 80)))</small>"
    }

    private func age(_ row: Row) throws -> HTML {
        let days = try row.int("age_days")
        let due: HTML =
            try row.optionalText("due").map { "<time>\($0)</time>" }
            ?? "<span class=\"soft\">opened <time>\(try row.text("opened"))</time></span>"
        return "\(due)<span class=\"ref\">\(plural(days, "day")) · \(try row.text("bucket"))</span>"
    }

    private func state(_ row: Row, primary: String?) throws -> HTML {
        var lines: HTML = "\(Mark.severity(try row.text("severity")))<span class=\"ref\">\(try row.text("state"))"
        if let owner = try row.optionalText("owner") { lines += " by \(outside(owner, limit: 80))" }
        lines += "</span>"
        if try row.bool("is_new") { lines += "<span class=\"tag\">new</span>" }
        if try row.bool("is_reopened_now") { lines += "<span class=\"tag\">reopened</span>" }
        if try row.bool("is_baseline") { lines += "<span class=\"ref\">baseline</span>" }
        if let since = try row.optionalText("incomplete_since") {
            lines += "<span class=\"ref\">data incomplete since <time>\(since)</time></span>"
        }
        if let primary { lines += "<span class=\"ref\">same cause as <span class=\"id\">\(primary)</span></span>" }
        return lines
    }
}
