/// The first screen: four questions, answered in words, in this order.
struct QuestionsSection {
    let page: PageContext
    private var overview: Overview { page.overview }
    private var amounts: AmountStyle { page.amounts }

    var html: HTML {
        """
        <section class="questions" aria-label="Four questions">
        \(complete)
        \(tiesOut)
        \(atRisk)
        \(news)
        </section>

        """
    }

    /// One sentence for the top of the page.
    var verdict: HTML {
        let complete: HTML =
            overview.feeds.isEmpty
            ? "Nothing has been read"
            : overview.isComplete ? "Complete" : overview.isCurrent ? "Complete but for exceptions" : "Not complete"
        let ties: HTML =
            overview.totals.isEmpty
            ? "nothing to tie out" : overview.tiesOut ? "everything ties out" : "not everything is explained"
        let risk: HTML =
            overview.atRisk.isEmpty
            ? overview.counts.primaries == 0
                ? "nothing is at risk" : "\(plural(overview.counts.primaries, "break")), none with money at risk"
            : "\(plural(overview.counts.primaries, "break")), \(AmountStyle.count(overview.atRisk.reduce(0) { $0 + $1.breaks })) with money at risk"
        return "\(complete); \(ties); \(risk)."
    }

    private func question(_ id: String, _ title: HTML, _ mark: Mark, _ answer: HTML, _ body: HTML) -> HTML {
        """
        <article aria-labelledby="q-\(id)"><h2 id="q-\(id)">\(title)</h2>
        <p class="answer \(mark.name)">\(mark.svg)<span>\(answer)</span></p>
        \(body)</article>
        """
    }

    private var complete: HTML {
        let feeds = overview.feeds.filter { $0.state != "retired" }
        if feeds.isEmpty {
            return question("complete", "Is it complete?", .bad, "No", "<p>No feed has been read yet.</p>")
        }
        let until = feeds.filter { !$0.isBehind }.compactMap(\.watermark).min()
        if overview.isComplete {
            return question(
                "complete", "Is it complete?", .good, "Yes",
                "<p>All \(plural(Int64(feeds.count), "feed")) are current. Complete up to <time>\(until ?? "–")</time>.</p>"
            )
        }
        if overview.isCurrent {
            return question(
                "complete", "Is it complete?", .attention, "Yes, with exceptions",
                "<p>All \(plural(Int64(feeds.count), "feed")) are current, complete up to <time>\(until ?? "–")</time>, but:</p>\(gaps)"
            )
        }
        let lines = overview.behind.prefix(4).map { feed -> HTML in
            let since: HTML =
                switch feed.state {
                case "failing":
                    "failing since <time>\(feed.failingSince ?? "–")</time>, complete up to <time>\(feed.watermark ?? "never")</time>"
                case "stale": "stale, complete up to <time>\(feed.watermark ?? "never")</time>"
                case "silent": "answers, but has shown nothing new for longer than ever"
                case "backfilling": "still reading its past, back to <time>\(feed.coveredFrom ?? "–")</time>"
                default: "never read"
                }
            let why: HTML = feed.failure.map { " <small>\(outside($0, limit: 120))</small>" } ?? ""
            return "<li><b>\(outside(feed.source, limit: 60)) \(feed.feed)</b> \(since)\(why)</li>"
        }
        let more: HTML =
            overview.behind.count > 4 ? "<li><a href=\"#feeds\">\(overview.behind.count - 4) more</a></li>" : ""
        return question(
            "complete", "Is it complete?", .bad, "No",
            "<p>\(overview.behind.count) of \(plural(Int64(feeds.count), "feed")) \(overview.behind.count == 1 ? "is" : "are") behind. What rests on \(overview.behind.count == 1 ? "it" : "them") is carried, not judged.</p><ul class=\"plain\">\(HTML.joined(lines))\(more)</ul>\(gaps)"
        )
    }

    /// What the answer leaves out, in words.
    private var gaps: HTML {
        let gaps = overview.gaps
        var lines: [HTML] = []
        if gaps.quarantined > 0 {
            lines.append(
                "<li><a href=\"#quarantine\"><b>\(plural(gaps.quarantined, "record"))</b> in quarantine</a>: not taken in, so not in any amount</li>"
            )
        }
        if gaps.silentRules > 0 {
            let subjects: HTML = gaps.notEvaluated > 0 ? ", \(plural(gaps.notEvaluated, "finding")) left open" : ""
            lines.append(
                "<li><a href=\"#not-judged\"><b>\(plural(gaps.silentRules, "rule"))</b> not evaluated everywhere</a>\(subjects)</li>"
            )
        }
        return lines.isEmpty ? "" : "<ul class=\"plain\">\(HTML.joined(lines))</ul>"
    }

