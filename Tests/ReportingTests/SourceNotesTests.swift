import Postgres
import Reporting
import Testing

/// What the report says of test data, and of sources that drain or are retired.
@Suite struct SourceNotesTests {
    private func sample(life: String = "active", since: String? = nil) throws -> Sample {
        let sample = try Sample()
        try sample.connection.execute(
            "update tieout.source set life = $1, life_since = $2::timestamptz", [.text(life), .text(since)])
        return sample
    }

    private func transaction(
        _ sample: Sample, _ id: String, _ created: String, state: String = "settled", money: String = "delivered"
    ) throws {
        try sample.connection.execute(
            Sample.sql("add_transaction"),
            [.text(id), .text(created), .text(state.uppercased()), .text(state), .text(money), nil])
    }

    private func page(_ sample: Sample) throws -> (page: String, report: PublishedReport) {
        let report = try sample.publish()
        return (try sample.text(report, "index.html"), report)
    }

    @Test("case 26: two test-mode events and a row are ignored, and the report says how many of which source")
    func testMode() throws {
        let sample = try sample()
        try transaction(sample, "T1", "2026-08-21T10:00:00Z")
        try transaction(sample, "play", "2026-08-21T10:00:00Z")
        for event in ["T1", "play", "T2"] {
            try sample.connection.execute(
                Sample.sql("add_taken_event"), [.text(event), .text("2026-08-21T10:05:00Z"), "valid"])
        }
        try sample.connection.execute("update tieout.transaction set is_test = true where transaction_id = 'play'")
        try sample.connection.execute("update tieout.webhook_event set is_test = true where transaction_id <> 'T1'")
        let (page, report) = try page(sample)
        #expect(page.contains("2 test-mode events ignored"))
        #expect(page.contains("1 test-mode row ignored"))
        #expect(csvColumn(try sample.text(report, "freshness.csv"), "test_records") == ["1"])
    }

    @Test("a live source without test data is not mentioned")
    func plain() throws {
        let sample = try sample()
        try transaction(sample, "T1", "2026-08-21T10:00:00Z")
        let (page, report) = try page(sample)
        #expect(!page.contains("source-notes") && !page.contains("test-mode"))
        #expect(csvRows(try sample.text(report, "stranded.csv")).isEmpty)
    }

    @Test("new rows of a draining source are counted and said; what was there before is not")
    func draining() throws {
        let sample = try sample(life: "draining", since: "2026-08-21T00:00:00Z")
        try transaction(sample, "old", "2026-08-20T10:00:00Z")
        #expect(try page(sample).page.contains("draining since <time>2026-08-21 03:00</time>: no new row"))
        let other = try self.sample(life: "draining", since: "2026-08-21T00:00:00Z")
        try transaction(other, "old", "2026-08-20T10:00:00Z")
        try transaction(other, "new", "2026-08-21T10:00:00Z")
        let (page, report) = try page(other)
        #expect(page.contains("1 new row, though none was expected, the newest of <time>2026-08-21 13:00</time>"))
        #expect(csvColumn(try other.text(report, "freshness.csv"), "new_rows") == ["1"])
    }

    @Test("a report of an older run says nothing of rows that became known later, nor of a life that began later")
    func older() throws {
        let sample = try sample(life: "draining", since: "2026-08-21T00:00:00Z")
        try transaction(sample, "late", "2026-08-21T10:00:00Z")
        try sample.connection.execute("update tieout.transaction set observed_at = '2026-08-23T00:00:00Z'")
        #expect(try page(sample).page.contains("draining since <time>2026-08-21 03:00</time>: no new row"))
        let other = try self.sample(life: "retired", since: "2026-08-23T00:00:00Z")
        try transaction(other, "T2", "2026-08-20T10:00:00Z", state: "pending", money: "taken")
        let (page, report) = try page(other)
        #expect(!page.contains("source-notes"))
        #expect(csvRows(try other.text(report, "stranded.csv")).isEmpty)
        let states = csvColumn(try other.text(report, "freshness.csv"), "state")
        #expect(states != ["retired"])
    }

    @Test("what is open at a retired source is listed as stranded: breaks, money under way, orders that wait")
    func retired() throws {
        let sample = try sample(life: "retired", since: "2026-08-21T00:00:00Z")
        try sample.addBreak(rule: "amount_mismatch", subject: "transaction:meld-live/T1", order: "A")
        try transaction(sample, "T1", "2026-08-20T10:00:00Z", state: "pending", money: "held")
        try transaction(sample, "T2", "2026-08-20T10:00:00Z", state: "pending", money: "taken")
        try transaction(sample, "T3", "2026-08-20T10:00:00Z")
        try transaction(sample, "T4", "2026-08-20T10:00:00Z", state: "pending", money: "none")
        for (order, status) in [("A", "paid"), ("B", "pending"), ("C", "credited")] {
            try sample.connection.execute(Sample.sql("add_order"), [.text(order), .text(status)])
        }
        let (page, report) = try page(sample)
        let rows = csvRows(try sample.text(report, "stranded.csv"))
        #expect(
            rows.map { "\($0[1]) \($0[2]) \($0[3])" } == [
                "break transaction:meld-live/T1 amount_mismatch", "order order:B pending",
                "transaction transaction:meld-live/T2 PENDING",
            ])
        #expect(page.contains("3 items stranded</a>"))
        let freshness = try sample.text(report, "freshness.csv")
        #expect(csvColumn(freshness, "state") == ["retired"] && csvColumn(freshness, "stranded") == ["3"])
    }

    @Test("a retired source with nothing open says so, and no order is stranded whose payment is elsewhere")
    func settled() throws {
        let sample = try sample(life: "retired")
        try sample.connection.execute(
            "insert into tieout.source (account_id, source_id, provider, environment) values (1, 'meld-two', 'meld', 'live')"
        )
        try sample.connection.execute(Sample.sql("add_order"), [.text("A"), .text("pending")])
        try sample.connection.execute(
            "insert into tieout.payment_member (account_id, member, source_id, record_id, payment_id) values (1, 'order', 'meld-live', 'A', 5), (1, 'transaction', 'meld-two', 'T9', 5)"
        )
        let (page, report) = try page(sample)
        #expect(page.contains("retired: nothing is stranded"))
        #expect(csvRows(try sample.text(report, "stranded.csv")).isEmpty)
    }
}
