/// Breaks by rule: the matrix of rules and ages, then each rule with its reason, its remedy and its worst breaks.
struct BreaksSection {
    let page: PageContext
    /// Markup that all tables of breaks on the index may take together.
    private static let budget = 3_000_000
    private static let rulePageBudget = 4_000_000

    /// The section, and the rules that need a page of their own.
    func html() throws -> (html: HTML, long: [Overview.RuleCount]) {
        let rules = page.overview.rules
        var long: [Overview.RuleCount] = []
        var body: HTML =
            "<section id=\"breaks\" aria-labelledby=\"h-breaks\"><h2 id=\"h-breaks\">Breaks</h2>\n"
        if rules.isEmpty {
            body +=
                "<p class=\"empty\">No break stands. Both sides say the same, as far as the feeds reach.</p></section>\n"
            return (body, [])
        }
        body += matrix
        for rule in rules {
            let table = BreakTable(page: page, rule: rule.rule)
            let rows = try table.rows(limit: page.options.topN, bytes: Self.budget / rules.count)
            let isLong = rows.count < rule.breaks
            if isLong { long.append(rule) }
            let link: HTML =
                isLong
                ? "<p class=\"more\"><a href=\"rule-\(rule.rule).html\">More of this rule</a>, or all \(AmountStyle.count(rule.breaks)) in <a href=\"breaks.csv\">breaks.csv</a>.</p>"
                : ""
            body +=
                "<section class=\"rule\" id=\"rule-\(rule.rule)\" aria-labelledby=\"h-\(rule.rule)\">\(intro(rule, level: 3))"
            body += table.table(rows, caption: caption(rule, shown: rows.count))
            body += "\(link)</section>\n"
        }
        body += "</section>\n"
        return (body, long)
    }

    /// The body of a rule's own page.
    func page(for rule: Overview.RuleCount) throws -> HTML {
        let table = BreakTable(page: page, rule: rule.rule)
        let rows = try table.rows(limit: page.options.rulePageRows, bytes: Self.rulePageBudget)
        let rest: HTML =
            rows.count < rule.breaks
            ? "<p class=\"more\">The worst \(AmountStyle.count(Int64(rows.count))) of \(AmountStyle.count(rule.breaks)) are shown; all are in <a href=\"breaks.csv\">breaks.csv</a>.</p>"
            : ""
        return
            "<section class=\"rule\">\(intro(rule, level: 2))\(rest)\(table.table(rows, caption: caption(rule, shown: rows.count)))</section>\n"
    }

    private func caption(_ rule: Overview.RuleCount, shown: Int) -> HTML {
        let title = page.text(of: rule.rule).title
        return shown < rule.breaks
            ? "\(title): the worst \(AmountStyle.count(Int64(shown))) of \(AmountStyle.count(rule.breaks))"
            : "\(title): \(plural(rule.breaks, "break"))"
    }

    private func intro(_ rule: Overview.RuleCount, level: Int) -> HTML {
        let text = page.text(of: rule.rule)
        var counts: [HTML] = ["<b>\(plural(rule.breaks, "break"))</b>"]
        if rule.news > 0 { counts.append("\(AmountStyle.count(rule.news)) new") }
        if rule.acknowledged > 0 { counts.append("\(AmountStyle.count(rule.acknowledged)) acknowledged") }
        if rule.secondary > 0 { counts.append("\(AmountStyle.count(rule.secondary)) counted under another rule") }
        let risk = rule.atRisk.prefix(6).map {
            "\(page.amounts.html($0.amount, $0.currency)) <span class=\"code\">\(String($0.currency.prefix(24)))</span>"
                as HTML
        }
        let atRisk: HTML = risk.isEmpty ? "" : "<p class=\"sum\">At risk \(HTML.joined(risk, separator: ", "))</p>"
        let why: HTML = text.why.map { "<p class=\"why\">\($0)</p>" } ?? ""
        let fix: HTML = text.fix.map { "<p class=\"fix\"><b>What to do</b> \($0)</p>" } ?? ""
        let heading = HTML(stringLiteral: "h\(level)")
        return """
            <div class="intro"><\(heading) id="h-\(rule.rule)">\(text.title) <code>\(rule.rule)</code></\(heading)>
            <p class="counts">\(HTML.joined(counts, separator: " · "))</p>\(atRisk)\(why)\(fix)</div>

            """
    }

    private var matrix: HTML {
        let rules = page.overview.rules
        let most = rules.flatMap(\.ages).max() ?? 1
        var totals = [Int64](repeating: 0, count: 6)
        let rows = rules.map { rule -> HTML in
            let cells = rule.ages.enumerated().map { index, count -> HTML in
                totals[index] += count
                return count == 0
                    ? "<td class=\"n\"><span class=\"none\">·</span></td>"
                    : "<td class=\"n\">\(AmountStyle.count(count))\(Chart.bar(count, of: most))</td>"
            }
            return
                "<tr><th scope=\"row\"><a href=\"#rule-\(rule.rule)\">\(page.text(of: rule.rule).title)</a></th>\(HTML.joined(cells))<td class=\"n total\">\(AmountStyle.count(rule.breaks))</td></tr>\n"
        }
        let body = HTML.joined(rows)
        let foot = HTML.joined(totals.map { "<td class=\"n\">\(AmountStyle.count($0))</td>" as HTML })
        // The first screen counts causes; without this line the two sums would look like a mistake.
        let secondary = rules.reduce(0) { $0 + $1.secondary }
        let same: HTML =
            secondary == 0
            ? "" : "; \(AmountStyle.count(secondary)) of them with the same cause as another, counted only here"
        return """
            <div class="wide" role="region" aria-label="Breaks by rule and age" tabindex="0"><table class="matrix">\
            <caption>Breaks by rule and age in days, since due or since the fact\(same); with amounts in <a href="aging.csv">aging.csv</a></caption>
            <thead><tr><th scope="col">Rule</th>\(HTML.joined(Overview.buckets.map { head("\($0)", number: true) }))\(head("All", number: true))</tr></thead>
            <tbody>\(body)</tbody>
            <tfoot><tr><th scope="row">All rules</th>\(foot)<td class="n total">\(AmountStyle.count(page.overview.counts.standing))</td></tr></tfoot></table></div>

            """
    }
}
