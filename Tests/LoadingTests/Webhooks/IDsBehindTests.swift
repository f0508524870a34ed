import Loading
import Payments
import Postgres
import Testing

@Suite("Transactions that events know better")
struct IDsBehindTests {
    let fixture: FileFixture

    init() throws { fixture = try FileFixture() }

    /// A stored transaction, updated 100 s into the capture's day, with rank 50.
    private func store(_ id: String, status: String, resource: String = "transaction") throws {
        try fixture.connection.execute(
            "insert into tieout.transaction (account_id, source_id, resource, transaction_id, run_id, observed_at, "
                + "request_started_at, version_time, state_rank, created_at, direction, raw_status, state, money, is_final, "
                + "evidence_pack, evidence_offset, evidence_length, raw_hash, content_hash) values (1, 'meld-live', "
                + "$4, $1, 1, now(), now(), $2, 50, $2, 'in', $3, 'x', 'none', false, 1, 0, 0, '', '')",
            [.text(id), .timestamp(Timestamp(Capture.time(100))), .text(status), .text(resource)])
    }

    /// A valid event about a record, as a provider with several resources sends them.
    private func event(
        _ key: String, about record: String, status: String, second: Int, daysAgo: Int64 = 0
    ) throws {
        try fixture.connection.execute(
            "insert into tieout.webhook_event (account_id, source_id, event_key, run_id, observed_at, transaction_id, "
                + "raw_status, state_rank, event_time, first_received_at, last_received_at, deliveries, verdict, "
                + "body_digest, kept_digest) values (1, 'meld-live', $1, 1, $5, $2, $3, 50, $4, $4, $4, 1, 'valid', "
                + "'', '')",
            [
                .text(key), .text(record), .text(status), .timestamp(Timestamp(Capture.time(second))),
                .timestamp(FileFixture.start.adding(seconds: -daysAgo * 86_400)),
            ])
    }

    @Test("an event about a refund or a dispute names that record, not a payment; one that is up to date names none")
    func legs() throws {
        try store("R-same", status: "SUCCESS", resource: "refund")
        try store("R-behind", status: "PENDING", resource: "refund")
        try store("a/b", status: "SETTLED")
        try event("e1", about: "refund/R-same", status: "SUCCESS", second: 200)
        try event("e2", about: "refund/R-behind", status: "SUCCESS", second: 200)
        try event("e3", about: "dispute/D/1", status: "COMPLETED", second: 200)
        // A payment's id may hold a slash.
        try event("e4", about: "a/b", status: "SETTLED", second: 200)
        let loader = WebhookHistoryLoader(fixture.context(), fixture.connection, sources: [try Capture.source()])
        #expect(try loader.idsBehind(source: "meld-live") == ["dispute/D/1", "refund/R-behind"])
    }

    @Test("an id that the provider does not know is asked for within the look-back, and not for ever")
    func lookBack() throws {
        try event("e1", about: "W-long", status: "SETTLED", second: 0, daysAgo: 11)
        try event("e2", about: "W-lately", status: "SETTLED", second: 0, daysAgo: 9)
        try event("e3", about: "refund/R-long", status: "SUCCESS", second: 0, daysAgo: 11)
        // What is stored and behind is asked for however long that is so.
        try store("W-behind", status: "PENDING")
        try event("e4", about: "W-behind", status: "SETTLED", second: 200, daysAgo: 30)
        let loader = WebhookHistoryLoader(fixture.context(), fixture.connection, sources: [try Capture.source()])
        #expect(
            try loader.idsBehind(source: "meld-live") == ["W-behind", "W-lately", "W-long", "refund/R-long"])
        try fixture.connection.execute(
            "insert into tieout.resource_state (account_id, source_id, resource, backfill_complete, last_success_at) "
                + "values (1, 'meld-live', 'transaction', true, $1)", [.timestamp(FileFixture.start)])
        #expect(try loader.idsBehind(source: "meld-live") == ["W-behind", "W-lately", "refund/R-long"])
    }

    @Test("a payment that is known as another account's is not asked for")
    func stranger() throws {
        for id in ["W-foreign", "W-ours"] { try event("e-\(id)", about: id, status: "SETTLED", second: 0) }
        try fixture.connection.execute(
            "insert into tieout.stranger (account_id, source_id, transaction_id, observed_at, run_id) values (1, 'meld-live', 'W-foreign', $1, 1)",
            [.timestamp(FileFixture.start)])
        let loader = WebhookHistoryLoader(fixture.context(), fixture.connection, sources: [try Capture.source()])
        #expect(try loader.idsBehind(source: "meld-live") == ["W-ours"])
    }

    @Test("what waits in quarantine is not asked for until an event tells of it anew")
    func quarantined() throws {
        try event("e1", about: "W-bad", status: "PENDING", second: 0, daysAgo: 3)
        try event("e2", about: "refund/W-bad", status: "PENDING", second: 0, daysAgo: 3)
        let loader = WebhookHistoryLoader(fixture.context(), fixture.connection, sources: [try Capture.source()])
        #expect(try loader.idsBehind(source: "meld-live") == ["W-bad", "refund/W-bad"])
        for (id, name) in [("Q1", "W-bad"), ("Q2", "refund/W-bad")] {
            try fixture.connection.execute(
                "insert into tieout.quarantine (account_id, source_id, feed, quarantine_id, run_id, last_run_id, "
                    + "observed_at, reason, record_id, place, length, digest) values (1, 'meld-live', 'provider', $1, 1, "
                    + "1, $3, 'x', $2, 'page 1', 1, '')",
                [.text(id), .text(name), .timestamp(FileFixture.start.adding(seconds: -2 * 86_400))])
        }
        #expect(try loader.idsBehind(source: "meld-live").isEmpty)
        try event("e3", about: "W-bad", status: "SETTLED", second: 9, daysAgo: 1)
        #expect(try loader.idsBehind(source: "meld-live") == ["W-bad"])
    }

    @Test("unknown and overtaken transactions are named; equal, older and unproven events name none")
    func behind() throws {
        try store("W-behind", status: "PENDING")
        try store("W-same", status: "SETTLED")
        try store("W-older", status: "SETTLED")
        let lines = [
            Capture.line(Capture.body("e1", "W-unknown", "PENDING", second: 10), received: 10),
            Capture.line(Capture.body("e2", "W-behind", "SETTLED", second: 200), received: 200),
            Capture.line(Capture.body("e3", "W-same", "SETTLED", second: 200), received: 200),
            Capture.line(Capture.body("e4", "W-older", "PENDING", second: 50), received: 50),
            Capture.line(Capture.body("e5", "W-forged", "SETTLED", second: 200), received: 200, signed: "x"),
        ]
        let path = try fixture.write(lines.joined(separator: "\n"), to: "hooks.jsonl")
        let loader = WebhookHistoryLoader(
            fixture.context(), fixture.connection, sources: [try Capture.source()])
        _ = try loader.load(paths: [path])
        #expect(try loader.idsBehind(source: "meld-live") == ["W-behind", "W-unknown"])
        #expect(try loader.idsBehind(source: "meld-two").isEmpty)
        let later = FileFixture.start.adding(seconds: 1)
        #expect(try loader.idsBehind(source: "meld-live", since: later).isEmpty)
    }
}
