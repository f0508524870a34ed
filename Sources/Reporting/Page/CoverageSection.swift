import Postgres

/// What no break speaks of: feeds, what was not judged, quarantine, abandonment.
struct CoverageSection {
    let page: PageContext

    func html() throws -> HTML {
        """
        \(try notJudged())\(try feeds())\(try abandoned())
        """
    }

    private func notJudged() throws -> HTML {
        let names = [
            "awaiting": "Awaiting, not due yet", "ambiguous": "Ambiguous", "not_evaluated": "Not evaluated",
            "before_coverage": "Before coverage", "quarantined": "Quarantined",
        ]
        var amounts: [String: (count: Int64, sums: [HTML])] = [:]
        for row in try page.rows("classes") {
            let currency = try row.text("currency")
            var entry = amounts[try row.text("class")] ?? (0, [])
            entry.count += try row.int("records")
            if let sum = try row.optionalText("amount") {
                entry.sums.append(
                    "\(page.amounts.html(sum, currency, signed: true)) <span class=\"code\">\(String(currency.prefix(24)))</span>"
                )
            }
            amounts[try row.text("class")] = entry
        }
        let lines = ["awaiting", "not_evaluated", "before_coverage", "ambiguous", "quarantined"].map { name -> HTML in
            let entry = amounts[name] ?? (0, [])
            return
                "<tr><th scope=\"row\">\(names[name] ?? name)</th><td class=\"n\">\(entry.count == 0 ? "none" : AmountStyle.count(entry.count))</td><td class=\"n\">\(HTML.joined(entry.sums.prefix(6), separator: "<br>"))</td></tr>\n"
        }
        return """
            <section id="not-judged" aria-labelledby="h-not-judged"><h2 id="h-not-judged">Not judged</h2>
            <p class="lead">Records that no break speaks of, because it is too early, or because the evidence does not reach that far.</p>
            <table class="narrow"><caption>Between book and provider</caption>
            <thead><tr>\(head("Class"))\(head("Records", number: true))\(head("A − B", number: true))</tr></thead><tbody>\(HTML.joined(lines))</tbody></table>
            \(try ruleRuns())\(try quarantine())</section>

            """
    }

    /// Why records were not judged where nothing keeps the rule from judging their source.
    private static func ownReason(_ row: Row) throws -> HTML {
        if try row.int("not_evaluated") > 0 { return "a record of the payment is in quarantine" }
        if try row.int("awaiting") > 0 { return "not due yet" }
        return try row.int("before_coverage") > 0 ? "older than what the feed covers" : ""
    }

    private func ruleRuns() throws -> HTML {
        let all = try page.rows("rule_runs")
        if all.isEmpty { return "<p>No rule has run.</p>\n" }
        let rows = try all.filter { row in
            try row.int("awaiting") + row.int("not_evaluated") + row.int("before_coverage") > 0
                || row.bool("not_applicable") || (row.int("evaluated") == 0 && row.optionalText("reason") != nil)
        }
        if rows.isEmpty { return "<p>Every rule judged everything in its scope.</p>\n" }
        let isAbsent = { (row: Row) in try row.bool("not_applicable") && row.text("source").isEmpty }
        let absent = try rows.filter(isAbsent).map { "\(page.text(of: try $0.text("rule")).title)" as HTML }
        let note: HTML =
            absent.isEmpty
            ? ""
            : "<p>Not installed here, so nothing is said about them: \(HTML.joined(absent, separator: ", ")).</p>\n"
        let present = try rows.filter { try !isAbsent($0) }
        if present.isEmpty { return note }
        let lines = try present.map { row -> HTML in
            let source = try row.text("source")
            let place: HTML = source.isEmpty ? "all sources" : outside(source)
            let title = page.text(of: try row.text("rule")).title
            let reason = try row.optionalText("reason").map { outside($0, limit: 240) } ?? Self.ownReason(row)
            if try row.bool("not_applicable") {
                return
                    "<tr><th scope=\"row\">\(title)</th><td>\(place)</td><td colspan=\"3\">does not apply</td><td>\(reason)</td></tr>\n"
            }
            return
                "<tr><th scope=\"row\">\(title)</th><td>\(place)</td><td class=\"n\">\(AmountStyle.count(try row.int("awaiting")))</td><td class=\"n\">\(AmountStyle.count(try row.int("not_evaluated")))</td><td class=\"n\">\(AmountStyle.count(try row.int("before_coverage")))</td><td>\(reason)</td></tr>\n"
        }
        return """
            <div class="wide" role="region" aria-label="Rules that did not judge everything" tabindex="0"><table>\
            <caption>Rules that did not judge everything in their scope</caption>
            <thead><tr>\(head("Rule"))\(head("Source"))\(head("Awaiting", number: true))\(head("Not evaluated", number: true))\
            \(head("Before coverage", number: true))\(head("Why"))</tr></thead><tbody>\(HTML.joined(lines))</tbody></table></div>
            \(note)
            """
    }

