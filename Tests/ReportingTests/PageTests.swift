import Crypto
import Foundation
import Postgres
import Testing

@testable import Reporting

@Suite struct PageTests {
    @Test("hostile text is shown, never run, hidden or turned around")
    func hostile() throws {
        let sample = try Sample()
        try sample.addBreak(
            subject: "order:<script>alert(1)</script>", order: "\u{1B}[31m\u{202E}\"'&",
            facts: #"[{"field":"<img src=x>","a":"</td>","b":null}]"#)
        let page = try sample.text(try sample.publish(), "index.html")
        #expect(!page.contains("<script"))
        #expect(!page.contains("<img"))
        #expect(!page.contains("\u{1B}") && !page.contains("\u{202E}"))
        #expect(page.contains("order:&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(page.contains("␛[31m⟨U+202E⟩&quot;&#39;&amp;"))
        #expect(page.contains("&lt;/td&gt;"))
    }

    @Test("a page asks for nothing, and its policy allows its own style alone")
    func selfContained() throws {
        let sample = try Sample()
        try sample.addBreak(subject: "order:1")
        let page = try sample.text(try sample.publish(), "index.html")
        let style = try #require(page.firstRange(of: "<style>"))
        let end = try #require(page.firstRange(of: "</style>"))
        let digest = Base64.encode(Digest.sha256(Array(page[style.upperBound..<end.lowerBound].utf8)))
        #expect(page.contains("default-src 'none'; style-src 'sha256-\(digest)'"))
        for word in ["<script", "http:", "https:", " src=", "style=", "url(", "@import", "onclick"] {
            #expect(!page.contains(word), "\(word)")
        }
    }

    @Test("a reader by ear finds landmarks, captions, scopes and the way past the head")
    func accessible() throws {
        let sample = try Sample()
        try sample.addBreak(subject: "order:1")
        let page = try sample.text(try sample.publish(), "index.html")
        for mark in [
            "<html lang=\"en\"", "<main id=\"main\"", "<nav aria-label", "<header", "<footer", "href=\"#main\"",
        ] {
            #expect(page.contains(mark), "\(mark)")
        }
        #expect(page.ranges(of: "<table").count == page.ranges(of: "<caption").count)
        #expect(page.ranges(of: "<th ").count == page.ranges(of: " scope=\"").count)
        let ids = page.ranges(of: #/ id="([^"]+)"/#).map { String(page[$0]) }
        #expect(Set(ids).count == ids.count)
    }

    @Test("empty states are words")
    func empty() throws {
        let sample = try Sample()
        let page = try sample.text(try sample.publish(), "index.html")
        #expect(page.contains("Nothing is at risk."))
        #expect(page.contains("No break stands."))
        #expect(page.contains("Nothing is in quarantine."))
    }

    @Test("the four questions stand first and in order")
    func order() throws {
        let sample = try Sample()
        let page = try sample.text(try sample.publish(), "index.html")
        let places = ["Is it complete?", "Does it tie out?", "What is at risk?", "What is new", "id=\"breaks\""]
            .compactMap {
                page.firstRange(of: $0)?.lowerBound
            }
        #expect(places.count == 5 && places == places.sorted())
    }

    @Test("a failing feed makes the answer no, with its since-when; a current one yes")
    func complete() throws {
        let good = try Sample()
        let summary = try good.text(try good.publish(), "summary.json")
        #expect(summary.contains("\"complete\" : true"))
        // For machines a moment has its zone.
        #expect(summary.contains("\"watermark\" : \"2026-08-22T00:15:00Z\""))
        let sample = try Sample()
        try sample.connection.execute(
            "update tieout.feed_state set failing_since = '2026-08-21T00:31:00Z', failure = '401'")
        let report = try sample.publish()
        #expect(try sample.text(report, "summary.json").contains("\"complete\" : false"))
        #expect(try sample.text(report, "index.html").contains("failing since <time>2026-08-21 03:31</time>"))
        #expect(csvColumn(try sample.text(report, "freshness.csv"), "state") == ["failing"])
    }

    @Test(
        "case 62: totals in HTML are totals in CSV, files stay under 5 MB, long texts are cut, the CSV has them whole")
    func large() throws {
        let sample = try Sample()
        try sample.connection.execute(Sample.sql("add_many"), [.int(6001)])
        let report = try sample.publish()
        for file in report.files where file.name.hasSuffix(".html") { #expect(file.bytes < 5_000_000, "\(file.name)") }
        let csv = try sample.text(report, "breaks.csv")
        let currencies = csvColumn(csv, "currency")
        let risks = csvColumn(csv, "at_risk")
        #expect(Set(risks) == ["1.25"])
        // 1.25 is 5 quarters: exact sums in whole numbers.
        let euros = zip(currencies, risks).filter { $0.0 == "EUR" }.count * 125
        let page = try sample.text(report, "index.html")
        #expect(page.contains("<data value=\"\(euros / 100).\(euros % 100 == 0 ? "00" : String(euros % 100))\">"))
        #expect(page.contains("the worst 100 of 6,001"))
        #expect(report.files.contains { $0.name == "rule-paid_unsettled.html" })
        #expect(!page.contains(String(repeating: "x", count: 200)) && page.contains("… cut"))
        #expect(csv.contains(String(repeating: "x", count: 3000)))
        #expect(report.files.first { $0.name == "breaks.csv" }?.rows == 6001)
    }

    @Test("case 62: a few breaks need no page of their own")
    func small() throws {
        let sample = try Sample()
        try sample.addBreak(subject: "order:1")
        let report = try sample.publish()
        #expect(!report.files.contains { $0.name.hasPrefix("rule-") })
    }

    @Test("a break that has a primary adds nothing to what is at risk")
    func secondary() throws {
        let sample = try Sample()
        try sample.addBreak(subject: "order:1", atRisk: "10")
        try sample.addBreak(rule: "webhook_missing", subject: "order:1", atRisk: "0", primary: "B000000000001")
        let text = try sample.text(try sample.publish(), "summary.json")
        #expect(text.contains("\"amount\" : \"10.00\""))
        #expect(text.contains("\"primary\" : 1,"))
        #expect(text.contains("\"standing\" : 2,"))
    }

    @Test("a rule's title, why and fix come from its comment header, over several lines too")
    func header() {
        let text = RuleText(
            rule: "paid_unsettled",
            body:
                "-- rule: paid_unsettled\n-- title: Paid\n-- why: One\n--   two: three\n-- fix: Ask\n\nselect '-- fix: no'"
        )
        #expect(text.title == "Paid")
        #expect(text.why == "One two: three")
        #expect(text.fix == "Ask")
        #expect(RuleText(rule: "paid_unsettled", body: nil).title == "Paid unsettled")
    }

    @Test("an amount prints grouped for people and plain for programs")
    func amounts() {
        let style = AmountStyle(digits: ["EUR": 2, "JPY": 0])
        #expect(style.html("-1234567.5", "EUR").text == "<data value=\"-1234567.50\">−1,234,567.50</data>")
        #expect(
            style.html("1000", "JPY", column: 2).text == "<data value=\"1000\">1,000</data>\u{2008}\u{2007}\u{2007}")
        #expect(style.plain("0.1000", "JPY") == "0.1")
        #expect(style.plain("0.1000", "DOGE") == "0.1000")
    }
}
