import Postgres

/// Payouts, each as a bridge from what was charged to what was transferred; and fees, with how many are not known yet.
struct PayoutsSection {
    /// Payouts with a drawing of their own; the others stand in payouts.csv.
    static let drawn: Int64 = 6

    let page: PageContext

    /// Empty where there is neither a payout nor a fee.
    func html() throws -> HTML {
        let bridges = try bridges()
        let fees = try fees()
        if bridges.text.isEmpty, fees.text.isEmpty { return "" }
        let none: HTML = bridges.text.isEmpty ? "<p class=\"empty\">No payout is known.</p>\n" : ""
        return """
            <section id="payouts" aria-labelledby="h-payouts"><h2 id="h-payouts">Payouts and fees</h2>
            \(none)\(bridges)\(fees)</section>

            """
    }

    private func bridges() throws -> HTML {
        var payouts: [(caption: HTML, steps: [HTML])] = []
        var last: Int64 = 0
        for row in try page.rows("payout_steps", ["limit": .int(Self.drawn)]) {
            let place = try row.int("place")
            if place != last { payouts.append((try caption(row), [])) }
            last = place
            payouts[payouts.count - 1].steps.append(try step(row))
        }
        return HTML.joined(
            payouts.map { payout in
                "<table class=\"bridge\"><caption>\(payout.caption)</caption>\n<tbody>\(HTML.joined(payout.steps))</tbody></table>\n"
            })
    }

    /// A row of a bridge: its name, its bar, its amount.
    private func step(_ row: Row) throws -> HTML {
        let amount = try row.text("amount")
        let kind: Chart.StepKind = try row.bool("is_end") ? .end : amount.hasPrefix("-") ? .less : .more
        let bar: HTML =
            AmountStyle.isZero(amount)
            ? "" : Chart.step(kind, left: try row.int("left_edge"), width: try row.int("width"))
        return
            "<tr><th scope=\"row\">\(try row.text("label"))</th><td>\(bar)</td><td class=\"n\">\(page.amounts.html(amount, try row.optionalText("currency")))</td></tr>\n"
    }

    private func caption(_ row: Row) throws -> HTML {
        let mark =
            try row.bool("is_explained")
            ? Mark.good.labelled("explained by its lines") : Mark.bad.labelled("differs from its lines")
        let day = try row.optionalText("paid_on")
        return
            "Payout \(outside(try row.text("payout_id"))) of \(outside(try row.text("source"))) <time>\(day ?? "")</time>, <span class=\"code\">\(String((try row.optionalText("currency") ?? "").prefix(24)))</span>: \(mark)"
    }

    private func fees() throws -> HTML {
        let rows = try page.rows("fees")
        if rows.isEmpty { return "" }
        let lines = try rows.map { row -> HTML in
            let currency = try row.text("currency")
            let pending = try row.int("pending")
            let waiting: HTML =
                pending > 0 ? Mark.attention.labelled("\(AmountStyle.count(pending)) pending") : "none pending"
            return
                "<tr><th scope=\"row\">\(outside(try row.text("source")))</th><td class=\"n\">\(page.amounts.html(try row.text("fees"), currency)) <span class=\"code\">\(String(currency.prefix(24)))</span></td><td class=\"n\">\(AmountStyle.count(try row.int("known")))</td><td>\(waiting)</td></tr>\n"
        }
        return """
            <div class="wide" role="region" aria-label="Fees" tabindex="0"><table class="narrow">\
            <caption>Fees of the period's payments; a fee that is not known yet is not zero</caption>
            <thead><tr>\(head("Source"))\(head("Fees", number: true))\(head("Payments with a fee", number: true))\(head("Fee not known yet"))</tr></thead>
            <tbody>\(HTML.joined(lines))</tbody></table></div>

            """
    }
}
