import Foundation
import Postgres
import Testing

@testable import Reporting

@Suite("Breaks by rule and age")
struct AgingTests {
    private struct Line: Hashable {
        let rule, bucket, currency, breaks, primaries, atRisk: String
    }

    private func lines(_ text: String) -> [Line] {
        func column(_ name: String) -> [String] { csvColumn(text, name) }
        return column("rule").indices.map { index in
            Line(
                rule: column("rule")[index], bucket: column("bucket")[index], currency: column("currency")[index],
                breaks: column("breaks")[index], primaries: column("primaries")[index],
                atRisk: column("at_risk")[index])
        }
    }

    private func sample() throws -> Sample {
        let sample = try Sample()
        // The report is of 22 August, 03:40 in the account's zone.
        try sample.addBreak(subject: "order:1", due: "2026-08-21T12:00:00Z")
        try sample.addBreak(subject: "order:2", difference: "2", atRisk: "2", due: "2026-08-22T00:00:00Z")
        try sample.addBreak(subject: "order:3", atRisk: "0", due: "2026-08-21T12:00:00Z", primary: "B000000000001")
        try sample.addBreak(subject: "order:4", currency: "JPY", atRisk: "500", due: "2026-08-21T12:00:00Z")
        try sample.addBreak(subject: "order:5", due: "2026-08-01T12:00:00Z")
        try sample.addBreak(subject: "order:6", due: "2026-01-01T12:00:00Z")
        try sample.addBreak(
            rule: "webhook_missing", subject: "order:7", currency: nil, difference: nil, atRisk: "0",
            due: "2026-08-15T12:00:00Z")
        return sample
    }

    @Test("aging.csv has one row for each rule, bucket and currency, what is at risk once for each cause")
    func rows() throws {
        let sample = try sample()
        let text = try sample.text(try sample.publish(), "aging.csv")
        #expect(
            text.hasPrefix("rule,from_days,bucket,currency,breaks,acknowledged,primaries,at_risk\n"))
        let rule = "amount_mismatch"
        #expect(
            lines(text) == [
                Line(rule: rule, bucket: "0–1", currency: "EUR", breaks: "3", primaries: "2", atRisk: "3.50"),
                Line(rule: rule, bucket: "0–1", currency: "JPY", breaks: "1", primaries: "1", atRisk: "500"),
                Line(rule: rule, bucket: "8–30", currency: "EUR", breaks: "1", primaries: "1", atRisk: "1.50"),
                Line(rule: rule, bucket: "91+", currency: "EUR", breaks: "1", primaries: "1", atRisk: "1.50"),
                Line(
                    rule: "webhook_missing", bucket: "2–7", currency: "", breaks: "1", primaries: "1", atRisk: "0"),
            ])
    }

    @Test("its counts are the page's matrix of rules and ages, and the rows of breaks.csv")
    func matrix() throws {
        let sample = try sample()
        let report = try sample.publish()
        let page = try sample.text(report, "index.html")
        let table = try #require(page.firstRange(of: "<table class=\"matrix\">"))
        let part = page[table.upperBound...].prefix { $0 != "\u{0}" }
        let body = try #require(part.firstRange(of: "</tbody>"))
        let shown = part[..<body.lowerBound].split(separator: "<tr>").compactMap { row -> [String]? in
            guard let rule = row.firstMatch(of: #/#rule-([a-z_]+)"/#)?.output.1 else { return nil }
            let cells = row.matches(of: #/<td class="n">(?:<span class="none">)?([0-9·]+)/#).map { String($0.output.1) }
            return [String(rule)] + cells
        }
        let aging = lines(try sample.text(report, "aging.csv"))
        let counted = Set(aging.map(\.rule)).sorted().map { rule -> [String] in
            [rule]
                + Overview.buckets.map { bucket in
                    let breaks = aging.filter { $0.rule == rule && $0.bucket == bucket }.compactMap { Int($0.breaks) }
                    return breaks.isEmpty ? "·" : String(breaks.reduce(0, +))
                }
        }
        #expect(shown.sorted { $0[0] < $1[0] } == counted)
        #expect(
            aging.compactMap { Int($0.breaks) }.reduce(0, +) == csvRows(try sample.text(report, "breaks.csv")).count)
    }

    @Test("no break, no row")
    func none() throws {
        let sample = try Sample()
        #expect(csvRows(try sample.text(try sample.publish(), "aging.csv")).isEmpty)
    }
}