    private func quarantine() throws -> HTML {
        let rows = try page.rows("quarantine", ["limit": 50])
        if rows.isEmpty { return "<p>Nothing is in quarantine.</p>\n" }
        let lines = try rows.map { row -> HTML in
            "<tr><th scope=\"row\">\(outside(try row.text("source")))</th><td>\(try row.text("feed"))</td><td>\(outside(try row.text("reason")))</td><td class=\"n\">\(AmountStyle.count(try row.int("records")))</td><td class=\"n\">\(AmountStyle.count(try row.int("news")))</td></tr>\n"
        }
        return """
            <div class="wide" role="region" id="quarantine" aria-label="Quarantine" tabindex="0"><table><caption>In quarantine: records that could not be taken in</caption>
            <thead><tr>\(head("Source"))\(head("Feed"))\(head("Reason"))\(head("Records", number: true))\(head("New", number: true))</tr></thead>\
            <tbody>\(HTML.joined(lines))</tbody></table></div>

            """
    }

    private func feeds() throws -> HTML {
        var body: HTML = "<section id=\"feeds\" aria-labelledby=\"h-feeds\"><h2 id=\"h-feeds\">Feeds</h2>\n"
        if page.overview.feeds.isEmpty {
            return body + "<p class=\"empty\">No feed has been read yet.</p></section>\n"
        }
        let lines = page.overview.feeds.map { feed -> HTML in
            let mark: Mark =
                feed.state == "current"
                ? .good
                : feed.state == "retired"
                    ? .neutral : ["backfilling", "silent"].contains(feed.state) ? .attention : .bad
            let why: HTML = feed.failure.map { "<small>\(outside($0, limit: 240))</small>" } ?? ""
            let since: HTML = (feed.failingSince ?? feed.incompleteSince).map { " since <time>\($0)</time>" } ?? ""
            return
                "<tr><th scope=\"row\">\(outside(feed.source)) <small>\(feed.feed)\(feed.environment == "live" ? "" : ", \(feed.environment)")</small></th><td>\(mark.labelled("\(feed.state)\(since)"))\(why)</td><td>\(outside(feed.coveredFrom))</td><td>\(outside(feed.watermark))</td><td>\(outside(feed.lastSuccess))</td><td class=\"n\">\(AmountStyle.count(feed.records))</td><td class=\"n\">\(AmountStyle.count(feed.lateArrivals))</td></tr>\n"
        }
        body += """
            <div class="wide" role="region" aria-label="Feeds" tabindex="0"><table class="feeds"><caption>How far each feed reaches, times in \(page.run.zone)</caption>
            <thead><tr>\(head("Source and feed"))\(head("State"))\(head("Covered from"))\(head("Complete up to"))\(head("Last success"))\
            \(head("Records", number: true))\(head("Late", number: true))</tr></thead><tbody>\(HTML.joined(lines))</tbody></table></div>

            """
        return body + (try SourceNotes(page: page).html()) + "</section>\n"
    }

    private func abandoned() throws -> HTML {
        let rows = try page.rows("abandoned_counts", ["limit": 62])
        var body: HTML =
            "<section id=\"abandoned\" aria-labelledby=\"h-abandoned\"><h2 id=\"h-abandoned\">Abandoned sessions</h2>\n"
        if rows.isEmpty {
            return body + "<p class=\"empty\">No session lapsed unpaid in this period.</p></section>\n"
        }
        let lines = try rows.map { row -> HTML in
            "<tr><th scope=\"row\"><time>\(try row.text("business_day"))</time></th><td>\(outside(try row.text("source")))</td><td class=\"n\">\(AmountStyle.count(try row.int("both_sides")))</td><td class=\"n\">\(AmountStyle.count(try row.int("book_alone")))</td><td class=\"n\">\(AmountStyle.count(try row.int("provider_alone")))</td><td class=\"n\">\(AmountStyle.count(try row.int("breaks")))</td></tr>\n"
        }
        body += """
            <p class="lead">Sessions and orders that lapsed unpaid. Where both sides say so it is plain abandonment and no break; each is listed in <a href="expired-sessions.csv">expired-sessions.csv</a>.</p>
            <div class="wide" role="region" aria-label="Abandoned sessions" tabindex="0"><table><caption>By business day and source</caption>
            <thead><tr>\(head("Business day"))\(head("Source"))\(head("Both sides", number: true))\(head("Book alone", number: true))\
            \(head("Provider alone", number: true))\(head("Breaks", number: true))</tr></thead><tbody>\(HTML.joined(lines))</tbody></table></div>

            """
        return body + "</section>\n"
    }
}
