import Crypto
import Loading
import Payments
import Postgres
import Providers
import TestSupport
import Testing

@Suite("Webhook history from the merchant's own table")
struct CaptureTableTests {
    let fixture: FileFixture

    init() throws {
        fixture = try FileFixture()
        try fixture.connection.script(
            "create schema shop; create table shop.hooks (id bigint primary key, received_at timestamptz, "
                + "method text, url text, headers jsonb, raw_body bytea)")
    }

    private func query(
        _ text: String = "select * from shop.hooks -- all", watermark: String? = nil, connection: String? = nil
    ) -> MerchantQuery {
        MerchantQuery(
            name: "webhooks query", text: text, connection: Secret(connection ?? fixture.database.conninfo),
            watermark: watermark, lookBack: 3600)
    }

    private func loader(hours: Int64 = 0, batchSize: Int = 100) throws -> WebhookHistoryLoader {
        WebhookHistoryLoader(
            fixture.context(hours: hours), fixture.connection, sources: [try Capture.source()], batchSize: batchSize)
    }

    private func put(_ id: Int, _ body: String, received: Int, secret: Secret = Capture.secret) throws {
        let message = Array("\(Capture.time(received)).\(Capture.url).\(body)".utf8)
        let code = Base64.encode(HMACCode.sha256(key: secret, message: message), alphabet: .url)
        try fixture.connection.execute(
            "insert into shop.hooks values ($1, $2, 'POST', $3, $4, $5) on conflict (id) do update set raw_body = $5, headers = $4",
            [
                .int(id), .timestamp(Timestamp(Capture.time(received))), .text(Capture.url),
                .json(#"{"Meld-Signature":"\#(code)","meld-signature-timestamp":["\#(Capture.time(received))"]}"#),
                .bytes(Array(body.utf8)),
            ])
    }

    private func event(_ id: Int, received: Int, status: String = "SETTLED") throws {
        try put(id, Capture.body("e\(id)", "W\(id)", status, second: received), received: received)
    }

    private static let watermark = "watermark = to_timestamp($1)) from tieout.feed_state"

    @Test("rows are verified and stored as lines of a file are; read again, nothing is met twice")
    func twice() throws {
        for id in 1...7 { try event(id, received: id) }
        let first = try loader(batchSize: 3).load(queries: [query()])
        #expect(first.new == 7 && first.records == 7)
        #expect(try fixture.rows("verdict, count(*)) from tieout.webhook_event group by verdict") == ["valid|7"])
        let again = try loader(hours: 1).load(queries: [query()])
        #expect(again.new == 0 && again.changed == 0 && again.duplicates == 0 && again.unchanged == again.records)
        #expect(try fixture.count("webhook_delivery") == 7)
        // The same deliveries in a file are the same.
        let lines = (1...7).map {
            Capture.line(Capture.body("e\($0)", "W\($0)", "SETTLED", second: $0), received: $0)
        }
        let path = try fixture.write(lines.joined(separator: "\n"), to: "hooks.jsonl")
        #expect(try loader(hours: 2).load(paths: [path]).unchanged == 7)
    }

    @Test("the feed is complete up to the snapshot, whatever the rows say, and also where none is new")
    func snapshot() throws {
        try event(1, received: 1)
        for hours in [Int64(0), 5] {
            _ = try loader(hours: hours).load(queries: [query()])
            let now = FileFixture.start.adding(seconds: hours * 3600)
            let feed = try fixture.connection.query(
                "select watermark, covered_from from tieout.feed_state where feed = 'webhook'"
            ).only()
            #expect(try feed.timestamp("watermark") == now)
            #expect(try feed.timestamp("covered_from") == Timestamp(Capture.time(1)))
        }
    }

    @Test(
        "only what is new is read on, and what was committed late within the look-back",
        arguments: [nil, "id"] as [String?])
    func readsOn(watermark: String?) throws {
        for id in 1...5 { try event(id * 10, received: id * 3000) }
        let query = query(watermark: watermark)
        #expect(try loader(batchSize: 1).load(queries: [query]).new == 5)
        try event(60, received: 15_100)
        try event(45, received: 14_500)
        let next = try loader(hours: 1, batchSize: 1).load(queries: [query])
        #expect(next.new == 2)
        #expect(next.records < 7)
        #expect(try fixture.count("webhook_event") == 7)
    }

    @Test("a row changed within the look-back is another delivery of its event; a deleted one stays what it was")
    func changes() throws {
        try event(1, received: 10)
        try event(2, received: 20)
        _ = try loader().load(queries: [query()])
        try put(1, Capture.body("e1", "W1", "REFUNDED", second: 11), received: 10)
        try fixture.connection.execute("delete from shop.hooks where id = 2")
        let outcome = try loader(hours: 1).load(queries: [query()])
        #expect(outcome.changed + outcome.duplicates == 1)
        #expect(
            try fixture.rows(
                "event_key, deliveries, array_to_string(flags, ' ')) from tieout.webhook_event order by event_key")
                == ["e1|2|body_changed", "e2|1|"])
        // Twin: nothing has changed since.
        let again = try loader(hours: 2).load(queries: [query()])
        #expect(again.changed == 0 && again.duplicates == 0 && again.new == 0)
    }

