import Loading
import Payments
import Postgres
import Testing

@Suite("Events that name no transaction")
struct EventAdoptionTests {
    let fixture: FileFixture

    init() throws { fixture = try FileFixture() }

    private func store(_ id: String, refs: [String], resource: String = "transaction") throws {
        try fixture.connection.execute(
            "insert into tieout.transaction (account_id, source_id, resource, transaction_id, run_id, observed_at, "
                + "request_started_at, version_time, state_rank, created_at, direction, raw_status, state, money, is_final, "
                + "refs, evidence_pack, evidence_offset, evidence_length, raw_hash, content_hash) values (1, 'meld-live', "
                + "$1, $2, 1, now(), now(), now(), 50, now(), 'in', 'paid', 'paid', 'taken', false, $3, 1, 0, 0, '', '')",
            [.text(resource), .text(id), .textArray(refs)])
    }

    private func event(_ key: String, refs: [String], transaction: String? = nil) throws {
        try fixture.connection.execute(
            "insert into tieout.webhook_event (account_id, source_id, event_key, run_id, observed_at, transaction_id, "
                + "raw_status, state, state_rank, money, first_received_at, last_received_at, deliveries, verdict, refs, "
                + "body_digest, kept_digest) values (1, 'meld-live', $1, 1, now(), $2, 'paid', 'paid', 30, 'taken', now(), "
                + "now(), 1, 'valid', $3, '', '')",
            [.text(key), .text(transaction), .textArray(refs)])
    }

    private func adopt() throws -> Int {
        try EventAdoption.run(
            on: fixture.connection, fixture.context(), source: "meld-live", kinds: ["op", "book:order"])
    }

    private func found() throws -> [String] {
        try fixture.rows("event_key, coalesce(transaction_id, '-')) from tieout.webhook_event order by event_key")
    }

    @Test("an event is about the transaction that holds its operation, else its order; what several hold tells nothing")
    func adopted() throws {
        try event("e1", refs: ["book:order=A-2", "op=1"])
        try event("e2", refs: ["book:order=A-1"])
        try event("e3", refs: ["book:order=A-2"])
        try event("e4", refs: ["op=9"])
        try event("e5", refs: ["op=1"], transaction: "own")
        try event("e6", refs: ["chain:tx=1"])
        #expect(try adopt() == 0)
        try store("T1", refs: ["book:order=A-1", "chain:tx=1", "op=1", "op=2"])
        try store("T2", refs: ["book:order=A-2"])
        try store("T3", refs: ["book:order=A-2"])
        try store("R1", refs: ["op=9"], resource: "refund")
        #expect(try adopt() == 2)
        #expect(try found() == ["e1|T1", "e2|T1", "e3|-", "e4|-", "e5|own", "e6|-"])
        // What was told is news, and is told once.
        let news = try fixture.rows(
            "event_key) from tieout.webhook_event where recounted_at is not null order by event_key")
        #expect(news == ["e1", "e2"])
        #expect(try fixture.rows("transaction_id) from tieout.webhook_unordered") == ["T1"])
        #expect(try adopt() == 0)
    }

    @Test("without kinds nothing is looked for")
    func none() throws {
        try event("e1", refs: ["op=1"])
        try store("T1", refs: ["op=1"])
        let count = try EventAdoption.run(on: fixture.connection, fixture.context(), source: "meld-live", kinds: [])
        #expect(count == 0)
        #expect(try found() == ["e1|-"])
    }

    @Test("events about other records are behind only until these are stored")
    func behind() throws {
        try event("e1", refs: [], transaction: "order/O1")
        try event("e2", refs: [], transaction: "order/O2")
        let loader = WebhookHistoryLoader(fixture.context(), fixture.connection, sources: [try Capture.source()])
        #expect(try loader.idsBehind(source: "meld-live") == ["order/O1", "order/O2"])
        try store("O1", refs: [], resource: "order")
        #expect(try loader.idsBehind(source: "meld-live") == ["order/O2"])
    }
}
