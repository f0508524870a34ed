import Foundation
import Payments
import Postgres
import TestSupport
import Testing

@testable import Reporting

@Suite struct KnowledgeTests {
    private func transaction(
        _ sample: Sample, _ id: String, _ created: String, status: String = "SETTLED", state: String = "settled",
        money: String = "delivered", afterTaken: String? = nil
    ) throws {
        try sample.connection.execute(
            Sample.sql("add_transaction"),
            [.text(id), .text(created), .text(status), .text(state), .text(money), .text(afterTaken)])
    }

    /// The report before, of 21 August, 00:40, had the transaction.
    private func knownBefore(_ sample: Sample, _ id: String) throws {
        try sample.connection.execute(
            "update tieout.transaction set observed_at = '2026-08-21T00:30:00Z' where transaction_id = $1", [.text(id)])
    }

    @Test(
        "case 55: the business day of a zone is half open, whatever the server's zone",
        arguments: ["UTC", "America/Los_Angeles", "Asia/Kolkata"])
    func businessDay(zone: String) throws {
        let sample = try Sample()
        let name = try sample.connection.query("select current_database()").only().text(0)
        try sample.connection.execute("alter database \"\(name)\" set timezone to '\(zone)'")
        let moments = [
            "2026-08-20T20:59:59Z", "2026-08-20T21:00:00Z", "2026-08-21T20:59:59.999Z", "2026-08-21T21:00:00Z",
        ]
        for (index, moment) in moments.enumerated() { try transaction(sample, "T\(index + 1)", moment) }
        try knownBefore(sample, "T1")
        let connection = try sample.database.connection()
        #expect(try connection.query("show timezone").only().text(0) == zone)
        let options = PublishOptions(account: 1, run: 2, output: sample.output)
        let report = try Publisher(connection: connection, options: options, root: Sample.root).publish()
        #expect(report.path.contains("/2026-08-21/"))
        #expect(csvColumn(try sample.text(report, "transactions.csv"), "transaction_id") == ["T2", "T3"])
        #expect(
            csvColumn(try sample.text(report, "transactions.csv"), "created_at") == [
                "2026-08-20T21:00:00Z", "2026-08-21T20:59:59.999000Z",
            ])
    }

    @Test("everything known is published beside the nightly folder, as known then; the nightly one is left as it is")
    func whole() throws {
        let sample = try Sample()
        for (index, day) in ["01", "20", "21", "22"].enumerated() {
            try transaction(sample, "T\(index + 1)", "2026-08-\(day)T10:00:00Z")
        }
        // The report before knew of T2; T1 became known since, and is listed once.
        try knownBefore(sample, "T2")
        let nightly = try sample.publish()
        #expect(csvColumn(try sample.text(nightly, "transactions.csv"), "transaction_id") == ["T1", "T3"])
        #expect(try sample.text(nightly, "index.html").contains("business days 2026-08-21 to 2026-08-21"))
        let options = PublishOptions(account: 1, run: 2, output: sample.output, isWhole: true)
        let whole = try Publisher(connection: sample.connection, options: options, root: Sample.root).publish()
        #expect(whole.path == "\(sample.output)/acme/nightly-all/2026-08-21/2")
        #expect(csvColumn(try sample.text(whole, "transactions.csv"), "transaction_id") == ["T1", "T2", "T3", "T4"])
        #expect(try sample.text(whole, "index.html").contains("Lists hold everything that was known"))
        #expect(try !sample.text(whole, "summary.json").contains("period_from"))
        #expect(try sample.publish().wasPublished)
    }

    @Test(
        "transactions.csv shows what has happened to the money, and money taken is no abandoned session",
        arguments: [("valid", "taken", 0), ("invalid", "none", 1)])
    func effectiveMoney(verdict: String, money: String, abandoned: Int) throws {
        let sample = try Sample()
        try transaction(
            sample, "T1", "2026-08-21T10:00:00Z", status: "CANCELLED", state: "cancelled", money: "none",
            afterTaken: "taken")
        try sample.connection.execute(
            Sample.sql("add_taken_event"), [.text("T1"), .text("2026-08-21T10:30:00Z"), .text(verdict)])
        try sample.connection.execute(Sample.sql("add_member"), [.text("T1"), .int(5)])
        let report = try sample.publish()
        #expect(csvColumn(try sample.text(report, "transactions.csv"), "money") == [money])
        #expect(csvRows(try sample.text(report, "expired-sessions.csv")).count == abandoned)
    }

    @Test(
        "money taken in an earlier version counts in transactions.csv, another reading of the same bytes does not",
        arguments: [("other bytes", "taken"), (nil, "none")])
    func earlierVersion(bytes: String?, money: String) throws {
        let sample = try Sample()
        try transaction(
            sample, "T1", "2026-08-21T10:00:00Z", status: "CANCELLED", state: "cancelled", money: "none",
            afterTaken: "taken")
        try sample.connection.execute(
            "create table tieout.earlier partition of tieout.transaction_history "
                + "for values from ('2026-08-01Z') to ('2026-09-01Z')")
        let added = try sample.connection.execute(Sample.sql("add_taken_version"), [.text("T1"), .text(bytes)])
        #expect(added == 1)
        #expect(csvColumn(try sample.text(try sample.publish(), "transactions.csv"), "money") == [money])
    }

    @Test("a report of an older run shows the payments as that run linked them")
    func relinked() throws {
        let sample = try Sample()
        try transaction(sample, "T1", "2026-08-21T10:00:00Z")
        try sample.connection.execute(Sample.sql("add_member"), [.text("T1"), .int(5)])
        let first = try sample.publish()
        #expect(csvColumn(try sample.text(first, "transactions.csv"), "payment_id") == ["5"])
        try sample.connection.execute(Sample.sql("add_member"), [.text("T1"), .int(6)])
        try sample.connection.execute(
            "insert into tieout.run_rule (account_id, run_id, rule, source_id, evaluated, findings, awaiting, not_evaluated, before_coverage, not_applicable) values (1, 3, 'x', '', 0, 0, 0, 0, 0, false)"
        )
        #expect(throws: ReportingError.differs(path: first.path, file: "manifest.json")) { try sample.publish() }
        var options = PublishOptions(account: 1, run: 2, output: sample.output)
        options.relink = { connection, asOf in
            #expect(asOf == Timestamp("2026-08-22T00:40:00Z"))
            try connection.execute(
                "create temporary table link_member on commit drop as select account_id, member, source_id, record_id, 5::bigint as payment_id from tieout.payment_member"
            )
        }
        let again = try Publisher(connection: sample.connection, options: options, root: Sample.root).publish()
        #expect(again.wasPublished && again.files == first.files)
    }

    @Test(
        "what was not judged has a reason each",
        arguments: [
            ("1, 0, 0", "not due yet"), ("1, 1, 1", "a record of the payment is in quarantine"),
            ("0, 0, 1", "older than what the feed covers"),
        ])
    func reasons(counts: String, reason: String) throws {
        let sample = try Sample()
        try sample.connection.execute(
            "insert into tieout.run_rule (account_id, run_id, rule, source_id, evaluated, findings, awaiting, not_evaluated, before_coverage, not_applicable) values (1, 2, 'paid_unsettled', 'src', 1, 0, \(counts), false)"
        )
        #expect(try sample.text(try sample.publish(), "index.html").contains("<td>\(reason)</td>"))
    }

    @Test("records in quarantine or a rule not evaluated: the answer is never a plain yes")
    func exceptions() throws {
        let sample = try Sample()
        let plain = try sample.text(try sample.publish(), "index.html")
        #expect(plain.contains("<span>Yes</span>") && plain.contains("Complete; "))
        let held = try Sample()
        try held.connection.execute(Sample.sql("add_quarantine"))
        let first = try held.publish()
        let page = try held.text(first, "index.html")
        #expect(!page.contains("<span>Yes</span>") && page.contains("<span>Yes, with exceptions</span>"))
        #expect(page.contains("<b>1 record</b> in quarantine") && page.contains("Complete but for exceptions"))
        #expect(page.contains("=&lt;b&gt;type_changed: fee int-&gt;object"))
        #expect(try held.text(first, "summary.json").contains("\"complete\" : false"))
        let silent = try Sample()
        try silent.connection.execute(
            Sample.sql("add_silence"), [.text("webhook_missing"), .text("webhook is older than it may be")])
        let silence = try silent.text(try silent.publish(), "index.html")
        #expect(silence.contains("<b>1 rule</b> not evaluated everywhere") && !silence.contains("<span>Yes</span>"))
        #expect(silence.contains("webhook is older than it may be"))
    }

    @Test("a feed older than it may be is stale, and the answer is no")
    func stale() throws {
        let sample = try Sample()
        try sample.connection.execute(
            Sample.sql("add_silence"), [.text("paid_unsettled"), .text("provider is older than it may be")])
        let report = try sample.publish()
        #expect(csvColumn(try sample.text(report, "freshness.csv"), "state") == ["stale"])
        #expect(try sample.text(report, "index.html").contains("stale, complete up to"))
    }

    @Test("case 62: control totals on the page are those of the CSV, class by class and currency by currency")
    func totals() throws {
        let sample = try Sample()
        let classes = #"{"breaks": {"count": 1, "sum": "10.5"}, "quarantined": {"count": 1, "sum": "-2.25"}}"#
        for (currency, a, b) in [("EUR", "108.25", "100"), ("JPY", "1000", "991.75")] {
            try sample.connection.execute(
                Sample.sql("add_total"), [.text(currency), .text(a), .text(b), .json(classes)])
        }
        let report = try sample.publish()
        let csv = try sample.text(report, "control-totals.csv")
        let page = try sample.text(report, "index.html")
        for name in ["a_sum", "b_sum", "breaks_sum", "quarantined_sum"] {
            let cells = csvColumn(csv, name)
            #expect(cells.count == 2 && cells.allSatisfy { !$0.isEmpty }, "\(name)")
            for cell in cells { #expect(page.contains("<data value=\"\(cell)\">"), "\(name) \(cell)") }
        }
        #expect(csvColumn(csv, "a_sum") == ["108.25", "1000"])
        #expect(csvColumn(csv, "quarantined_count") == ["1", "1"])
    }

    @Test(
        "freshness.csv says of which providers old records are not read again",
        arguments: [
            (#"{"lists": ["transaction"]}"#, "t"), (#"{"lists": []}"#, "f"),
            (#"{"lists": ["transaction"], "sweep": "off"}"#, "f"),
        ])
    func swept(declaration: String, swept: String) throws {
        let sample = try Sample()
        try sample.connection.execute("update tieout.source set declaration = $1", [.json(declaration)])
        #expect(csvColumn(try sample.text(try sample.publish(), "freshness.csv"), "swept") == [swept])
    }

    @Test("hostile text in ids, sources, reasons and owners: neutral in every CSV, escaped on the page")
    func hostile() throws {
        let sample = try Sample()
        try transaction(sample, "=1+1", "2026-08-21T10:00:00Z", status: "@SUM(A1)\u{202E}<script>")
        try sample.connection.execute(
            "update tieout.feed_state set failing_since = '2026-08-21T00:31:00Z', failure = '=cmd|<script>alert(1)</script>'"
        )
        let report = try sample.publish()
        let transactions = try sample.text(report, "transactions.csv")
        #expect(csvColumn(transactions, "transaction_id") == ["'=1+1"])
        #expect(csvColumn(transactions, "raw_status") == [#"'@SUM(A1)\u{202e}<script>"#])
        #expect(csvColumn(try sample.text(report, "freshness.csv"), "why") == ["'=cmd|<script>alert(1)</script>"])
        let page = try sample.text(report, "index.html")
        #expect(!page.contains("<script") && page.contains("=cmd|&lt;script&gt;"))
    }
}