    @Test("bodies and headers may be text; a row without a body or time costs one row")
    func texts() throws {
        try event(1, received: 1)
        try fixture.connection.execute(
            "insert into shop.hooks (id, received_at, raw_body) values (2, '2026-08-10T12:00Z', null), (3, null, null), (4, 'infinity', '')"
        )
        let text =
            "select received_at, url, headers::text as headers, convert_from(raw_body, 'UTF8') as raw_body from shop.hooks"
        let outcome = try loader().load(queries: [query(text)])
        #expect(outcome.new == 1 && outcome.quarantined == 3)
        #expect(
            try fixture.rows("reason) from tieout.quarantine order by reason") == [
                "raw_body: null", "raw_body: null", "received_at: null, or no time that can be",
            ])
        #expect(try fixture.rows("verdict) from tieout.webhook_event") == ["valid"])
    }

    @Test("a query without a needed column, of another type, or with an error is named, and nothing is stored")
    func faults() throws {
        try event(1, received: 1)
        func message(_ query: MerchantQuery) throws -> String {
            do {
                _ = try loader().load(queries: [query])
                return "loaded"
            } catch let fault as LoadFault {
                return fault.message
            }
        }
        #expect(
            try message(query("select id, received_at, headers from shop.hooks"))
                == "webhooks query: the query gives no column raw_body (it gives id, received_at, headers)")
        #expect(
            try message(query("select id as received_at, raw_body from shop.hooks"))
                == "webhooks query: column received_at is bigint, it must be timestamp or timestamptz")
        #expect(
            try message(query("select received_at, raw_body, id from shop.hooks", watermark: "seq"))
                == "webhooks query: the query gives no column seq (it gives received_at, raw_body, id)")
        #expect(try message(query("select * from shop.nothing")).hasPrefix("webhooks query: relation"))
        #expect(
            try message(query("with d as (delete from shop.hooks returning *) select * from d")).hasPrefix(
                "webhooks query: "))
        #expect(try fixture.count("webhook_event") == 0)
        #expect(try fixture.rows("count(*)) from shop.hooks") == ["1"])
        #expect(try message(query()) == "loaded")
    }

    @Test("a database that cannot be reached leaves the feed failing since then; the next reading mends it")
    func unreachable() throws {
        try event(1, received: 1)
        let good = query()
        _ = try loader().load(queries: [good])
        let gone = query(connection: "host=/nowhere dbname=none connect_timeout=1")
        let fault = #expect(throws: LoadFault.self) { try loader(hours: 1).load(queries: [gone]) }
        #expect(fault?.kind == .unreadable)
        #expect(fault?.message.contains("webhooks query: the database cannot be reached") == true)
        #expect(try fixture.rows("failing_since is not null, failure is not null) from tieout.feed_state") == ["t|t"])
        _ = try loader(hours: 2).load(queries: [good])
        #expect(try fixture.rows("failing_since is null, failure is null) from tieout.feed_state") == ["t|t"])
    }

    @Test("case 22: a reading killed between two batches goes on where it stood, and stores nothing twice")
    func killed() throws {
        for id in 1...9 { try event(id, received: id * 4000) }
        try fixture.connection.execute(
            "alter table tieout.feed_state add constraint dies check (watermark is null) not valid")
        #expect(throws: PostgresError.self) { try loader(batchSize: 4).load(queries: [query()]) }
        #expect(try fixture.count("webhook_event") == 8)
        try fixture.connection.execute("alter table tieout.feed_state drop constraint dies")
        let rest = try loader(hours: 1, batchSize: 4).load(queries: [query()])
        #expect(rest.new == 1 && rest.records < 9)
        #expect(try fixture.count("webhook_delivery") == 9)
    }
}
