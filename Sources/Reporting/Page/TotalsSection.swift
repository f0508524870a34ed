import Postgres

/// Control totals: both sides of each pair, and what explains their difference.
struct TotalsSection {
    let page: PageContext

    func html() throws -> HTML {
        var body: HTML = "<section id=\"totals\" aria-labelledby=\"h-totals\"><h2 id=\"h-totals\">Control totals</h2>\n"
        if page.overview.totals.isEmpty {
            return body
                + "<p class=\"empty\">There are no control totals: nothing has been compared yet.</p></section>\n"
        }
        body +=
            "<p class=\"lead\">Side A less side B is the sum of breaks, of what is awaited or not judged, and of what is unexplained, which should be zero.</p>\n"
        for (pair, direction) in orderedPairs { body += table(pair, direction) }
        body += try openDays()
        body += try volumes()
        return body + "</section>\n"
    }

    /// A table each: what customers pay is money of states, what they are paid for may be coins of eighteen digits.
    private var orderedPairs: [(pair: String, direction: String)] {
        var seen: Set<[String]> = []
        return page.overview.totals.map { ($0.pair, $0.direction) }.filter { seen.insert([$0.0, $0.1]).inserted }
    }

    private func table(_ pair: String, _ direction: String) -> HTML {
        let totals = page.overview.totals.filter { $0.pair == pair && $0.direction == direction }
        let width = page.amounts.column(totals.map(\.currency))
        let days = "\(totals.map(\.firstDay).min() ?? "") to \(totals.map(\.lastDay).max() ?? "")"
        func cell(_ amount: String?, _ count: Int64?, _ total: Overview.Total, signed: Bool = false) -> HTML {
            let sum = amount.map { page.amounts.html($0, total.currency, column: width, signed: signed) }
            let number: HTML = count.map { AmountStyle.count($0) }.map { "\($0)" } ?? ""
            guard let sum else { return "<td class=\"n\">\(number)</td>" }
            return "<td class=\"n\">\(sum)\(count == nil ? "" : "<small>\(number)</small>")</td>"
        }
        let rows = totals.map { total -> HTML in
            let verdict = total.tiesOut ? Mark.good.labelled("ties out") : Mark.bad.labelled("unexplained")
            let name: HTML = total.currency.isEmpty ? "count only" : "\(String(total.currency.prefix(24)))"
            return """
                <tr><th scope="row">\(name)</th>\
                \(cell(total.aSum, total.aCount, total))\(cell(total.bSum, total.bCount, total))\
                \(cell(total.difference, total.difference == nil ? total.aCount - total.bCount : nil, total, signed: true))\
                \(cell(total.difference == nil ? nil : total.breaksSum, total.breaksCount, total, signed: true))\
                \(cell(total.difference == nil ? nil : total.awaitingSum, total.awaitingCount, total, signed: true))\
                \(cell(total.difference == nil ? nil : total.otherSum, total.otherCount, total, signed: true))\
                \(cell(total.unexplainedSum, total.unexplainedCount, total, signed: true))<td>\(verdict)</td></tr>

                """
        }
        let sides = sides(pair)
        return """
            <div class="wide" role="region" aria-label="Control totals of \(sides.a) and \(sides.b), \(direction)" tabindex="0"><table class="totals">\
            <caption>\(sides.a) (A) and \(sides.b) (B), direction \(direction), business days \(days)</caption>
            <thead><tr>\(head("Currency"))\(head("\(sides.a)", number: true))\(head("\(sides.b)", number: true))\
            \(head("A − B", number: true))\(head("Breaks", number: true))\(head("Awaiting", number: true))\
            \(head("Not judged", number: true))\(head("Unexplained", number: true))\(head("Verdict"))</tr></thead>
            <tbody>\(HTML.joined(rows))</tbody></table></div>

            """
    }

    private func sides(_ pair: String) -> (a: String, b: String) {
        let parts = pair.split { $0 == "-" || $0 == "↔" }.map {
            $0 == "view" ? "Second view" : $0.prefix(1).uppercased() + $0.dropFirst()
        }
        return parts.count == 2 ? (parts[0], parts[1]) : (pair, "other side")
    }

    private func openDays() throws -> HTML {
        let rows = try page.rows("unexplained", ["limit": 100])
        if rows.isEmpty { return "" }
        let lines = try rows.map { row -> HTML in
            let currency = try row.text("currency")
            let amount = page.amounts.html(try row.optionalText("unexplained_sum"), currency, signed: true)
            return
                "<tr><th scope=\"row\"><time>\(try row.text("business_day"))</time></th><td>\(try row.text("pair"))</td><td>\(outside(try row.text("source")))</td><td>\(try row.text("direction"))</td><td class=\"n\">\(try row.int("unexplained_count"))</td><td class=\"n\">\(amount) <span class=\"code\">\(String(currency.prefix(24)))</span></td></tr>\n"
        }
        return """
            <div class="wide" role="region" aria-label="Days that do not tie out" tabindex="0"><table>\
            <caption>Days that do not tie out\(rows.count == 100 ? ", the last 100; all in control-totals.csv" : "")</caption>
            <thead><tr>\(head("Business day"))\(head("Pair"))\(head("Source"))\(head("Direction"))\(head("Records", number: true))\(head("Unexplained", number: true))</tr></thead>
            <tbody>\(HTML.joined(lines))</tbody></table></div>

            """
    }

    private func volumes() throws -> HTML {
        let days = try page.rows("volumes").map { row in
            Chart.Day(day: try row.text("day"), book: try row.int("book"), provider: try row.int("provider"))
        }
        guard let first = days.first, let last = days.last else { return "" }
        let most = days.map { max($0.book, $0.provider) }.max() ?? 0
        let rows = days.reversed().map {
            "<tr><th scope=\"row\"><time>\($0.day)</time></th><td class=\"n\">\(AmountStyle.count($0.book))</td><td class=\"n\">\(AmountStyle.count($0.provider))</td></tr>"
                as HTML
        }
        return """
            <figure><figcaption>Payments by business day: <span class="key-bar"></span> provider, <span class="key-line"></span> book. \
            Highest day \(AmountStyle.count(most)).</figcaption>
            \(Chart.volumes(days))
            <div class="axis" aria-hidden="true"><span>\(first.day)</span><span>\(last.day)</span></div>
            <details><summary>The numbers</summary><table><caption>Payments by business day</caption>\
            <thead><tr>\(head("Business day"))\(head("Book", number: true))\(head("Provider", number: true))</tr></thead><tbody>\(HTML.joined(rows))</tbody></table></details></figure>

            """
    }
}

func + (left: HTML, right: HTML) -> HTML {
    var result = left
    result += right
    return result
}