    private var tiesOut: HTML {
        if overview.totals.isEmpty {
            return question(
                "ties", "Does it tie out?", .neutral, "Nothing to compare", "<p>There are no control totals.</p>")
        }
        let places = Set(overview.totals.map(\.pair)).count
        if overview.tiesOut {
            return question(
                "ties", "Does it tie out?", .good, "Yes",
                "<p>Nothing is unexplained in \(plural(Int64(overview.totals.count), "control total")) over \(plural(Int64(places), "pair")). Every difference is a break or a named class.</p>"
            )
        }
        let rows = overview.untied.prefix(5).map { total -> HTML in
            let amount =
                total.unexplainedSum.map { amounts.html($0, total.currency, column: column, signed: true) }
                ?? "\(plural(total.unexplainedCount, "record"))"
            return
                "<tr><th scope=\"row\">\(total.currency.isEmpty ? "count" : total.currency) <small>\(total.pair) \(total.direction)</small></th><td class=\"n\">\(amount)</td></tr>"
        }
        return question(
            "ties", "Does it tie out?", .bad, "No",
            "<table class=\"slim\"><caption>Unexplained</caption>\(HTML.joined(rows))</table><p><a href=\"#totals\">\(plural(overview.untied.reduce(0) { $0 + $1.openRows }, "day total")) to look at</a></p>"
        )
    }

    private var column: Int { amounts.column(overview.untied.map(\.currency)) }

    private var atRisk: HTML {
        let counts = overview.counts
        if overview.atRisk.isEmpty {
            let rest: HTML =
                counts.standing == 0
                ? "No break stands." : "\(plural(counts.standing, "break")) without an amount at risk."
            // Nothing found in what was not read is no good news.
            let reach: HTML = overview.isComplete ? "" : " That is as far as the feeds reach."
            return question(
                "risk", "What is at risk?", overview.isComplete ? .good : .neutral, "Nothing is at risk.",
                "<p>\(rest)\(reach)</p>")
        }
        let width = amounts.column(overview.atRisk.map(\.currency))
        let rows = overview.atRisk.map { line -> HTML in
            "<tr><th scope=\"row\">\(line.currency.isEmpty ? "no currency" : String(line.currency.prefix(24)))</th><td class=\"n\">\(amounts.html(line.amount, line.currency, column: width))</td><td class=\"n soft\">\(AmountStyle.count(line.breaks))</td></tr>"
        }
        let shown = rows.prefix(8)
        let more: HTML = rows.count > 8 ? "<p><a href=\"#breaks\">\(rows.count - 8) more currencies</a></p>" : ""
        let worst = counts.bySeverity.filter { $0.count > 0 && $0.word != "info" }.prefix(2)
            .map { "\($0.count) \($0.word)" as HTML }
        return question(
            "risk", "What is at risk?", counts.bySeverity[0].count > 0 ? .bad : .attention,
            answer,
            "<table class=\"slim\"><caption>At risk per currency, and in how many breaks</caption>\(HTML.joined(shown))</table>\(more)<p>\(HTML.joined(worst, separator: ", ")). Never added across currencies.</p>"
        )
    }

    /// The amount where there is one currency; sums across currencies mean nothing.
    private var answer: HTML {
        if overview.atRisk.count == 1, let line = overview.atRisk.first {
            return "\(amounts.html(line.amount, line.currency)) \(String(line.currency.prefix(24)))"
        }
        return "\(plural(overview.atRisk.reduce(0) { $0 + $1.breaks }, "break"))"
    }

    private var news: HTML {
        let counts = overview.counts
        let fresh = counts.opened + counts.reopened
        let title: HTML = "What is new since yesterday?"
        func line(_ name: HTML, _ count: Int64, _ note: HTML) -> HTML {
            "<tr><th scope=\"row\">\(name) <small>\(note)</small></th><td class=\"n\">\(AmountStyle.count(count))</td></tr>"
        }
        var rows = [
            line("New", counts.opened, ""),
            line("Reopened", counts.reopened, "came back"),
            line("Healed", counts.healed, "the data agree now"),
        ]
        if counts.resolved + counts.writtenOff > 0 {
            rows.append(line("Closed by a person", counts.resolved + counts.writtenOff, ""))
        }
        rows.append(line("Carried", counts.carried, "data incomplete"))
        if counts.baseline > 0 { rows.append(line("Baseline", counts.baseline, "there before the first run")) }
        let since: HTML =
            page.since.map { "Compared with the report as of <time>\($0)</time>." }
            ?? "This is the first report: there is nothing to compare with."
        let baseline: HTML =
            counts.baseline > 0
            ? " Baseline breaks were found by a source’s first complete run: they stand, but are not news." : ""
        return question(
            "news", title, fresh > 0 ? .attention : page.since == nil ? .neutral : .good,
            fresh > 0 ? "\(plural(fresh, "break"))" : "Nothing new",
            "<table class=\"slim\"><caption>Breaks by what became of them</caption>\(HTML.joined(rows))</table><p>\(since)\(baseline)</p>"
        )
    }
}
