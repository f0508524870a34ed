import Postgres

/// The pages of a run, ready to write.
struct Pages {
    let page: PageContext
    let writer: PageWriter
    /// The CSV files beside the page, with their rows.
    let files: [PublishedFile]

    /// `index.html` and the pages of rules with more breaks than it shows.
    func all(_ write: (String, String) throws -> Void) throws {
        let breaks = BreaksSection(page: page)
        let (list, long) = try breaks.html()
        let payouts = try PayoutsSection(page: page).html()
        let body: HTML = """
            \(masthead(back: false))
            <main id="main" tabindex="-1">
            \(QuestionsSection(page: page).html)\(navigation(hasPayouts: !payouts.isEmpty))\(list)\
            \(try TotalsSection(page: page).html())\(payouts)\(try CoverageSection(page: page).html())\(try closed)\(fileList)</main>
            \(footer)
            """
        try write("index.html", writer.page(title: title, body: body))
        for rule in long {
            let body: HTML = """
                \(masthead(back: true))
                <main id="main" tabindex="-1">
                \(try breaks.page(for: rule))</main>
                \(footer)
                """
            try write(
                "rule-\(rule.rule).html",
                writer.page(title: "\(page.text(of: rule.rule).title) – \(title)", body: body))
        }
    }

    private var title: String { "\(page.run.account), \(page.run.businessDay): \(page.run.job)" }

    private func masthead(back: Bool) -> HTML {
        let way: HTML = back ? "<p class=\"back\"><a href=\"index.html\">Back to the whole report</a></p>" : ""
        let verdict: HTML = back ? "" : "<p class=\"verdict\">\(QuestionsSection(page: page).verdict)</p>"
        return """
            <header class="masthead"><p class="brand">Tieout <span>\(page.run.job)</span></p>
            <h1>\(outside(page.run.account)) <span>\(page.run.businessDayText)</span></h1>
            \(verdict)
            <p class="cut-time">What was known on <time>\(page.asOf)</time>. Times are in \(page.run.zone). \(period)</p>\(way)</header>
            """
    }

    /// Which days the lists of transactions, fees, payouts, disputes and expired sessions are of.
    private var period: HTML {
        guard let days = page.run.periodText else { return "Lists hold everything that was known." }
        return "Lists are of business days \(days), the last of them so far."
    }

    private func navigation(hasPayouts: Bool) -> HTML {
        let payouts: HTML = hasPayouts ? "<li><a href=\"#payouts\">Payouts</a></li>" : ""
        return """
            <nav aria-label="Sections"><ul><li><a href="#breaks">Breaks</a></li><li><a href="#totals">Control totals</a></li>\
            \(payouts)\
            <li><a href="#not-judged">Not judged</a></li><li><a href="#feeds">Feeds</a></li>\
            <li><a href="#abandoned">Abandoned</a></li><li><a href="#closed">Closed</a></li><li><a href="#files">Files</a></li></ul></nav>

            """
    }

    private var closed: HTML {
        get throws {
            var body: HTML =
                "<section id=\"closed\" aria-labelledby=\"h-closed\"><h2 id=\"h-closed\">Closed since yesterday</h2>\n"
            let rows = try page.rows("closed_list", ["limit": 50])
            if rows.isEmpty { return body + "<p class=\"empty\">No break was closed.</p></section>\n" }
            let counts = page.overview.counts
            let all = counts.healed + counts.resolved + counts.writtenOff
            let lines = try rows.map { row -> HTML in
                "<tr><th scope=\"row\">\(outside(try row.text("subject")))<span class=\"id\">\(try row.text("break_id"))</span></th><td>\(page.text(of: try row.text("rule")).title)</td><td>\(try row.text("how").replacing("_", with: " "))</td><td>\(outside(try row.text("actor")))</td><td><time>\(try row.text("closed"))</time></td></tr>\n"
            }
            let caption: HTML =
                Int64(rows.count) < all
                ? "The first \(rows.count) of \(AmountStyle.count(all))" : "\(plural(all, "break"))"
            body += """
                <div class="wide" role="region" aria-label="Closed breaks" tabindex="0"><table><caption>\(caption); all in closed-breaks.csv</caption>
                <thead><tr>\(head("Subject"))\(head("Rule"))\(head("How"))\(head("By"))\(head("When"))</tr></thead><tbody>\(HTML.joined(lines))</tbody></table></div>

                """
            return body + "</section>\n"
        }
    }

    private var fileList: HTML {
        let lines = files.map {
            "<tr><th scope=\"row\"><a href=\"\($0.name)\">\($0.name)</a></th><td class=\"n\">\(AmountStyle.count(Int64($0.rows ?? 0)))</td></tr>\n"
                as HTML
        }
        return """
            <section id="files" aria-labelledby="h-files"><h2 id="h-files">Files</h2>
            <table class="narrow"><caption>Beside this page; digests are in manifest.json</caption><thead><tr>\(head("File"))\(head("Rows", number: true))</tr></thead><tbody>\(HTML.joined(lines))</tbody></table></section>

            """
    }

    private var footer: HTML {
        """
        <footer><p>At risk is what may be lost for each cause, counted once, on the primary break. Age counts calendar days since a break was due, else since the fact; \
        for a reopened break since it came back. Long texts are cut here and whole in the CSV files.</p></footer>
        """
    }
}
